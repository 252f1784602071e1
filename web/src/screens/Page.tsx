// A place of the page that is no session: head with its title, what it holds, the bottom bar of a phone.
import type { JSX } from 'solid-js';
import { t } from '../text';
import { Tabbar } from './Rail';

export function Page(props: { title: string; head?: JSX.Element; children: JSX.Element; scrolls?: boolean }): JSX.Element {
  return (
    <main class="main page" id="main" tabIndex={-1}>
      <header class="head">
        <h1>{props.title}</h1>
        {props.head}
      </header>
      {props.scrolls === false ? (
        props.children
      ) : (
        <div class="scroll" tabIndex={0} role="group" aria-label={props.title} data-region="stream">
          {props.children}
        </div>
      )}
      <Tabbar />
    </main>
  );
}

export const Wait = (): JSX.Element => (
  <main class="main" id="main">
    <p class="none" role="status">
      {t('sessions.loading')}
    </p>
  </main>
);

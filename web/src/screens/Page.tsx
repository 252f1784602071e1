// Layout of a screen that is not a session: head with title, content, bottom bar on phones.
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

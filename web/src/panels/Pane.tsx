// A section of the panel. It can be folded and remembers its state; its header shows the main figure.
import '../text/later';
import { createContext, Show, useContext, type JSX } from 'solid-js';
import { Button, Disclosure } from '../ui';
import { t } from '../text';
import type { Asked as AskedFor } from '../screens/asked';
import { reasonOf } from '../screens/link';

/** Where all sections are shown at once, they are open unless the user closed them. */
export const AllOpen = createContext(false);

export function Pane(props: { name: string; title: string; figure?: JSX.Element; open?: boolean; children: JSX.Element }): JSX.Element {
  const all = useContext(AllOpen);
  return (
    <Disclosure class="pane" title={<h2>{props.title}</h2>} figure={props.figure} open={all || props.open} remember={`${all ? 'over' : 'pane'}.${props.name}`}>
      <div class="body">{props.children}</div>
    </Disclosure>
  );
}

/** Data fetched from the agent: shown once it has arrived, and kept while it is fetched again. */
export function Asked<T>(props: { of: AskedFor<T>; again: () => void; children: JSX.Element }): JSX.Element {
  return (
    <>
      <Show when={props.of.error}>
        <p class="dim">{t('panels.failed', { why: reasonOf(props.of.error) })}</p>
        <p>
          <Button small icon="retry" onClick={() => props.again()}>
            {t('panels.again')}
          </Button>
        </p>
      </Show>
      <Show
        when={props.of.latest !== undefined}
        fallback={
          <Show when={!props.of.error}>
            <p class="dim">{t('panels.loading')}</p>
          </Show>
        }
      >
        {props.children}
      </Show>
    </>
  );
}

// A section of the panel: folds, remembers itself, and its closed row carries the figure.
import '../text/later';
import { createContext, Match, Switch, useContext, type JSX } from 'solid-js';
import { Button, Disclosure } from '../ui';
import { t } from '../text';
import type { Asked as AskedFor } from '../screens/asked';
import { reasonOf } from '../screens/link';

/** Where all sections are shown at once they are open unless someone closed them. */
export const AllOpen = createContext(false);

export function Pane(props: { name: string; title: string; figure?: JSX.Element; open?: boolean; children: JSX.Element }): JSX.Element {
  const all = useContext(AllOpen);
  return (
    <Disclosure class="pane" title={<h2>{props.title}</h2>} figure={props.figure} open={all || props.open} remember={`${all ? 'over' : 'pane'}.${props.name}`}>
      <div class="body">{props.children}</div>
    </Disclosure>
  );
}

/** Something the agent has to be asked for: shown while it is asked, with the reason when it refuses. */
export function Asked<T>(props: { of: AskedFor<T>; again: () => void; children: (value: T) => JSX.Element }): JSX.Element {
  return (
    <Switch>
      <Match when={props.of.error}>
        <p class="dim">{t('panels.failed', { why: reasonOf(props.of.error) })}</p>
        <p><Button small icon="retry" onClick={() => props.again()}>{t('panels.again')}</Button></p>
      </Match>
      <Match when={props.of.latest !== undefined}>{props.children(props.of.latest as T)}</Match>
      <Match when={true}><p class="dim">{t('panels.loading')}</p></Match>
    </Switch>
  );
}

// The side panel of a session: everything besides the transcript. `wide` is the layout of the overview.
import '../text/later';
import { lazy, Show, Suspense, type JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { IconButton } from '../ui';
import { t } from '../text';
import { factsOf, stateOf, welcome } from '../screens/link';
import { recall } from '../screens/prefs';
import { Background } from './Background';
import { Context } from './Context';
import { Cost } from './Cost';
import { Drift } from './Drift';
import { Files } from './Files';
import { Hooks } from './Hooks';
import { InForce } from './InForce';
import { Mcp } from './Mcp';
import { Rules } from './Rules';
import { Tasks } from './Tasks';

// Only sessions with the demo model need these.
const FirstSteps = lazy(async () => ({ default: (await import('./FirstSteps')).FirstSteps }));
const BringPane = lazy(async () => ({ default: (await import('./FirstSteps')).BringPane }));

/** True if this session is the tour of a first visit. */
const isTour = (id: string): boolean => recall('tour') === id;
/** True if this session uses the demo model. */
export const isDemo = (agent: string | undefined): boolean => welcome()?.agents.find((one) => one.name === agent)?.pays === 'demo';

export function Sections(props: { id: string }): JSX.Element {
  const state = () => stateOf(props.id);
  return (
    <>
      <Tasks state={state()} />
      <Show when={isDemo(state()?.info.agent) && isTour(props.id)}>
        <Suspense>
          <FirstSteps id={props.id} state={state()} />
        </Suspense>
      </Show>
      <Background id={props.id} state={state()} />
      <Context id={props.id} state={state()} />
      <Cost state={state()} />
      <Files id={props.id} state={state()} />
      <Mcp id={props.id} state={state()} facts={factsOf(props.id)} />
      <Rules id={props.id} state={state()} />
      <InForce id={props.id} state={state()} facts={factsOf(props.id)} />
      <Hooks id={props.id} state={state()} />
      <Drift id={props.id} state={state()} />
      <Show when={isDemo(state()?.info.agent)}>
        <Suspense>
          <BringPane open={isTour(props.id)} />
        </Suspense>
      </Show>
    </>
  );
}

export default function Panel(props: { id: string; drawer: boolean; onClose: () => void; ref?: (element: HTMLElement) => void }): JSX.Element {
  return (
    <Dynamic
      component={props.drawer ? 'div' : 'aside'}
      class="panel"
      ref={(element: HTMLElement) => props.ref?.(element)}
      aria-label={t('panels.panel')}
      tabIndex={-1}
      role={props.drawer ? 'dialog' : undefined}
      aria-modal={props.drawer ? true : undefined}
      onKeyDown={(event: KeyboardEvent) => {
        if (props.drawer && event.key === 'Escape') {
          event.stopPropagation();
          props.onClose();
        }
      }}
    >
      <div class="panel-head drawer-close">
        <h2>{t('sessions.details')}</h2>
        <IconButton icon="x" label={t('ui.close')} onClick={() => props.onClose()} />
      </div>
      <Sections id={props.id} />
    </Dynamic>
  );
}

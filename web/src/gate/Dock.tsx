// The bottom of a session: gate or request, queue and message box, and what Escape does among them.
import { createSignal, Show, type JSX } from 'solid-js';
import type { AskInfo, Diff, JsonValue } from '../api/types';
import { Asks, type AsksHandle } from '../asks/Asks';
import { Composer, type ComposerHandle } from '../composer/Composer';
import { Queue } from '../composer/Queue';
import { useKeys } from '../keys/listen';
import { useKept, type Client, type Line, type SessionView } from '../protocol';
import { announceStanding, createDock, createForming, listenForEscape, type DockState } from './dockState';
import { Gate, hasBody } from './Gate';
import type { GateActions } from './gateState';

export interface DockProps extends GateActions {
  client: Client;
  session: SessionView;
  line: Line;
  /** Current time at the bridge; updated regularly. */
  now: number;
  /** This session has the focus of the page, if several are shown side by side. */
  here?: boolean | undefined;
  enterIsLine?: boolean | undefined;
  /** True when the transcript above has its position. The dock is shown together with it. */
  settled?: boolean | undefined;
  /** Called when a message was sent, to scroll to the end. */
  onSent?: (() => void) | undefined;
  /** Fetches the diff of a tool call; from the bridge by default. */
  diffOf?: ((ask: AskInfo, input: JsonValue | null) => Promise<Diff>) | undefined;
  handle?: ((handle: DockHandle) => void) | undefined;
}

export interface DockHandle {
  focusBox: () => void;
  focusGate: () => void;
  focusAsk: () => boolean;
  addToBox: (text: string) => void;
}

/** The parts of a dock that can take the focus. */
export interface DockParts {
  dock: () => HTMLElement;
  asks: () => AsksHandle | undefined;
  box: () => ComposerHandle | undefined;
}

function createHandle({ asking }: DockState, { dock, asks, box }: DockParts): DockHandle {
  return {
    focusBox: () => box()?.focus(),
    focusGate: () => {
      if (asking()) asks()?.focus();
      else (dock().querySelector<HTMLElement>('.gate button') ?? dock().querySelector<HTMLElement>('textarea'))?.focus();
    },
    focusAsk: () => {
      if (!asking()) return false;
      asks()?.focus();
      return true;
    },
    addToBox: (text) => box()?.add(text),
  };
}

export function Dock(props: DockProps): JSX.Element {
  const id = () => props.session.store.id;
  const all = useKept(props.client, id);
  // Messages that are sent immediately are not shown in the queue.
  const unsent = () => all().filter((entry) => entry.state !== 'sent' || props.now - props.client.connection.skew - entry.at > 800);
  const state = createDock(props);
  const { name, here, asking, running, busy } = state;
  const [asks, setAsks] = createSignal<AsksHandle>();
  let box: ComposerHandle | undefined;
  let dock!: HTMLDivElement;
  const parts: DockParts = { dock: () => dock, asks, box: () => box };
  const alone = props.settled !== false;
  const formed = createForming(props, state, parts, alone);
  listenForEscape(props, state, parts);
  announceStanding(props, state);
  const handle = createHandle(state, parts);
  props.handle?.(handle);
  useKeys({
    ask: () => here() && handle.focusAsk(),
    box: () => {
      if (!here()) return false;
      handle.focusBox();
      return true;
    },
  });

  return (
    <div class="dock" classList={{ forming: !formed(), steady: !alone || asking() || hasBody(name()) }} ref={dock}>
      <div class="dockbox">
        <Asks
          client={props.client}
          session={props.session}
          line={props.line}
          now={props.now}
          here={here()}
          handle={(one) => setAsks(one)}
          takeBoxText={() => box?.take() ?? ''}
          onLeftover={(text) => box?.add(text)}
          diffOf={props.diffOf}
        />
        <Show when={asks()?.showing() !== true}>
          <Gate {...props} onModel={props.onModel ?? (() => box?.chooseModel())} queued={props.session.queue.length > 0} />
        </Show>
        <Queue
          client={props.client}
          session={props.session}
          kept={unsent()}
          connected={props.line.phase === 'up'}
          running={running()}
          resumable={name() === 'crashed' || name() === 'lost'}
          onTakenBack={(text) => box?.add(text)}
        />
        <Composer
          client={props.client}
          session={props.session}
          line={props.line}
          busy={busy()}
          running={name() === 'running' || name() === 'stalled' || name() === 'retrying'}
          resumeFirst={name() === 'stopped' || name() === 'external'}
          compact={asking()}
          quiet={name() === 'stalled'}
          enterIsLine={props.enterIsLine}
          handle={(one) => {
            box = one;
          }}
          onSent={props.onSent}
        />
      </div>
    </div>
  );
}

// The bottom of a session: gate or request, queue and message box, and what Escape does among them.
import { createEffect, createMemo, createSignal, on, onCleanup, onMount, Show, type JSX } from 'solid-js';
import type { AskInfo, Diff, JsonValue } from '../api/types';
import { Asks, type AsksHandle } from '../asks/Asks';
import { Composer, type ComposerHandle } from '../composer/Composer';
import { Queue } from '../composer/Queue';
import { useKeys } from '../keys/listen';
import { useKept, type Client, type Line, type SessionView } from '../protocol';
import { t } from '../text';
import { announce } from '../ui';
import { bodyLoaded, Gate, hasBody, sessionStanding, type GateActions } from './Gate';
import { escapeStep } from './rules';
import { writesNow } from './typing';

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

/** Milliseconds after which the dock is shown without the form of its request. */
const FORM_TIMEOUT = 3_000;

export interface DockHandle {
  focusBox: () => void;
  focusGate: () => void;
  focusAsk: () => boolean;
  addToBox: (text: string) => void;
}

export function Dock(props: DockProps): JSX.Element {
  const id = () => props.session.store.id;
  const here = () => props.here !== false;
  const all = useKept(props.client, id);
  // Messages that are sent immediately are not shown in the queue.
  const unsent = () => all().filter((entry) => entry.state !== 'sent' || props.now - props.client.connection.skew - entry.at > 800);
  const standing = createMemo(() => sessionStanding(props));
  const name = () => standing()?.name ?? 'idle';
  const connected = () => props.line.phase === 'up' || props.line.phase === 'connecting';
  const asking = () => props.session.asks.length > 0 && connected();
  const [asks, setAsks] = createSignal<AsksHandle>();
  const running = () => ['running', 'retrying', 'limited', 'stalled', 'starting'].includes(name());
  const busy = () => running() || asking() || name() === 'stopping';
  // A session is shown once the height of its dock is known, so that nothing moves afterwards.
  const [formed, setFormed] = createSignal(false);
  const alone = props.settled !== false;
  createEffect(() => {
    const state = props.session.state();
    if (props.line.phase === 'lost') setFormed(true);
    if (!state || formed() || props.settled === false) return;
    // The transcript is positioned before the dock is shown.
    const form = () =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (dock.isConnected && !formed() && dock.querySelector('[data-form="loading"]')) form();
          else setFormed(true);
        }),
      );
    if (state.asks.length > 0) {
      if (asks()?.showing() && asks()?.formed()) form();
      return;
    }
    if (hasBody(name())) void bodyLoaded().then(form, form);
    else if (alone) setFormed(true);
    else form();
  });
  const patience = setTimeout(() => setFormed(true), FORM_TIMEOUT);
  onCleanup(() => clearTimeout(patience));
  let box: ComposerHandle | undefined;
  let dock!: HTMLDivElement;

  const interrupt = () => {
    void props.client.commands.send({ type: 'interrupt', sessionId: id() }).catch(() => undefined);
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.repeat || event.isComposing || event.defaultPrevented || !here()) return;
    const inside = dock.contains(document.activeElement);
    const open = asks();
    const what = escapeStep({
      covered: document.querySelector('dialog[open], [popover]:popover-open:not(.tip)') !== null,
      elsewhere: !inside && writesNow(),
      textInBox: (box?.hasFocus() ?? false) && box?.text() !== '',
      shift: event.shiftKey,
      ask: open && asking() ? { focused: open.hasFocus(), alone: open.count() === 1, folded: open.folded(), mayDecide: open.mayDecide() } : null,
      running: running() && name() !== 'starting' && props.line.phase === 'up' && props.client.may('operate'),
    });
    if (what === 'none') return;
    event.preventDefault();
    if (what === 'clear') box?.clear();
    else if (what === 'interrupt') interrupt();
    else open?.dismiss(what === 'deny-stop', performance.now());
  };
  onMount(() => {
    document.addEventListener('keydown', leave);
    onCleanup(() => document.removeEventListener('keydown', leave));
  });

  const handle: DockHandle = {
    focusBox: () => box?.focus(),
    focusGate: () => {
      if (asking()) asks()?.focus();
      else (dock.querySelector<HTMLElement>('.gate button') ?? dock.querySelector<HTMLElement>('textarea'))?.focus();
    },
    focusAsk: () => {
      if (!asking()) return false;
      asks()?.focus();
      return true;
    },
    addToBox: (text) => box?.add(text),
  };
  props.handle?.(handle);
  useKeys({
    ask: () => here() && handle.focusAsk(),
    box: () => {
      if (!here()) return false;
      handle.focusBox();
      return true;
    },
  });

  // Announced to screen readers once: end of a turn, exit, connection lost and restored.
  createEffect(
    on(name, (now, was) => {
      if (was === undefined || !here()) return;
      if (now === 'crashed') announce(standing()?.word ?? '');
      else if ((now === 'idle' || now === 'unread') && ['running', 'stopping', 'waiting', 'stalled', 'retrying'].includes(was)) announce(t('asks.turnOver'));
      else if (now === 'stalled') announce(standing()?.word ?? '');
    }),
  );
  createEffect(
    on(
      () => props.line.phase,
      (now, was) => {
        if (was === undefined || !here()) return;
        if (now === 'lost') announce(t('asks.notConnected'));
        else if (now === 'up' && was === 'lost') announce(t('asks.connectedAgain'));
      },
    ),
  );

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

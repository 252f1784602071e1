// The state of the dock: what it shows, when it is shown, Escape, and announcements.
import { createEffect, createMemo, createSignal, on, onCleanup, onMount, type Accessor } from 'solid-js';
import { t } from '../text';
import { announce } from '../ui';
import type { DockParts, DockProps } from './Dock';
import { bodyLoaded, hasBody } from './Gate';
import { escapeStep } from './rules';
import { sessionStanding } from './sessionStanding';
import type { Standing } from './standing';
import { writesNow } from './typing';

/** Milliseconds after which the dock is shown without the form of its request. */
const FORM_TIMEOUT = 3_000;

export interface DockState {
  readonly standing: Accessor<Standing | null>;
  readonly name: Accessor<Standing['name']>;
  /** This session has the focus of the page. */
  readonly here: Accessor<boolean>;
  /** A request is open and can be answered. */
  readonly asking: Accessor<boolean>;
  readonly running: Accessor<boolean>;
  /** Messages are queued. */
  readonly busy: Accessor<boolean>;
}

export function createDock(props: DockProps): DockState {
  const standing = createMemo(() => sessionStanding(props));
  const name = () => standing()?.name ?? 'idle';
  const connected = () => props.line.phase === 'up' || props.line.phase === 'connecting';
  const asking = () => props.session.asks.length > 0 && connected();
  const running = () => ['running', 'retrying', 'limited', 'stalled', 'starting'].includes(name());
  return { standing, name, here: () => props.here !== false, asking, running, busy: () => running() || asking() || name() === 'stopping' };
}

/**
 * Returns whether the dock may be shown: a session is shown once the height of its dock is known, so that nothing moves
 * afterwards.
 */
export function createForming(props: DockProps, { name }: DockState, { dock, asks }: DockParts, alone: boolean): Accessor<boolean> {
  const [formed, setFormed] = createSignal(false);
  createEffect(() => {
    const state = props.session.state();
    if (props.line.phase === 'lost') setFormed(true);
    if (!state || formed() || props.settled === false) return;
    // The transcript is positioned before the dock is shown.
    const form = () =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (dock().isConnected && !formed() && dock().querySelector('[data-form="loading"]')) form();
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
  return formed;
}

/** Escape: clears the box, denies the request, or interrupts the turn. */
export function listenForEscape(props: DockProps, { name, here, asking, running }: DockState, { dock, asks, box: boxOf }: DockParts): void {
  const interrupt = () => {
    void props.client.commands.send({ type: 'interrupt', sessionId: props.session.store.id }).catch(() => undefined);
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.repeat || event.isComposing || event.defaultPrevented || !here()) return;
    const inside = dock().contains(document.activeElement);
    const open = asks();
    const box = boxOf();
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
}

/** Announces to screen readers once: the end of a turn, an exit, the connection lost and restored. */
export function announceStanding(props: DockProps, { standing, name, here }: DockState): void {
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
}

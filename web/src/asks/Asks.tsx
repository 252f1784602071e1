// The permission requests, questions and forms of a session, one at a time, oldest first, never on top of the
// transcript.
import { createEffect, createMemo, createSignal, on, Show, type JSX } from 'solid-js';
import type { AskInfo, Diff, JsonValue } from '../api/types';
import { Guard } from '../gate/rules';
import { askWords } from '../gate/standing';
import { capsOf } from '../keys/keymap';
import type { Client, Line, SessionView } from '../protocol';
import { textOfTarget } from '../transcript/cards/summary';
import { t } from '../text';
import { age } from '../text/format';
import { announce, Button, IconButton, Kbd, StateGlyph } from '../ui';
import { AskForm, preloadForms } from './AskForm';
import { createAskFocus, type AskFocus } from './focus';
import { AskForms } from './forms';
import { createFormKeys, listenForAsk, onAskKey, onPull, type KeyTarget } from './keys';
import { Resolved } from './Resolved';
import { createShownAsk, type ShownAsk } from './shown';
import './asks.css';

/** What the dock can do with the requests. */
export interface AsksHandle {
  /** Unfolds the request and moves the focus to it. */
  focus: () => void;
  hasFocus: () => boolean;
  folded: () => boolean;
  count: () => number;
  /** True if the form of the request is rendered, or there is no form to render. */
  formed: () => boolean;
  /** True while a request is rendered. */
  showing: () => boolean;
  mayDecide: () => boolean;
  /** Denies, skips or cancels the request that is shown. Returns false if the key was ignored. */
  dismiss: (stop: boolean, now: number) => boolean;
}

export interface AsksProps {
  client: Client;
  session: SessionView;
  line: Line;
  now: number;
  /** The session has the focus of the page: a request may take it. */
  here: boolean;
  handle?: ((handle: AsksHandle) => void) | undefined;
  takeBoxText: () => string;
  /** Receives the typed text of a request that was answered elsewhere. */
  onLeftover: (text: string) => void;
  diffOf?: ((ask: AskInfo, input: JsonValue | null) => Promise<Diff>) | undefined;
}

/** The subject of a request in a few words: a path, a command, a question. */
export function askTarget({ card, request }: AskInfo): string {
  if (card?.body.type === 'question') return card.body.questions[0] ?? '';
  return (card && textOfTarget(card)) || (typeof request['message'] === 'string' ? request['message'] : '');
}

const announced = new Set<string>();

/** Announces each request to screen readers once. */
function announceAsks(props: AsksProps): void {
  const asks = () => props.session.asks;
  createEffect(
    on(
      () =>
        asks()
          .map((ask) => ask.ask)
          .join('\n'),
      () => {
        for (const ask of asks()) {
          if (announced.has(ask.ask)) continue;
          announced.add(ask.ask);
          if (props.here) announce(`${askWords(ask)}: ${askTarget(ask)}`, 'assertive');
        }
      },
    ),
  );
}

/** Fetches the forms as soon as the session is active, so that they are ready when a request arrives. */
function preloadWhenActive(props: AsksProps): void {
  const active = createMemo(() => props.line.phase === 'up' && ['starting', 'running', 'waiting'].includes(props.session.state()?.info.standing ?? ''));
  createEffect(() => {
    if (active()) preloadForms();
  });
}

/** Returns the focus when the last request was answered, and reads it again when another one is shown. */
function followFocus(ask: ShownAsk, focus: AskFocus): void {
  createEffect(
    on(ask.shown, (now, was) => {
      if (was && !now) focus.restore();
    }),
  );
  createEffect(on(() => ask.current()?.ask, focus.look));
}

export function Asks(props: AsksProps): JSX.Element {
  const forms = new AskForms(props.client.shelf);
  const [folded, setFolded] = createSignal(false);
  const leftovers = new Map<string, () => string>();
  const guard = new Guard(performance.now());
  const focus = createAskFocus(() => props.here);
  const ask = createShownAsk(
    props,
    (frozen) => {
      const text = leftovers.get(frozen.ask)?.() ?? '';
      if (text.trim() !== '') props.onLeftover(text);
      forms.forget(frozen.ask);
    },
    focus.restore,
  );
  const may = () => props.client.may('approve') && props.line.phase === 'up' && ask.frozen() === null;
  preloadWhenActive(props);
  announceAsks(props);
  followFocus(ask, focus);
  const { keys, formed, setKeys } = createFormKeys(guard);
  const enter = () => {
    setFolded(false);
    focus.enter();
  };
  const fold = () => {
    setFolded(true);
    focus.restore();
  };
  const target: KeyTarget = {
    keys,
    guard,
    may,
    reachable: () => props.here && !folded() && ask.current() !== null && focus.dialog() !== undefined && !focus.inside(),
    enter,
    fold,
  };
  listenForAsk(target);
  props.handle?.({
    focus: enter,
    folded,
    count: () => props.session.asks.length,
    showing: () => ask.current() !== null,
    formed: () => ask.current() === null || folded() || formed(),
    mayDecide: may,
    hasFocus: focus.inside,
    dismiss: (stop, now) => {
      const act = keys();
      if (!act || !may() || !guard.accept(now)) return false;
      if (stop) act.dismissAndStop();
      else act.dismiss();
      return true;
    },
  });
  return (
    <Show when={ask.current()}>
      {(now) => (
        <Show when={!folded()} fallback={<FoldedAsk ask={now()} now={props.now} onOpen={enter} />}>
          <Show keyed when={`${ask.frozen() ? 'frozen' : 'open'} ${now().ask}`}>
            <AskBox {...props} ask={now()} shown={ask} focus={focus} target={target}>
              <AskForm
                {...props}
                ask={now()}
                forms={forms}
                may={may}
                guard={guard}
                setKeys={setKeys}
                setLeftover={(of, text) => void leftovers.set(of, text)}
                answered={ask.answered}
              />
            </AskBox>
          </Show>
        </Show>
      )}
    </Show>
  );
}

/** One line while a request is folded. */
function FoldedAsk(props: { ask: AskInfo; now: number; onOpen: () => void }): JSX.Element {
  return (
    <div class="gate warn" data-standing="waiting">
      <StateGlyph shape="down" />
      <span class="what">{askWords(props.ask)}</span>
      <span class="grow trunc">
        <span class="mono">{askTarget(props.ask)}</span> · {age(Math.max(0, props.now - props.ask.at))} · {t('asks.folded')}
      </span>
      <Button small hotkey="A" onClick={props.onOpen}>
        {t('asks.open')}
      </Button>
    </div>
  );
}

interface BoxProps extends AsksProps {
  ask: AskInfo;
  shown: ShownAsk;
  focus: AskFocus;
  target: KeyTarget;
  /** The form. */
  children: JSX.Element;
}

/** The dialog of a request: its head and form, or what became of it. It is rendered anew for each request. */
function AskBox(props: BoxProps): JSX.Element {
  const frozen = props.shown.frozen() !== null;
  const id = props.ask.ask;
  const mount = (element: HTMLElement) => {
    props.target.guard.restart(performance.now());
    props.focus.mount(element);
  };
  return (
    <section
      ref={mount}
      class="askbox"
      classList={{ frozen, 'keys-off': props.focus.where() !== 'ask' }}
      role="dialog"
      aria-modal="false"
      tabIndex={-1}
      data-ask={id}
      data-kind={props.ask.kind}
      aria-labelledby={frozen ? undefined : `ask-title-${id}`}
      aria-label={frozen ? askWords(props.ask) : undefined}
      aria-describedby={frozen ? undefined : `ask-why-${id}`}
      on:keydown={{ handleEvent: (event: KeyboardEvent) => onAskKey(event, props.target), capture: true }}
      onFocusOut={(event) => {
        const box = event.currentTarget;
        if (frozen && box.isConnected && !(event.relatedTarget instanceof Node && box.contains(event.relatedTarget))) props.shown.thaw();
      }}
    >
      <Show when={!frozen} fallback={<Resolved outcome={props.shown.outcome()} now={props.now} />}>
        <AskHead {...props} />
        {props.children}
      </Show>
    </section>
  );
}

function AskHead(props: Omit<BoxProps, 'children'>): JSX.Element {
  const { focus, target, shown } = props;
  const asks = () => props.session.asks;
  return (
    <div class="askhead" onPointerDown={(event) => onPull(event, target.fold)}>
      <StateGlyph shape="down" />
      <span class="what">{askWords(props.ask)}</span>
      <span class="age">{age(Math.max(0, props.now - props.ask.at))}</span>
      <span class="grow" />
      <Show when={focus.where() !== 'ask' && target.may()}>
        <span class="keyway not-phone">
          {t('asks.byKeyboard')} <Kbd keys={focus.where() === 'field' ? capsOf('regionBack') : capsOf('ask')} />
        </span>
      </Show>
      <Show when={asks().length > 1}>
        <span class="nth">{t('asks.nth', { n: shown.place() + 1, of: asks().length })}</span>
        <IconButton small class="prev" icon="back" label={t('asks.previous')} onClick={() => shown.move(-1)} />
        <IconButton small icon="chevron" label={t('asks.next')} onClick={() => shown.move(1)} />
      </Show>
      <IconButton small icon="down" label={t('asks.fold')} hotkey="Z" onClick={target.fold} />
    </div>
  );
}

// The permission requests, questions and forms of a session, one at a time, oldest first, never on top of the
// transcript. A request takes the focus only if the user is not typing; the focus goes to the dialog, not to a button,
// and returns afterwards.
import { createEffect, createMemo, createSignal, ErrorBoundary, Match, on, onCleanup, onMount, Show, Suspense, Switch, type JSX } from 'solid-js';
import { lazy } from '../ui/part';
import type { AskInfo, Diff, JsonValue, Own } from '../api/types';
import { Guard, mayTakeFocus } from '../gate/rules';
import { askWords } from '../gate/standing';
import { focusNow, isPhone, writesNow } from '../gate/typing';
import { capsOf } from '../keys/keymap';
import type { Client, Line, SessionView } from '../protocol';
import { t } from '../text';
import { age, clock } from '../text/format';
import { announce, Button, IconButton, Kbd, StateGlyph } from '../ui';
import { createContext, type AskKeys } from './context';
import { AskForms } from './forms';
import { inputOf } from './inputs';
import './asks.css';

const kinds = () => import('./kinds');
const PermissionAsk = lazy(async () => ({ default: (await kinds()).PermissionAsk }));
const QuestionForm = lazy(async () => ({ default: (await kinds()).QuestionForm }));
const PlanReview = lazy(async () => ({ default: (await kinds()).PlanReview }));
const Elicitation = lazy(async () => ({ default: (await kinds()).Elicitation }));
const OtherAsk = lazy(async () => ({ default: (await kinds()).OtherAsk }));

/** How long a request that was answered elsewhere stays visible, in milliseconds. */
export const FROZEN_FOR = 4_000;

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

type Outcome = Extract<Own, { type: 'sluice_ask' }>;
interface Shown {
  ask: AskInfo;
  frozen: boolean;
}
const announced = new Set<string>();

/** The subject of a request in a few words: a path, a command, a question. */
export function askTarget(ask: AskInfo): string {
  const input = inputOf(ask.request);
  const questions = input['questions'];
  for (const key of ['file_path', 'notebook_path', 'command', 'url', 'path', 'pattern', 'query'])
    if (typeof input[key] === 'string') return input[key] as string;
  if (Array.isArray(questions)) return String((questions[0] as { question?: unknown } | undefined)?.question ?? '');
  return typeof ask.request['message'] === 'string' ? ask.request['message'] : '';
}

export function Asks(props: AsksProps): JSX.Element {
  const forms = new AskForms(props.client.shelf);
  const asks = () => props.session.asks;
  const [chosen, setChosen] = createSignal<string | null>(null);
  const [folded, setFolded] = createSignal(false);
  const [thawed, setThawed] = createSignal<string | null>(null);
  // The keys of an ask work while it has the focus. Otherwise the key caps are hidden, and a shortcut to the ask is shown.
  const [focus, setFocus] = createSignal<'ask' | 'field' | 'page'>('page');
  const noteFocus = () => setFocus(dialog?.contains(document.activeElement) ? 'ask' : writesNow() ? 'field' : 'page');
  const answered = new Set<string>();
  let dialog: HTMLElement | undefined;
  let returnTo: Element | null = null;
  let keys: AskKeys | null = null;
  const leftovers = new Map<string, () => string>();
  let guard = new Guard(performance.now());

  const lost = () => props.line.phase === 'lost' || props.line.phase === 'unpaired';
  // The request that is shown stays the same when others arrive or are answered. One that was answered elsewhere stays
  // visible for `FROZEN_FOR`.
  const shown = createMemo<Shown | null>((last) => {
    const list = asks();
    if (last && !list.some((ask) => ask.ask === last.ask.ask) && !answered.has(last.ask.ask) && thawed() !== last.ask.ask)
      return last.frozen ? last : { ask: copy(last.ask), frozen: true };
    const next = list.find((ask) => ask.ask === chosen()) ?? list.find((ask) => ask.ask === last?.ask.ask) ?? list[0];
    return next ? (last && !last.frozen && last.ask === next ? last : { ask: next, frozen: false }) : null;
  }, null);
  const frozen = () => {
    const one = shown();
    return one?.frozen ? one.ask : null;
  };
  // While disconnected, the gate shows the connection instead. The form keeps its values.
  const current = () => (lost() ? null : (shown()?.ask ?? null));
  const place = () => asks().findIndex((ask) => ask.ask === current()?.ask);
  const may = () => props.client.may('approve') && props.line.phase === 'up' && frozen() === null;

  // Preloads the form as soon as the session is active, so that it is ready when a request arrives.
  const active = createMemo(() => props.line.phase === 'up' && ['starting', 'running', 'waiting'].includes(props.session.state()?.info.standing ?? ''));
  createEffect(() => {
    if (active()) void PermissionAsk.preload();
  });

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
  const thaw = () => {
    const one = frozen();
    if (!one) return;
    setThawed(one.ask);
    restoreFocus();
  };
  createEffect(
    on(frozen, (ask) => {
      if (!ask) return;
      const text = leftovers.get(ask.ask)?.() ?? '';
      if (text.trim() !== '') props.onLeftover(text);
      forms.forget(ask.ask);
      const timer = setTimeout(thaw, FROZEN_FOR);
      onCleanup(() => clearTimeout(timer));
    }),
  );
  const outcome = createMemo<Outcome | null>(() => {
    const ask = frozen();
    if (!ask) return null;
    const records = props.session.records();
    for (let index = records.length - 1; index >= 0; index -= 1) {
      const what = records[index]?.what;
      if (what?.type === 'sluice_ask' && (what as Outcome).ask === ask.ask) return what as Outcome;
    }
    return null;
  });

  const restoreFocus = () => {
    if (!dialog?.contains(document.activeElement) && document.activeElement !== document.body && document.activeElement !== null) return;
    const back = returnTo;
    returnTo = null;
    if (back instanceof HTMLElement && back.isConnected && !dialog?.contains(back)) back.focus({ preventScroll: true });
  };
  // Returns the focus when the last request was answered.
  createEffect(
    on(shown, (now, was) => {
      if (was && !now) restoreFocus();
    }),
  );
  const enter = () => {
    setFolded(false);
    queueMicrotask(() => {
      if (!dialog) return;
      if (!dialog.contains(document.activeElement)) returnTo = document.activeElement;
      dialog.focus({ preventScroll: true });
    });
  };
  const onDialogMounted = (element: HTMLElement) => {
    dialog = element;
    guard = new Guard(performance.now());
    const away = !document.hasFocus() || document.querySelector('dialog[open]') !== null;
    if (!folded() && !away && !isPhone() && mayTakeFocus({ ...focusNow(), here: props.here })) {
      returnTo = document.activeElement === document.body ? returnTo : document.activeElement;
      queueMicrotask(() => element.isConnected && element.focus({ preventScroll: true }));
    }
  };
  // The guard starts when the form is rendered: before that, no key can be meant for the request.
  const [formOf, setFormOf] = createSignal(false);
  const ready = (next: AskKeys | null) => {
    keys = next;
    setFormOf(next !== null);
    if (next) guard = new Guard(performance.now());
  };
  const move = (step: number) => {
    const next = asks()[(place() + step + asks().length) % asks().length];
    if (next) setChosen(next.ask);
  };
  const fold = (on: boolean) => {
    setFolded(on);
    if (on) restoreFocus();
    else enter();
  };

  props.handle?.({
    focus: enter,
    folded,
    count: () => asks().length,
    showing: () => current() !== null,
    formed: () => current() === null || folded() || formOf(),
    mayDecide: may,
    hasFocus: () => dialog?.contains(document.activeElement) ?? false,
    dismiss: (stop, now) => {
      if (!keys || !may() || !guard.accept(now)) return false;
      if (stop) keys.dismissAndStop();
      else keys.dismiss();
      return true;
    },
  });

  /** Folds the request when its head is pulled down on a touch screen. */
  const pull = (down: PointerEvent) => {
    if (down.pointerType !== 'touch') return;
    const end = (up: PointerEvent) => {
      if (up.type === 'pointerup' && up.clientY - down.clientY > 40) fold(true);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
    };
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    // Ignores keys that were pressed for something else.
    if (!['Tab', 'Shift', 'Control', 'Alt', 'Meta'].includes(event.key) && !guard.accept(performance.now())) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat) {
      event.preventDefault();
      if (may()) keys?.primary();
      return;
    }
    const digit = digitOf(event);
    const field =
      event.target instanceof HTMLTextAreaElement ||
      event.target instanceof HTMLSelectElement ||
      (event.target instanceof HTMLInputElement && !['checkbox', 'radio'].includes(event.target.type));
    if (!field && digit !== null && keys?.digit && may()) {
      event.preventDefault();
      keys.digit(digit);
      return;
    }
    if (!field && !event.ctrlKey && !event.metaKey && !event.altKey && event.key.toLowerCase() === 'z') {
      event.preventDefault();
      fold(true);
    }
  };

  const digitOf = (event: KeyboardEvent): number | null =>
    /^[1-9]$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat ? Number(event.key) : null;
  /** Keys that are pressed elsewhere on the page: a digit chooses an option, Ctrl Enter moves the focus to the request. */
  const onPageKey = (event: KeyboardEvent) => {
    if (!props.here || folded() || !current() || !dialog || !may() || event.defaultPrevented || event.isComposing || dialog.contains(document.activeElement))
      return;
    if (document.querySelector('dialog[open], [popover]:popover-open:not(.tip)') !== null) return;
    const digit = digitOf(event);
    if (digit !== null && keys?.digit && !writesNow()) {
      event.preventDefault();
      enter();
      if (guard.accept(performance.now())) queueMicrotask(() => keys?.digit?.(digit));
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat && !focusNow().text) {
      event.preventDefault();
      guard = new Guard(performance.now());
      enter();
    }
  };
  onMount(() => {
    const moved = () => queueMicrotask(noteFocus);
    document.addEventListener('keydown', onPageKey);
    document.addEventListener('focusin', moved);
    document.addEventListener('focusout', moved);
    onCleanup(() => {
      document.removeEventListener('keydown', onPageKey);
      document.removeEventListener('focusin', moved);
      document.removeEventListener('focusout', moved);
    });
  });
  createEffect(
    on(
      () => current()?.ask,
      () => queueMicrotask(noteFocus),
    ),
  );

  return (
    <Show when={current()}>
      {(now) => (
        <Show
          when={!folded()}
          fallback={
            <div class="gate warn" data-standing="waiting">
              <StateGlyph shape="down" />
              <span class="what">{askWords(now())}</span>
              <span class="grow trunc">
                <span class="mono">{askTarget(now())}</span> · {age(Math.max(0, props.now - now().at))} · {t('asks.folded')}
              </span>
              <Button small hotkey="A" onClick={enter}>
                {t('asks.open')}
              </Button>
            </div>
          }
        >
          <Show keyed when={`${frozen() ? 'frozen' : 'open'} ${now().ask}`}>
            {(which) => (
              <section
                ref={onDialogMounted}
                class="askbox"
                classList={{ frozen: frozen() !== null, 'keys-off': focus() !== 'ask' }}
                role="dialog"
                aria-modal="false"
                tabIndex={-1}
                data-ask={now().ask}
                data-kind={now().kind}
                aria-labelledby={frozen() ? undefined : `ask-title-${now().ask}`}
                aria-label={frozen() ? askWords(now()) : undefined}
                aria-describedby={frozen() ? undefined : `ask-why-${now().ask}`}
                on:keydown={{ handleEvent: onKeyDown, capture: true }}
                onFocusOut={(event) => {
                  if (
                    which.startsWith('frozen') &&
                    event.currentTarget.isConnected &&
                    !(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))
                  )
                    thaw();
                }}
              >
                <Show when={frozen() === null} fallback={<Resolved outcome={outcome()} now={props.now} />}>
                  <div class="askhead" onPointerDown={pull}>
                    <StateGlyph shape="down" />
                    <span class="what">{askWords(now())}</span>
                    <span class="age">{age(Math.max(0, props.now - now().at))}</span>
                    <span class="grow" />
                    <Show when={focus() !== 'ask' && may()}>
                      <span class="keyway not-phone">
                        {t('asks.byKeyboard')} <Kbd keys={focus() === 'field' ? capsOf('regionBack') : capsOf('ask')} />
                      </span>
                    </Show>
                    <Show when={asks().length > 1}>
                      <span class="nth">{t('asks.nth', { n: place() + 1, of: asks().length })}</span>
                      <IconButton small class="prev" icon="back" label={t('asks.previous')} onClick={() => move(-1)} />
                      <IconButton small icon="chevron" label={t('asks.next')} onClick={() => move(1)} />
                    </Show>
                    <IconButton small icon="down" label={t('asks.fold')} hotkey="Z" onClick={() => fold(true)} />
                  </div>
                  <Form
                    ask={now()}
                    {...props}
                    forms={forms}
                    may={may}
                    guard={() => guard}
                    setKeys={ready}
                    setLeftover={(ask, text) => {
                      leftovers.set(ask, text);
                    }}
                    answered={(ask, here) => {
                      if (here) answered.add(ask);
                      else answered.delete(ask);
                    }}
                  />
                </Show>
              </section>
            )}
          </Show>
        </Show>
      )}
    </Show>
  );
}

/** Copies a request as it was when it was shown; its record may change. */
const copy = (ask: AskInfo): AskInfo => JSON.parse(JSON.stringify(ask)) as AskInfo;

interface FormProps extends Omit<AsksProps, 'handle'> {
  ask: AskInfo;
  forms: AskForms;
  may: () => boolean;
  guard: () => Guard;
  setKeys: (keys: AskKeys | null) => void;
  setLeftover: (ask: string, text: () => string) => void;
  answered: (ask: string, here: boolean) => void;
}

function Form(props: FormProps): JSX.Element {
  const sessionId = props.session.store.id;
  const context = createContext({
    client: props.client,
    sessionId,
    ask: copy(props.ask),
    project: props.session.state()?.info.projectPath ?? props.client.list.get(sessionId)?.projectPath ?? '',
    may: props.may,
    forms: props.forms,
    guard: { accept: (now: number) => props.guard().accept(now), open: (now: number) => props.guard().open(now) } as Guard,
    diffOf: props.diffOf ?? ((ask, input) => props.client.commands.send({ type: 'diff', sessionId, toolUseId: ask.toolUseId ?? ask.ask, input })),
    setKeys: props.setKeys,
    setLeftover: (text) => props.setLeftover(props.ask.ask, text),
    takeBoxText: props.takeBoxText,
    answered: props.answered,
  });
  onCleanup(() => props.setKeys(null));
  return (
    <>
      <ErrorBoundary
        fallback={
          <div class="askfoot" role="alert">
            <span class="grow">{t('asks.formMissing')}</span>
            <Button onClick={() => location.reload()}>{t('asks.reload')}</Button>
          </div>
        }
      >
        <Suspense
          fallback={
            <p class="asknote dim" data-form="loading">
              {t('asks.formComes')}
            </p>
          }
        >
          <Switch fallback={<OtherAsk context={context} />}>
            <Match when={props.ask.kind === 'tool'}>
              <PermissionAsk context={context} />
            </Match>
            <Match when={props.ask.kind === 'question'}>
              <QuestionForm context={context} />
            </Match>
            <Match when={props.ask.kind === 'plan'}>
              <PlanReview context={context} />
            </Match>
            <Match when={props.ask.kind === 'elicitation'}>
              <Elicitation context={context} />
            </Match>
          </Switch>
        </Suspense>
      </ErrorBoundary>
      <Show when={context.act.problem()}>
        {(why) => (
          <p class="askfoot t-bad" role="alert">
            {why()}
          </p>
        )}
      </Show>
    </>
  );
}

/** Shows briefly that a request was answered elsewhere, withdrawn or expired. */
function Resolved(props: { outcome: Outcome | null; now: number }): JSX.Element {
  const since = Date.now();
  const [tick, setTick] = createSignal(Date.now());
  onMount(() => {
    const timer = setInterval(() => setTick(Date.now()), 1_000);
    onCleanup(() => clearInterval(timer));
  });
  const words = (): [string, string] => {
    const one = props.outcome;
    if (!one) return [t('asks.noLonger'), t('asks.nothingLeft')];
    const ago = t('asks.ago', { age: age(tick() - since) });
    switch (one.outcome) {
      case 'allowed':
        return [
          one.by ? t('asks.answeredOn', { who: one.by }) : t('asks.answeredElsewhere'),
          [one.changed ? t('asks.allowedChanged') : t('asks.allowedOnce'), ago, t('asks.nothingLeft')].join(' · '),
        ];
      case 'denied':
        return [
          one.by ? t('asks.answeredOn', { who: one.by }) : t('asks.answeredElsewhere'),
          [t('asks.denied'), one.message, ago, t('asks.nothingLeft')].filter(Boolean).join(' · '),
        ];
      case 'expired':
        return [t('asks.expired'), t('asks.expiredAt', { time: clock(since) })];
      default:
        return [t('asks.noLonger'), t('asks.withdrawnAt', { time: clock(since) })];
    }
  };
  onMount(() => announce(words().join('. ')));
  return (
    <div class="gate mute">
      <StateGlyph shape="down" tone="dim" />
      <span class="what">{words()[0]}</span>
      <span class="grow trunc">{words()[1]}</span>
    </div>
  );
}

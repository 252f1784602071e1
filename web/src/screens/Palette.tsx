// Ctrl K: opens a session, message or screen, or performs an action. One list, arrow keys and Enter.
import '../text/places';
import { createEffect, createMemo, createSignal, createUniqueId, For, onCleanup, onMount, Show, type JSX } from 'solid-js';
import type { SearchHit } from '../api/types';
import { Icon, type IconName } from '../ui';
import { t } from '../text';
import { capsOf, type Action } from '../keys/keymap';
import { perform } from '../keys/listen';
import { go, route, sessionHref, hitHref } from '../route/route';
import { createAsked } from './asked';
import { entries, titleOf } from './Dialogs';
import { folderName, group, rowAge } from './groups';
import { infoOf, now, request, sessions, unread, up } from './link';
import { spots } from './Rail';
import { Glyph } from './Standing';
import { actionWord } from './words';
import './palette.css';

interface Line {
  key: string;
  words: string;
  draw: JSX.Element;
  note: string;
  run: () => void;
}

/**
 * Scores a fuzzy match: higher if the letters are close together and near the start of a word; null if they do not all
 * occur in order.
 */
export function score(text: string, query: string): number | null {
  if (!query) return 0;
  const where = text.toLowerCase();
  let at = -1;
  let sum = 0;
  for (const letter of query.toLowerCase()) {
    if (letter === ' ') continue;
    const next = where.indexOf(letter, at + 1);
    if (next < 0) return null;
    const begins = next === 0 || /[\s/_\-.:]/.test(where[next - 1] ?? '');
    sum += next === at + 1 ? 4 : begins ? 3 : 1;
    sum -= Math.min(3, (next - at - 1) * 0.1);
    at = next;
  }
  return sum + (where.includes(query.toLowerCase()) ? 10 : 0) - where.length * 0.01;
}

const DOES: readonly Action[] = ['new', 'nextNeed', 'panel', 'find', 'keys'];

/** Closes the palette, then performs the action. */
type Closing = (run: () => void) => () => void;

const iconLine = (key: string, words: string, name: IconName, note: string, run: () => void): Line => ({
  key,
  words,
  note,
  run,
  draw: (
    <>
      <Icon name={name} />
      <span class="grow trunc">{words}</span>
    </>
  ),
});

function sessionLines(query: string, closeAnd: Closing): Line[] {
  const by = group(sessions(), unread);
  const all = [...by.needs, ...by.running, ...by.idle, ...by.elsewhere, ...(query ? by.archived : [])];
  return all.slice(0, query ? undefined : 8).map(
    (one): Line => ({
      key: `s-${one.sessionId}`,
      words: `${titleOf(one)} ${folderName(one.projectPath)}`,
      note: rowAge(one, now()),
      run: closeAnd(() => go(sessionHref(one.sessionId))),
      draw: (
        <>
          <Glyph info={one} />
          <span class="trunc">{titleOf(one)}</span>
          <span class="grow mono dim trunc">{folderName(one.projectPath)}</span>
        </>
      ),
    }),
  );
}

function actionLines(query: string, closeAnd: Closing): Line[] {
  const here = route();
  const info = here.at === 'session' ? infoOf(here.id) : undefined;
  const line = (key: string, words: string, name: IconName, note: string, run: () => void) => iconLine(key, words, name, note, closeAnd(run));
  return [
    ...(query && info
      ? entries(info)
          .filter((entry) => entry !== 'separator')
          .map((entry) => line(`m-${entry.label}`, entry.label, entry.icon ?? 'dots', titleOf(info), entry.onSelect))
      : []),
    ...DOES.map((one) => line(`d-${one}`, actionWord(one), 'chevron', capsOf(one), () => queueMicrotask(() => perform(one)))),
    ...spots.map((spot) => line(`p-${spot.at}`, spot.word(), spot.icon, '', () => go(spot.href))),
  ];
}

const hitLine =
  (closeAnd: Closing) =>
  (hit: SearchHit): Line => ({
    key: `h-${hit.sessionId}-${hit.record}`,
    words: '',
    note: hit.title ?? '',
    run: closeAnd(() => go(hitHref(hit.sessionId, hit.record))),
    draw: (
      <>
        <Icon name="grep" />
        <span class="grow trunc">
          <For each={hit.snippet}>{(piece, i) => (i() % 2 ? <mark>{piece}</mark> : piece)}</For>
        </span>
      </>
    ),
  });

/** The lines for a query: the best matches, then messages that contain it. */
function linesFor(query: string, hits: readonly SearchHit[], closeAnd: Closing): Line[] {
  const choices = [...sessionLines(query, closeAnd), ...actionLines(query, closeAnd)];
  if (!query) return choices;
  const ranked = choices
    .map((one) => ({ one, n: score(one.words, query) }))
    .filter((entry): entry is { one: Line; n: number } => entry.n !== null)
    .sort((a, b) => b.n - a.n)
    .slice(0, 14)
    .map((entry) => entry.one);
  return [...ranked, ...hits.map(hitLine(closeAnd))];
}

export default function Palette(props: { onClose: () => void }): JSX.Element {
  const [text, setText] = createSignal('');
  const [at, setAt] = createSignal(0);
  const id = createUniqueId();
  let dialog!: HTMLDialogElement;
  let field!: HTMLInputElement;
  const [typed, setTyped] = createSignal('');
  let timer = 0;
  onCleanup(() => clearTimeout(timer));
  const [hits] = createAsked(
    () => (typed().length >= 2 && up() ? typed() : null),
    (query) =>
      request({ type: 'search', text: query, limit: 8 }).then(
        (answer) => answer.hits,
        () => [],
      ),
  );
  onMount(() => {
    dialog.showModal();
    field.focus();
  });
  const close = () => props.onClose();
  const closeAnd = (run: () => void) => () => {
    close();
    run();
  };
  const lines = createMemo(() => linesFor(text().trim(), hits.latest ?? [], closeAnd));
  createEffect(() => {
    if (at() >= lines().length) setAt(Math.max(0, lines().length - 1));
  });
  createEffect(() => document.getElementById(`${id}-${at()}`)?.scrollIntoView({ block: 'nearest' }));
  const search = (next: string) => {
    setText(next);
    setAt(0);
    clearTimeout(timer);
    timer = window.setTimeout(() => setTyped(text().trim()), 180);
  };
  return (
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label={t('places.palette')}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClose={close}
      onPointerDown={(event) => {
        if (event.target === dialog) close();
      }}
    >
      <div class="palette-in">
        <Search
          id={id}
          text={text()}
          lines={lines()}
          at={at()}
          onAt={setAt}
          onText={search}
          ref={(element) => {
            field = element;
          }}
        />
        <div class="palette-list" role="listbox" id={`${id}-list`} aria-label={t('places.palette')}>
          <For each={lines()}>{(one, i) => <Row id={`${id}-${i()}`} line={one} selected={i() === at()} onPoint={() => setAt(i())} />}</For>
        </div>
        <Show when={lines().length === 0}>
          <p class="none">{t('places.paletteNone')}</p>
        </Show>
      </div>
    </dialog>
  );
}

function Search(props: {
  id: string;
  text: string;
  lines: readonly Line[];
  at: number;
  onAt: (at: number) => void;
  onText: (text: string) => void;
  ref: (field: HTMLInputElement) => void;
}): JSX.Element {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const n = props.lines.length;
    if (event.key === 'ArrowDown' && n) {
      event.preventDefault();
      props.onAt((props.at + 1) % n);
    } else if (event.key === 'ArrowUp' && n) {
      event.preventDefault();
      props.onAt((props.at - 1 + n) % n);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      props.lines[props.at]?.run();
    }
  };
  return (
    <label class="search">
      <Icon name="grep" />
      <input
        ref={props.ref}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${props.id}-list`}
        aria-activedescendant={props.lines.length ? `${props.id}-${props.at}` : undefined}
        aria-label={t('places.palette')}
        placeholder={t('places.paletteHint')}
        value={props.text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => props.onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}

function Row(props: { id: string; line: Line; selected: boolean; onPoint: () => void }): JSX.Element {
  return (
    <div class="palette-line" role="option" id={props.id} aria-selected={props.selected} onPointerMove={() => props.onPoint()} onClick={() => props.line.run()}>
      {props.line.draw}
      <Show when={props.line.note}>
        <span class="dim note">{props.line.note}</span>
      </Show>
    </div>
  );
}

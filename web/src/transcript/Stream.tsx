// The transcript as a list of which only what is near the window is in the document.
//
// The reader's place is an element and its distance from the top, never a number of pixels from the
// start: whatever grows, shrinks or arrives above, that element stays where it is. The list follows its
// end only while the reader is there.
import '../styles/stream.css';
import { batch, createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show, type JSX } from 'solid-js';
import { t } from '../text';
import { seconds } from '../text/format';
import { Icon, LinkButton } from '../ui';
import { whenIdle } from '../ui/task';
import { bodiesThere } from './cards/Call';
import { createGroups } from './groups';
import { Rows, type Row, type Transcript } from './model';
import { Folds, FoldsProvider, observe, useServices } from './services';
import { Section } from './StreamRows';
import { Heights } from './window';

export interface StreamHandle {
  /** To the end, and stay there. */
  toEnd(): void;
  /** To the row of a record; false when it is not here yet. */
  toSeq(seq: number): boolean;
  toRow(index: number): void;
  rows(): readonly Row[];
  /** The rows that are in the document. */
  shown(): { from: number; to: number };
  /** To the next or the previous turn, with the focus on it. */
  byTurn(step: 1 | -1): void;
  /** Closes every body. */
  foldAll(): void;
  folds: Folds;
  element: HTMLElement;
  focus(): void;
}

export interface StreamProps {
  transcript: Transcript;
  /** There are older records; asked for when the reader comes near the top. */
  hasOlder?: boolean | undefined;
  onOlder?: (() => void) | undefined;
  /** Opens at this record instead of the end: the first unread one, or a link's. */
  startAt?: number | undefined;
  /** Folds six or more looks in a row; on unless set. */
  foldLooks?: boolean | undefined;
  handle?: ((handle: StreamHandle) => void) | undefined;
  /** Called once, when what is in view and near it has its place. */
  onSettled?: (() => void) | undefined;
  /** Told when the set of rows in the document changed (find marks its hits anew). */
  onShown?: (() => void) | undefined;
  /** Whether the reader is at the end: what is there counts as read. */
  onFollow?: ((following: boolean) => void) | undefined;
  /** Nothing flows: the line is away, or the agent ended. */
  still?: boolean | undefined;
  /** The line is away: up to when everything is here. */
  seenUpTo?: number | undefined;
  /** Shown when nothing was said yet. */
  empty?: JSX.Element;
}

const AHEAD = 800;
const NEAR_END = 48;
const NEAR_TOP = 1200;

export function Stream(props: StreamProps): JSX.Element {
  const transcript = observe(props.transcript);
  const builder = new Rows();
  const folds = new Folds();
  const heights = new Heights();
  let box!: HTMLDivElement;
  let inner!: HTMLDivElement;
  let expected = -1;
  let lastTop = 0;
  let settling = false;
  /** Whether the browser laid it out once. */
  let laid = false;
  /** First what is in view, so that it is there at once; what is near it in the next moment. */
  let ahead = 0;
  let anchor: { key: string; offset: number } | undefined;
  let seen = 0;

  const rows = createMemo(() => {
    builder.fold = props.foldLooks !== false;
    const all = builder.of(transcript());
    heights.set(all);
    return all;
  });
  const [range, setRange] = createSignal({ from: 0, to: 0 }, { equals: (a, b) => a.from === b.from && a.to === b.to });
  const [pads, setPads] = createSignal({ top: 0, bottom: 0 }, { equals: (a, b) => a.top === b.top && a.bottom === b.bottom });
  const [following, setFollowing] = createSignal(true);
  const [fresh, setFresh] = createSignal(0);

  const follow = (on: boolean) => {
    if (on) {
      seen = rows().length;
      setFresh(0);
    }
    if (following() === on) return;
    setFollowing(on);
    props.onFollow?.(on);
  };

  // ── the window ─────────────────────────────────────────────────────────

  const shown = createGroups(rows, range);

  /** Chooses the rows around `top` and sets the space that stands for the others. */
  function choose(top: number): void {
    const all = rows();
    const height = tall();
    const from = all.length === 0 ? 0 : heights.at(Math.max(0, top - ahead));
    const to = all.length === 0 ? 0 : Math.min(all.length, heights.at(top + height + ahead) + 1);
    const inside = document.activeElement !== document.body && inner.contains(document.activeElement);
    batch(() => {
      setRange({ from, to });
      setPads({ top: heights.top(from), bottom: Math.max(0, heights.total - heights.top(to)) });
    });
    // The row that had the focus left the document: the list takes it, or the keys would go nowhere.
    if (inside && document.activeElement === document.body) box.focus({ preventScroll: true });
  }

  /** Its height. Before the first layout a guess will do, and costs none; when it was too low more rows follow at once. */
  const tall = (): number => (laid ? box.clientHeight || 800 : Math.max(300, innerHeight - 200));

  const elementOf = (key: string): HTMLElement | null => inner.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);

  /** The first row in view and how far its top is from the top of the window; false when none is. */
  function remember(): boolean {
    const view = box.getBoundingClientRect();
    for (const element of inner.querySelectorAll<HTMLElement>('[data-row]')) {
      const rect = element.getBoundingClientRect();
      if (rect.bottom <= view.top + 1) continue;
      if (rect.top >= view.bottom) break;
      anchor = { key: element.dataset['row'] ?? '', offset: rect.top - view.top };
      return true;
    }
    return false;
  }

  function scrollTo(top: number): void {
    box.scrollTop = top;
    expected = box.scrollTop;
    lastTop = expected;
  }

  /** Puts the reader back to where they were: at the end, or with the anchor where it was. */
  function hold(): void {
    if (following()) {
      // Where that ends up is known; to read it back would have the browser bring everything up to date once more.
      lastTop = expected = box.scrollHeight - box.clientHeight;
      box.scrollTop = expected;
      return;
    }
    if (!anchor) return;
    const element = elementOf(anchor.key);
    if (!element) return;
    const moved = element.getBoundingClientRect().top - box.getBoundingClientRect().top - anchor.offset;
    if (Math.abs(moved) >= 1) scrollTo(box.scrollTop + moved);
  }

  /** After anything that may have moved things: measure, choose the window again, hold the place. */
  function settle(): void {
    if (settling) return;
    settling = true;
    try {
      if (following()) choose(Math.max(0, heights.total - tall()));
      else if (anchor) {
        const index = rows().findIndex((row) => row.key === anchor?.key);
        if (index >= 0) choose(Math.max(0, heights.top(index) - anchor.offset));
        else choose(box.scrollTop);
      } else choose(box.scrollTop);
      // Before the first layout there is nothing to hold: that comes with the sizes, before anything is painted.
      if (laid) hold();
    } finally {
      settling = false;
    }
  }

  const sizes = new ResizeObserver((entries) => {
    let changed = !laid;
    laid = true;
    for (const entry of entries) {
      if (entry.target === box) {
        changed = true;
        continue;
      }
      const key = (entry.target as HTMLElement).dataset['row'];
      if (key) changed = heights.measure(key, entry.borderBoxSize[0]?.blockSize ?? entry.contentRect.height) || changed;
    }
    if (changed) settle();
  });

  // ── the reader ─────────────────────────────────────────────────────────

  const onScroll = () => {
    const top = box.scrollTop;
    const own = Math.abs(top - expected) < 1.5;
    const up = top < lastTop - 1;
    lastTop = top;
    if (own) return;
    expected = -1;
    const rest = box.scrollHeight - top - box.clientHeight;
    const atEnd = rest <= NEAR_END && range().to === rows().length;
    if (atEnd && !up) follow(true);
    else if (up && rest > 2) follow(false);
    // Rows that come in above are seldom as high as guessed: what is in view stays where it was scrolled to.
    const known = remember();
    choose(top);
    if (!known) remember();
    else if (!following()) hold();
    props.onShown?.();
    if (props.hasOlder && top < NEAR_TOP && range().from === 0) props.onOlder?.();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    if (event.key === 'End') {
      event.preventDefault();
      handle.toEnd();
    } else if (event.key === 'Home' && target === box) {
      follow(false);
      event.preventDefault();
      handle.toRow(0);
    } else if (event.key === 'j' || event.key === 'k') {
      event.preventDefault();
      byTurn(event.key === 'j' ? 1 : -1);
    } else if (event.key === 'Z' && event.shiftKey) {
      event.preventDefault();
      foldAll();
    } else if (['ArrowUp', 'PageUp'].includes(event.key)) follow(false);
  };

  function byTurn(step: number): void {
    remember();
    const all = rows();
    const here = Math.max(
      0,
      all.findIndex((row) => row.key === anchor?.key),
    );
    const inside = (anchor?.offset ?? 0) < -4;
    const starts = all.map((row, i) => (i === 0 || row.turn !== all[i - 1]?.turn ? i : -1)).filter((i) => i >= 0);
    const next = step > 0 ? starts.find((i) => i > here) : starts.findLast((i) => (inside ? i <= here : i < here));
    if (next === undefined) {
      if (step > 0) handle.toEnd();
      return;
    }
    handle.toRow(next);
    queueMicrotask(() =>
      inner
        .querySelector<HTMLElement>(`[data-row="${CSS.escape(all[next]?.key ?? '')}"]`)
        ?.closest<HTMLElement>('.turn')
        ?.focus({ preventScroll: true }),
    );
  }

  function foldAll(): void {
    remember();
    follow(false);
    const keys: string[] = [];
    for (const row of rows()) {
      if (row.item?.kind === 'call') keys.push(`call:${row.item.id}`);
      else if (row.item?.kind === 'thinking') keys.push(`think:${row.item.key}`);
      else if (row.kind === 'looked') keys.push(`looked:${row.items[0]?.key ?? ''}`);
      else if (row.item?.kind === 'command') keys.push(`cmd:${row.item.key}`);
    }
    folds.closeAll(keys);
  }

  /** Opening or closing a body: its row stays where it is, also at the end; there the end is kept only if still in view. */
  const onClick = (event: MouseEvent) => {
    const target = event.target as Element;
    const row = target.closest('summary, .link-btn') ? target.closest<HTMLElement>('[data-row]') : null;
    if (!row) return;
    anchor = { key: row.dataset['row'] ?? '', offset: row.getBoundingClientRect().top - box.getBoundingClientRect().top };
    if (!following()) return;
    setFollowing(false);
    void bodiesThere().then(() =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (!box.isConnected) return;
          const rest = box.scrollHeight - box.scrollTop - box.clientHeight;
          if (rest <= NEAR_END) {
            setFollowing(true);
            return;
          }
          seen = rows().length;
          props.onFollow?.(false);
        }),
      ),
    );
  };

  const onSelect = () => {
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed && selection.anchorNode && inner.contains(selection.anchorNode)) {
      remember();
      follow(false);
    }
  };

  const handle: StreamHandle = {
    toEnd() {
      follow(true);
      settle();
      settle();
    },
    toRow(index) {
      const row = rows()[index];
      if (!row) return;
      follow(false);
      anchor = { key: row.key, offset: 12 };
      choose(heights.top(index) - 12);
      // Rows above the target may turn out higher than guessed: the anchor holds the target.
      const element = elementOf(row.key);
      if (element) scrollTo(box.scrollTop + element.getBoundingClientRect().top - box.getBoundingClientRect().top - 12);
      props.onShown?.();
    },
    toSeq(seq) {
      const all = rows();
      let index = all.findIndex((row) => row.seq >= seq);
      if (index < 0) index = all.length - 1;
      if (index < 0 || (all[0]?.seq ?? 0) > seq) return false;
      handle.toRow(index);
      return true;
    },
    rows,
    shown: range,
    byTurn,
    foldAll,
    folds,
    get element() {
      return box;
    },
    focus() {
      box.focus();
    },
  };

  onMount(() => {
    sizes.observe(box);
    props.handle?.(handle);
    const stop = props.transcript.watch(() => {
      if (!following()) setFresh(Math.max(0, rows().length - seen));
      settle();
      props.onShown?.();
    });
    onCleanup(stop);
    seen = rows().length;
    if (props.startAt === undefined || !handle.toSeq(props.startAt)) settle();
    onCleanup(
      whenIdle(() => {
        ahead = AHEAD;
        settle();
        props.onSettled?.();
      }),
    );
    document.addEventListener('selectionchange', onSelect);
    // Its line stands below the last row: the end is then elsewhere.
    createEffect(
      on(
        () => props.seenUpTo,
        () => settle(),
        { defer: true },
      ),
    );
  });
  onCleanup(() => {
    sizes.disconnect();
    document.removeEventListener('selectionchange', onSelect);
  });

  return (
    <FoldsProvider value={folds}>
      <div class="streambox" classList={{ still: props.still === true }}>
        <div
          ref={box}
          class="stream"
          role="log"
          aria-live="off"
          aria-label={t('transcript.label')}
          tabIndex={0}
          onScroll={onScroll}
          onKeyDown={onKeyDown}
          on:click={{ capture: true, handleEvent: onClick }}
        >
          <div ref={inner} class="in">
            <Show when={props.hasOlder && range().from === 0}>
              <p class="older">
                <LinkButton onClick={() => props.onOlder?.()}>{t('transcript.older')}</LinkButton>
              </p>
            </Show>
            <Show when={rows().length === 0}>
              {props.empty ?? (
                <p class="older" role="status">
                  {useServices().empty?.() ?? t('transcript.empty')}
                </p>
              )}
            </Show>
            <div style={{ height: `${pads().top}px` }} aria-hidden="true" />
            <For each={shown()}>
              {(group) => <Section group={group} watch={(element) => sizes.observe(element)} unwatch={(element) => sizes.unobserve(element)} />}
            </For>
            <div style={{ height: `${pads().bottom}px` }} aria-hidden="true" />
            <Show when={rows().length > 0 && props.seenUpTo}>
              {(at) => (
                <p class="seenup">
                  <span>{t('transcript.seenUpTo', { time: seconds(at()) })}</span>
                </p>
              )}
            </Show>
          </div>
        </div>
        <Show when={!following() && (fresh() > 0 || transcript().live !== undefined)}>
          <button
            type="button"
            class="pill"
            onClick={() => {
              handle.toEnd();
              box.focus({ preventScroll: true });
            }}
          >
            <Icon name="down" />
            {t('transcript.jump')}
            <Show when={fresh() > 0}>
              <span class="newn">{t('transcript.newRows', { n: fresh() })}</span>
            </Show>
          </button>
        </Show>
      </div>
    </FoldsProvider>
  );
}

// The transcript as a virtual list: only rows near the window are in the document. The scroll position is stored as a
// row and its distance from the top of the window, not as a pixel offset, so that the row stays in place when others grow,
// shrink or are added above. The list follows its end only while the user is there.
import '../styles/stream.css';
import { batch, createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show, type JSX } from 'solid-js';
import type { ItemId } from '../api/types';
import { t } from '../text';
import { seconds } from '../text/format';
import { Icon, LinkButton } from '../ui';
import { whenIdle } from '../ui/task';
import { bodiesThere } from './cards/Call';
import { createGroups } from './groups';
import { Rows, type Row, type Transcript } from './model';
import { foldOf, Folds, FoldsProvider, observe, useServices } from './services';
import { Section } from './StreamRows';
import { Heights } from './window';

export interface StreamHandle {
  /** Scrolls to the end and follows it. */
  toEnd(): void;
  /** Scrolls to the row of an item. Returns false if the item is not loaded. */
  toItem(id: ItemId): boolean;
  toRow(index: number): void;
  rows(): readonly Row[];
  /** The range of rows that are in the document. */
  shown(): { from: number; to: number };
  /** Scrolls to the next or previous turn and focuses it. */
  byTurn(step: 1 | -1): void;
  /** Folds all rows. */
  foldAll(): void;
  folds: Folds;
  element: HTMLElement;
  focus(): void;
}

export interface StreamProps {
  transcript: Transcript;
  /** There are older items; they are requested when the user comes near the top. */
  hasOlder?: boolean | undefined;
  onOlder?: (() => void) | undefined;
  /** Opens at this item instead of the end: the first unread one, or the target of a link. */
  startAt?: number | undefined;
  /** Folds six or more read-only calls in a row. True by default. */
  foldLooks?: boolean | undefined;
  handle?: ((handle: StreamHandle) => void) | undefined;
  /** Called once, when the visible rows and those near them have their positions. */
  onSettled?: (() => void) | undefined;
  /** Called when other rows are in the document, so that find can mark its matches again. */
  onShown?: (() => void) | undefined;
  /** Called with whether the user is at the end: what is visible there counts as read. */
  onFollow?: ((following: boolean) => void) | undefined;
  /** Stops animations: disconnected, or the agent ended. */
  still?: boolean | undefined;
  /** Time up to which the transcript is complete, while disconnected. */
  seenUpTo?: number | undefined;
  /** Shown while there are no messages. */
  empty?: JSX.Element;
}

const OVERSCAN = 800;
const NEAR_END = 48;
const NEAR_TOP = 1200;
/** Maximum number of frames until the content of an opened row is rendered. */
const MAX_EMPTY_FRAMES = 60;

const isLive = ({ entries }: Transcript): boolean => entries.some((entry) => entry.kind === 'turn' && entry.live);

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
  /** True after the first layout. */
  let laidOut = false;
  /** Pixels that are rendered above and below the window. 0 for the first frame, so that it appears quickly. */
  let ahead = 0;
  let anchor: { key: string; offset: number } | undefined;
  let readRows = 0;

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
      readRows = rows().length;
      setFresh(0);
    }
    if (following() === on) return;
    setFollowing(on);
    props.onFollow?.(on);
  };

  const shown = createGroups(rows, range);

  /** Chooses the rows around `top` and sets the padding that replaces the others. */
  function chooseRange(top: number): void {
    const all = rows();
    const height = windowHeight();
    const from = all.length === 0 ? 0 : heights.at(Math.max(0, top - ahead));
    const to = all.length === 0 ? 0 : Math.min(all.length, heights.at(top + height + ahead) + 1);
    const inside = document.activeElement !== document.body && inner.contains(document.activeElement);
    batch(() => {
      setRange({ from, to });
      setPads({ top: heights.top(from), bottom: Math.max(0, heights.total - heights.top(to)) });
    });
    // The focused row was removed from the document: focuses the list, so that keys keep working.
    if (inside && document.activeElement === document.body) box.focus({ preventScroll: true });
  }

  /** Height of the window. Estimated before the first layout, which avoids forcing one; if it is too low, more rows are added. */
  const windowHeight = (): number => (laidOut ? box.clientHeight || 800 : Math.max(300, innerHeight - 200));

  const elementOf = (key: string): HTMLElement | null => inner.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);

  /**
   * Stores the first visible row and its distance from the top of the window as the anchor. Returns false if no row is
   * visible.
   */
  function storeAnchor(): boolean {
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

  /** Restores the scroll position: at the end, or with the anchor in its place. */
  function restorePosition(): void {
    if (following()) {
      // Computed instead of read back, which would force another layout.
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

  /** Called after any change of heights: measures, chooses the rows again and restores the scroll position. */
  function settle(): void {
    if (settling) return;
    settling = true;
    try {
      if (following()) chooseRange(Math.max(0, heights.total - windowHeight()));
      else if (anchor) {
        const index = rows().findIndex((row) => row.key === anchor?.key);
        if (index >= 0) chooseRange(Math.max(0, heights.top(index) - anchor.offset));
        else chooseRange(box.scrollTop);
      } else chooseRange(box.scrollTop);
      // Before the first layout there is no position to restore; the first resize event arrives before the first paint.
      if (laidOut) restorePosition();
    } finally {
      settling = false;
    }
  }

  const resizeObserver = new ResizeObserver((entries) => {
    let changed = !laidOut;
    laidOut = true;
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
    // Rows added above rarely have their estimated height: keeps the visible rows in place.
    const known = storeAnchor();
    chooseRange(top);
    if (!known) storeAnchor();
    else if (!following()) restorePosition();
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
    storeAnchor();
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
    storeAnchor();
    follow(false);
    const keys: string[] = [];
    for (const row of rows()) {
      const key = foldOf(row);
      if (key && row.kind !== 'prompt') keys.push(key);
    }
    folds.closeAll(keys);
  }

  /** Opening or closing a row keeps it in place, also at the end. The end is followed again only if it is still visible. */
  const onClick = (event: MouseEvent) => {
    const target = event.target as Element;
    const row = target.closest('summary, .link-btn') ? target.closest<HTMLElement>('[data-row]') : null;
    if (!row) return;
    anchor = { key: row.dataset['row'] ?? '', offset: row.getBoundingClientRect().top - box.getBoundingClientRect().top };
    if (!following()) return;
    setFollowing(false);
    const details = target.closest('details');
    const isEmpty = () =>
      details?.open === true && details.getBoundingClientRect().height <= (details.querySelector('summary')?.getBoundingClientRect().height ?? 0) + 1;
    const decide = (frames: number): void => {
      if (!box.isConnected) return;
      // The content of a row that was opened is rendered a few frames later.
      if (isEmpty() && frames < MAX_EMPTY_FRAMES) {
        requestAnimationFrame(() => decide(frames + 1));
        return;
      }
      const rest = box.scrollHeight - box.scrollTop - box.clientHeight;
      if (rest <= NEAR_END) {
        setFollowing(true);
        return;
      }
      readRows = rows().length;
      props.onFollow?.(false);
    };
    void bodiesThere().then(() => requestAnimationFrame(() => requestAnimationFrame(() => decide(0))));
  };

  const onSelect = () => {
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed && selection.anchorNode && inner.contains(selection.anchorNode)) {
      storeAnchor();
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
      chooseRange(heights.top(index) - 12);
      // Rows above the target may be higher than estimated: the anchor keeps the target in place.
      const element = elementOf(row.key);
      if (element) scrollTo(box.scrollTop + element.getBoundingClientRect().top - box.getBoundingClientRect().top - 12);
      props.onShown?.();
    },
    toItem(id) {
      const all = rows();
      let index = all.findIndex((row) => row.id >= id);
      if (index < 0) index = all.length - 1;
      if (index < 0 || (all[0]?.id ?? 0) > id) return false;
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
    resizeObserver.observe(box);
    props.handle?.(handle);
    const stop = props.transcript.watch(() => {
      if (!following()) setFresh(Math.max(0, rows().length - readRows));
      settle();
      props.onShown?.();
    });
    onCleanup(stop);
    readRows = rows().length;
    if (props.startAt === undefined || !handle.toItem(props.startAt)) settle();
    onCleanup(
      whenIdle(() => {
        ahead = OVERSCAN;
        settle();
        props.onSettled?.();
      }),
    );
    document.addEventListener('selectionchange', onSelect);
    // The notice is below the last row and moves the end.
    createEffect(
      on(
        () => props.seenUpTo,
        () => settle(),
        { defer: true },
      ),
    );
  });
  onCleanup(() => {
    resizeObserver.disconnect();
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
              {(group) => (
                <Section group={group} watch={(element) => resizeObserver.observe(element)} unwatch={(element) => resizeObserver.unobserve(element)} />
              )}
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
        <Show when={!following() && (fresh() > 0 || isLive(transcript()))}>
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

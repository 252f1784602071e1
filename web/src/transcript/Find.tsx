// Find in the whole session. The search runs on the model; visible matches are marked with the CSS Custom Highlight
// API, which does not change the document.
import { createEffect, createMemo, createSignal, onCleanup, onMount, Show, untrack, type JSX } from 'solid-js';
import { t } from '../text';
import { announce, IconButton } from '../ui';
import { find, type Hit } from './model';
import { foldOf } from './services';
import type { StreamHandle } from './Stream';

export interface FindProps {
  stream: StreamHandle;
  onClose: () => void;
  /** Receives a function that must be called whenever other rows are rendered. */
  onShown?: ((mark: () => void) => void) | undefined;
}

interface HighlightRegistry {
  set(name: string, value: unknown): void;
  delete(name: string): void;
}
const registry = (): HighlightRegistry | undefined => (CSS as unknown as { highlights?: HighlightRegistry }).highlights;
const makeHighlight = (ranges: readonly Range[]): unknown =>
  new (globalThis as unknown as { Highlight: new (...ranges: Range[]) => unknown }).Highlight(...ranges);

/** Ranges of the matches below an element, also across child elements. */
export function rangesOf(root: Element, query: string): Range[] {
  const wanted = query.toLowerCase();
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: { node: Text; from: number }[] = [];
  let text = '';
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement?.closest('.vh, [aria-hidden="true"]')) continue;
    nodes.push({ node: node as Text, from: text.length });
    text += (node as Text).data.toLowerCase();
  }
  const locate = (at: number): { node: Text; offset: number } | undefined => {
    let low = 0;
    let high = nodes.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if ((nodes[mid]?.from ?? 0) <= at) low = mid;
      else high = mid - 1;
    }
    const one = nodes[low];
    return one ? { node: one.node, offset: Math.min(at - one.from, one.node.data.length) } : undefined;
  };
  for (let at = text.indexOf(wanted); wanted && at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const start = locate(at);
    const end = locate(at + wanted.length - 1);
    if (!start || !end) continue;
    const range = document.createRange();
    range.setStart(start.node, start.offset);
    range.setEnd(end.node, end.offset + 1);
    ranges.push(range);
  }
  return ranges;
}

export function Find(props: FindProps): JSX.Element {
  const [query, setQuery] = createSignal('');
  const [asked, setAsked] = createSignal('');
  const [at, setAt] = createSignal(-1);
  let input!: HTMLInputElement;
  let timer = 0;
  const hits = createMemo((): Hit[] => (asked() ? find(props.stream.rows(), asked()) : []));

  const mark = () => {
    const all = registry();
    if (!all) return;
    if (!asked()) {
      all.delete('find');
      all.delete('find-current');
      return;
    }
    const ranges = rangesOf(props.stream.element, asked());
    all.set('find', makeHighlight(ranges));
    const key = hits()[at()]?.key;
    const row = key === undefined ? null : props.stream.element.querySelector(`[data-row="${CSS.escape(key)}"]`);
    all.set('find-current', makeHighlight(row ? rangesOf(row, asked()) : []));
  };

  const go = (index: number) => {
    const all = hits();
    if (all.length === 0) {
      setAt(-1);
      return;
    }
    const next = ((index % all.length) + all.length) % all.length;
    setAt(next);
    const hit = all[next];
    if (!hit) return;
    const row = props.stream.rows()[hit.row];
    const fold = row && foldOf(row);
    if (fold) props.stream.folds.set(fold, true);
    props.stream.toRow(hit.row);
    requestAnimationFrame(() => {
      mark();
      const element = props.stream.element.querySelector(`[data-row="${CSS.escape(hit.key)}"]`);
      const first = element ? rangesOf(element, asked())[0] : undefined;
      first?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
    });
    announce(t('transcript.findCount', { at: next + 1, n: all.length }));
  };

  const search = () => {
    setAsked(query());
    const shown = props.stream.shown();
    const all = hits();
    const near = all.findIndex((hit) => hit.row >= shown.from);
    if (all.length > 0) go(Math.max(near, 0));
    else {
      setAt(-1);
      mark();
    }
  };

  createEffect(() => props.onShown?.(mark));
  // Older items are loaded during the search: goes to the first match in them.
  createEffect(() => {
    if (hits().length > 0 && untrack(at) < 0) untrack(() => go(hits().length - 1));
  });
  onMount(() => input.focus());
  onCleanup(() => {
    clearTimeout(timer);
    registry()?.delete('find');
    registry()?.delete('find-current');
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      if (asked() !== query()) search();
      else go(at() + (event.shiftKey ? -1 : 1));
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      props.onClose();
    }
  };
  return (
    <search class="findbar" onKeyDown={onKeyDown}>
      <input
        ref={input}
        class="input"
        type="search"
        aria-label={t('transcript.find')}
        placeholder={t('transcript.find')}
        value={query()}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          clearTimeout(timer);
          timer = window.setTimeout(search, 120);
        }}
      />
      <span class="num dim" role="status">
        <Show when={asked()}>{hits().length === 0 ? t('transcript.findNone') : t('transcript.findCount', { at: at() + 1, n: hits().length })}</Show>
      </span>
      <IconButton
        small
        icon="back"
        class="up"
        label={t('transcript.findPrevious')}
        hotkey="Shift Enter"
        disabled={hits().length === 0}
        onClick={() => go(at() - 1)}
      />
      <IconButton small icon="down" label={t('transcript.findNext')} hotkey="Enter" disabled={hits().length === 0} onClick={() => go(at() + 1)} />
      <IconButton small icon="x" label={t('ui.close')} hotkey="Esc" onClick={() => props.onClose()} />
    </search>
  );
}

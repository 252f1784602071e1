// A diff from the server: hunks of highlighted lines with the changed words marked.
import { createEffect, createMemo, createSignal, For, Index, on, onCleanup, Show, type JSX } from 'solid-js';
import type { Diff, DiffLine } from '../api/types';
import { runClass } from '../markdown/runs';
import { t } from '../text';
import { count } from '../text/format';
import { CopyButton, IconButton, LinkButton, Path } from '../ui';
import { Counts } from './Counts';
import { patchText, rowsOf, splitRows, type Row, type SplitRow } from './rows';

export interface DiffViewProps {
  diff: Diff;
  mode?: 'unified' | 'split' | undefined;
  /** Wraps long lines; always on phones and in permission requests. The button changes it for this view. */
  wrap?: boolean | undefined;
  /** Shows path, counts and buttons above the lines. */
  head?: boolean | undefined;
  /** Content below a line, such as a comment. */
  below?: ((line: DiffLine) => JSX.Element | undefined) | undefined;
  /** If set, line numbers are buttons. */
  onLine?: ((line: DiffLine) => void) | undefined;
}

/** Number of rows that are rendered initially and added by "show more". */
const PAGE = 300;

export function DiffView(props: DiffViewProps): JSX.Element {
  const [wrap, setWrap] = createSignal(props.wrap === true);
  createEffect(
    on(
      () => props.wrap,
      (value) => setWrap(value === true),
      { defer: true },
    ),
  );
  const mode = useMode(() => props.mode);
  const [shown, setShown] = createSignal(PAGE);
  const [unfolded, setUnfolded] = createSignal<ReadonlySet<string>>(new Set());
  const rows = createMemo(() => rowsOf(props.diff, unfolded()));
  const visible = () => rows().slice(0, shown());
  const unfold = (id: string) => setUnfolded((all) => new Set([...all, id]));
  let lines!: HTMLDivElement;

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'n' ? 1 : event.key === 'p' ? -1 : 0;
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.target !== lines) return;
    const marks = [...lines.querySelectorAll<HTMLElement>('[data-hunk]')];
    const top = lines.getBoundingClientRect().top;
    const ahead = marks.map((mark) => mark.getBoundingClientRect().top - top);
    const next = step > 0 ? marks[ahead.findIndex((y) => y > 8)] : marks[ahead.findLastIndex((y) => y < -8)];
    if (!next) return;
    event.preventDefault();
    next.scrollIntoView({ block: 'start' });
  };

  return (
    <div class="diffbox">
      <Show when={props.head}>
        <DiffHead diff={props.diff}>
          <IconButton small icon="wrap" label={t('ui.wrap')} pressed={wrap()} onClick={() => setWrap(!wrap())} class="not-phone" />
          <CopyButton text={() => patchText(props.diff)} />
        </DiffHead>
      </Show>
      <Show when={!props.diff.problem} fallback={<p class="diffnote">{props.diff.problem}</p>}>
        <div
          ref={lines}
          class="diff"
          classList={{ wrapd: wrap(), split: mode() === 'split' }}
          role="group"
          tabIndex={0}
          aria-label={t('transcript.diffOf', { path: props.diff.path })}
          onKeyDown={onKeyDown}
        >
          <table>
            <Show when={mode() === 'split'}>
              <colgroup>
                <col class="cln" />
                <col class="csg" />
                <col />
                <col class="cln" />
                <col class="csg" />
                <col />
              </colgroup>
            </Show>
            <tbody>
              <Show
                when={mode() === 'split'}
                fallback={<For each={visible()}>{(row) => <UnifiedRow row={row} unfold={unfold} below={props.below} onLine={props.onLine} />}</For>}
              >
                <For each={splitRows(visible())}>{(row) => <SplitLine row={row} unfold={unfold} below={props.below} onLine={props.onLine} />}</For>
              </Show>
            </tbody>
          </table>
          <Show when={rows().length > shown()}>
            <p class="diffnote">
              {t('transcript.moreLines', { n: rows().length - shown(), lines: count(rows().length - shown()) })} ·{' '}
              <LinkButton onClick={() => setShown(shown() + PAGE * 4)}>{t('ui.more')}</LinkButton>
            </p>
          </Show>
        </div>
      </Show>
    </div>
  );
}

/** Side by side needs space: on a phone the diff is always unified. */
function useMode(chosen: () => DiffViewProps['mode']): () => 'unified' | 'split' {
  const query = matchMedia('(min-width: 48rem)');
  const [wide, setWide] = createSignal(query.matches);
  const change = () => setWide(query.matches);
  query.addEventListener('change', change);
  onCleanup(() => query.removeEventListener('change', change));
  return () => (chosen() === 'split' && wide() ? 'split' : 'unified');
}

export function DiffHead(props: { diff: Diff; children?: JSX.Element }): JSX.Element {
  return (
    <div class="boxhead">
      <Path path={props.diff.path} />
      <Counts added={props.diff.added} removed={props.diff.removed} />
      <Show when={props.diff.kind !== 'edit'}>
        <span class="chip">{props.diff.kind === 'new' ? t('transcript.newFile') : t('transcript.deleted')}</span>
      </Show>
      <span class="push" />
      {props.children}
    </div>
  );
}

const KIND: Record<string, string> = { '+': 'add', '-': 'del', ' ': '' };

function UnifiedRow(props: { row: Row; unfold: (id: string) => void; below: DiffViewProps['below']; onLine: DiffViewProps['onLine'] }): JSX.Element {
  const row = props.row;
  if (row.kind === 'gap')
    return (
      <tr class="gap">
        <td colSpan={4}>{t('transcript.unchanged', { n: row.lines, lines: count(row.lines) })}</td>
      </tr>
    );
  if (row.kind === 'fold')
    return (
      <tr class="gap">
        <td colSpan={4}>
          <LinkButton onClick={() => props.unfold(row.id)}>{t('transcript.unchanged', { n: row.lines, lines: count(row.lines) })}</LinkButton>
        </td>
      </tr>
    );
  const { line } = row;
  const extra = () => props.below?.(line);
  return (
    <>
      <tr class={KIND[line.t] ?? ''} data-hunk={row.first ? '' : undefined}>
        <LineNumber n={line.old} line={line} onLine={props.onLine} />
        <LineNumber n={line.new} line={line} onLine={props.onLine} />
        <td class="sign">{line.t === '-' ? '−' : line.t === '+' ? '+' : ''}</td>
        <Code line={line} />
      </tr>
      <Show when={extra()}>
        {(one) => (
          <tr class="below">
            <td colSpan={4}>{one()}</td>
          </tr>
        )}
      </Show>
    </>
  );
}

function SplitLine(props: { row: SplitRow; unfold: (id: string) => void; below: DiffViewProps['below']; onLine: DiffViewProps['onLine'] }): JSX.Element {
  const row = props.row;
  if (row.kind === 'gap')
    return (
      <tr class="gap">
        <td colSpan={6}>{t('transcript.unchanged', { n: row.lines, lines: count(row.lines) })}</td>
      </tr>
    );
  if (row.kind === 'fold')
    return (
      <tr class="gap">
        <td colSpan={6}>
          <LinkButton onClick={() => props.unfold(row.id)}>{t('transcript.unchanged', { n: row.lines, lines: count(row.lines) })}</LinkButton>
        </td>
      </tr>
    );
  const half = (line: DiffLine | undefined, n: number | null | undefined, right: boolean) => {
    const tone = line ? (KIND[line.t] ?? '') : 'none';
    return (
      <>
        <Show when={line} fallback={<td class={`ln none ${right ? 'divide' : ''}`} />}>
          {(one) => <LineNumber n={n ?? null} line={one()} onLine={props.onLine} class={`${tone} ${right ? 'divide' : ''}`} />}
        </Show>
        <td class={`sign ${tone}`}>{line?.t === '-' ? '−' : line?.t === '+' ? '+' : ''}</td>
        <Show when={line} fallback={<td class="code none" />}>
          {(one) => <Code line={one()} class={tone} />}
        </Show>
      </>
    );
  };
  const sides = [...new Set([row.left, row.right])].filter((line): line is DiffLine => line !== undefined);
  return (
    <>
      <tr data-hunk={row.first ? '' : undefined}>
        {half(row.left, row.left?.old, false)}
        {half(row.right, row.right?.new, true)}
      </tr>
      <For each={sides}>
        {(line) => (
          <Show when={props.below?.(line)}>
            {(extra) => (
              <tr class="below">
                <td colSpan={6}>{extra()}</td>
              </tr>
            )}
          </Show>
        )}
      </For>
    </>
  );
}

function LineNumber(props: { n: number | null; line: DiffLine; onLine: DiffViewProps['onLine']; class?: string | undefined }): JSX.Element {
  return (
    <td class={`ln ${props.class ?? ''}`}>
      <Show when={props.onLine && props.n !== null} fallback={props.n ?? ''}>
        <button type="button" aria-label={t('transcript.commentLine', { line: props.n ?? 0 })} onClick={() => props.onLine?.(props.line)}>
          {props.n}
        </button>
      </Show>
    </td>
  );
}

/** The unchanged indent of a line, and the pieces after it. */
export function splitIndent(parts: DiffLine['parts']): { indent: string; rest: DiffLine['parts'] } {
  let indent = '';
  for (const [index, [name, text, changed]] of parts.entries()) {
    const space = changed ? '' : (/^[ \t]*/.exec(text)?.[0] ?? '');
    indent += space;
    if (space.length < text.length) return { indent, rest: [[name, text.slice(space.length), changed], ...parts.slice(index + 1)] };
  }
  return { indent, rest: [] };
}

const widthOf = (indent: string): number =>
  Math.min(
    24,
    [...indent].reduce((sum, char) => sum + (char === '\t' ? 4 : 1), 0),
  );

/** The code of a line. The indent is text, so that copying is exact; in wrapped lines it is drawn as padding. */
function Code(props: { line: DiffLine; class?: string | undefined }): JSX.Element {
  const cut = createMemo(() => splitIndent(props.line.parts));
  return (
    <td class={`code ${props.class ?? ''}`} style={{ '--in': widthOf(cut().indent) }}>
      <Show when={cut().indent}>
        <span class="ind">{cut().indent}</span>
      </Show>
      <Index each={cut().rest}>
        {(part) => {
          const [name, text, changed] = part();
          const known = runClass(name);
          if (!changed) return known ? <span class={known}>{text}</span> : text;
          return props.line.t === '+' ? <ins class={known}>{text}</ins> : <del class={known}>{text}</del>;
        }}
      </Index>
    </td>
  );
}

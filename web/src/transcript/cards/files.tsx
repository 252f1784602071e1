// Bodies of the cards that read, search and change files.
import { createResource, For, Match, Show, Switch, type JSX } from 'solid-js';
import type { Diff, FileChange, FileRead, Notebook, ReadContent, Search } from '../../api/types';
import { DiffView } from '../../diff/DiffView';
import { diffOfPatch, diffOfText } from '../../diff/fromPatch';
import { Markdown } from '../../markdown/Markdown';
import { t } from '../../text';
import { bytes } from '../../text/format';
import { Path } from '../../ui';
import { textOf } from '../model';
import { shortPath, useServices } from '../services';
import { CodeView } from './code';
import { isRefused, type BodyProps } from './body';
import { ResultText } from './generic';
import { HeavyText, PictureView } from './parts';

export function ReadBody(props: BodyProps<FileRead>): JSX.Element {
  const services = useServices();
  const path = () => props.body.path;
  const name = () => path().slice(path().lastIndexOf('/') + 1);
  const of = <T extends ReadContent['type']>(type: T): Extract<ReadContent, { type: T }> | undefined => {
    const { content } = props.body;
    return content?.type === type ? (content as Extract<ReadContent, { type: T }>) : undefined;
  };
  const pictures = () => props.call.result?.images ?? [];
  return (
    <Switch fallback={<ResultText call={props.call} />}>
      <Match when={of('lines')?.text}>
        {(lines) => (
          <div class="box">
            <HeavyText value={lines()}>
              {(text) => (
                <CodeView text={text} start={of('lines')?.first} lang={name()} label={t('transcript.fileOf', { path: shortPath(path(), services.cwd?.()) })} />
              )}
            </HeavyText>
          </div>
        )}
      </Match>
      <Match when={pictures().length > 0}>
        <div class="box">
          <For each={pictures()}>{(picture) => <PictureView picture={picture} name={name()} />}</For>
        </div>
      </Match>
      <Match when={of('notebook')}>
        {(notebook) => (
          <div class="box">
            <For each={notebook().cells}>
              {(cell) => (
                <div class="cell">
                  <span class="cn">{cellName(cell.kind, String(cell.run ?? ' '))}</span>
                  <Show when={cell.kind === 'markdown'} fallback={<pre class="cellcode">{textOf(cell.source)}</pre>}>
                    <Markdown text={textOf(cell.source)} />
                  </Show>
                </div>
              )}
            </For>
          </div>
        )}
      </Match>
      <Match when={of('other')}>{(file) => <p class="cutnote">{t('transcript.pdf', { size: bytes(file().bytes ?? 0) })}</p>}</Match>
    </Switch>
  );
}

const cellName = (kind: string, number: string): string => (kind === 'markdown' ? t('transcript.cellText') : `${t('transcript.cellCode')} [${number}]`);

/** The server's diff if available, else the one of the agent. */
export function DiffBody(props: BodyProps<FileChange>): JSX.Element {
  const services = useServices();
  const own = (): Diff | undefined => plainDiff(props.body, services.cwd?.());
  const [diff] = createResource(
    () => props.cell.item.status === 'done' && props.call.id,
    (call) => services.diffOf(call).catch(() => undefined),
  );
  const shown = () => {
    const made = diff.loading ? undefined : diff();
    return made && !made.problem ? { ...made, path: shortPath(made.path, services.cwd?.()) } : own();
  };
  return (
    <>
      <Show when={isRefused(props.cell)}>
        <ResultText call={props.call} />
      </Show>
      <Show
        when={shown()}
        fallback={
          <Show when={props.cell.item.status === 'done'}>
            <ResultText call={props.call} />
          </Show>
        }
      >
        {(one) => (
          <div class="box">
            <DiffView diff={one()} head />
          </div>
        )}
      </Show>
    </>
  );
}

export function plainDiff({ path, hunks, content, edits }: FileChange, cwd: string | undefined): Diff | undefined {
  const short = shortPath(path, cwd);
  if (hunks.length > 0) return diffOfPatch(short, hunks);
  if (content !== null) return diffOfText(short, null, textOf(content));
  const [first] = edits;
  if (!first) return undefined;
  if (edits.length === 1) return { ...diffOfText(short, textOf(first.old), textOf(first.new)), kind: 'edit' };
  const patches = edits.flatMap((edit) => diffOfText(short, textOf(edit.old), textOf(edit.new)).hunks);
  return diffOfPatch(
    short,
    patches.map(({ oldStart, newStart, lines }) => ({ oldStart, newStart, lines: lines.map((line) => line.t + line.parts.map((part) => part[1]).join('')) })),
  );
}

export function NotebookBody(props: BodyProps<Notebook>): JSX.Element {
  const diff = () => diffOfText('', props.body.old === null ? null : textOf(props.body.old), props.body.edit === 'delete' ? '' : textOf(props.body.source));
  return (
    <Show when={props.cell.item.status !== 'failed'} fallback={<ResultText call={props.call} />}>
      <div class="box">
        <div class="cell">
          <span class="cn">{cellName(props.body.kind, props.body.cell || ' ')}</span>
          <Show when={props.body.kind === 'markdown' && props.body.old === null} fallback={<DiffView diff={diff()} wrap />}>
            <Markdown text={textOf(props.body.source)} />
          </Show>
        </div>
      </div>
    </Show>
  );
}

const MAX_HITS = 200;

/** Search results by file, with the matches underlined. */
export function SearchBody(props: BodyProps<Search>): JSX.Element {
  const pattern = () => {
    try {
      return new RegExp(props.body.pattern || '(?!)', props.body.ignoreCase ? 'gi' : 'g');
    } catch {
      return undefined;
    }
  };
  return (
    <Show when={textOf(props.body.lines)} fallback={<FileList {...props} />}>
      {(lines) => (
        <div class="box">
          <div class="hits" tabIndex={0} role="group" aria-label={t('transcript.result')}>
            <For each={groupHits(lines().split('\n').slice(0, MAX_HITS))}>
              {(group) => (
                <>
                  <Show when={group.path}>
                    <p class="hf">{group.path}</p>
                  </Show>
                  <For each={group.lines}>
                    {(line) => (
                      <div>
                        <span>{line.n}</span>
                        <span>{marked(line.text, pattern())}</span>
                      </div>
                    )}
                  </For>
                </>
              )}
            </For>
          </div>
        </div>
      )}
    </Show>
  );
}

interface HitGroup {
  path: string;
  lines: { n: string; text: string }[];
}

function groupHits(lines: readonly string[]): HitGroup[] {
  const groups: HitGroup[] = [];
  for (const line of lines) {
    const full = /^(.+?)[:-](\d+)[:-](.*)$/.exec(line);
    const short = full ? null : (/^(\d+)[:-](.*)$/.exec(line) ?? /^(.+?):(\d+)$/.exec(line));
    const path = full?.[1] ?? '';
    let group = groups.at(-1);
    if (!group || group.path !== path) {
      group = { path, lines: [] };
      groups.push(group);
    }
    if (line !== '--')
      group.lines.push(
        full
          ? { n: full[2] ?? '', text: full[3] ?? '' }
          : short
            ? {
                n: /^\d+$/.test(short[1] ?? '') ? (short[1] ?? '') : (short[2] ?? ''),
                text: /^\d+$/.test(short[1] ?? '') ? (short[2] ?? '') : (short[1] ?? ''),
              }
            : { n: '', text: line },
      );
  }
  return groups;
}

function marked(text: string, pattern: RegExp | undefined): JSX.Element {
  if (!pattern) return text;
  const parts: JSX.Element[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match[0] === '') break;
    parts.push(text.slice(at, match.index), <mark>{match[0]}</mark>);
    at = match.index + match[0].length;
  }
  parts.push(text.slice(at));
  return parts;
}

function FileList(props: BodyProps<Search>): JSX.Element {
  const services = useServices();
  const names = () => props.body.names ?? [];
  return (
    <Show when={names().length > 0} fallback={<ResultText call={props.call} />}>
      <div class="box">
        <ul class="filelist">
          <For each={names().slice(0, MAX_HITS)}>
            {(name) => (
              <li>
                <Path path={shortPath(name, services.cwd?.())} />
              </li>
            )}
          </For>
        </ul>
        <Show when={names().length > MAX_HITS}>
          <p class="cutnote">{t('transcript.moreItems', { n: names().length - MAX_HITS })}</p>
        </Show>
      </div>
    </Show>
  );
}

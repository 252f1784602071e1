// Bodies of the tools that read, search and change files.
import { createResource, For, Match, Show, Switch, type JSX } from 'solid-js';
import { DiffView } from '../../diff/DiffView';
import { diffOfPatch, diffOfText, type WirePatch } from '../../diff/fromPatch';
import { Markdown } from '../../markdown/Markdown';
import type { Diff } from '../../api/types';
import { t } from '../../text';
import { bytes } from '../../text/format';
import { Path } from '../../ui';
import { fields, heavy, list, num, plain, str, textOf, type CallItem, type Fields } from '../model';
import { shortPath, useServices } from '../services';
import { CodeView, HeavyText, PictureView } from './parts';
import { ResultText } from './generic';

export function ReadBody(props: { call: CallItem }): JSX.Element {
  const services = useServices();
  const result = () => fields(props.call.structured);
  const file = () => fields(result()['file']);
  const path = () => str(props.call.input['file_path']) ?? '';
  const name = () => path().slice(path().lastIndexOf('/') + 1);
  const picture = () => {
    const data = heavy(file()['base64']);
    return data === undefined ? undefined : { mime: str(file()['type']) ?? 'image/png', data };
  };
  return (
    <Switch fallback={<ResultText call={props.call} />}>
      <Match when={result()['type'] === 'text' && heavy(file()['content'])}>
        {(content) => (
          <div class="box">
            <HeavyText value={content()}>
              {(text) => (
                <CodeView
                  text={text}
                  start={num(file()['startLine'])}
                  lang={name()}
                  label={t('transcript.fileOf', { path: shortPath(path(), services.cwd?.()) })}
                />
              )}
            </HeavyText>
          </div>
        )}
      </Match>
      <Match when={result()['type'] === 'image' && picture()}>
        {(image) => (
          <div class="box">
            <PictureView picture={image()} name={name()} />
          </div>
        )}
      </Match>
      <Match when={result()['type'] === 'notebook'}>
        <div class="box">
          <For each={list(file()['cells']).map(fields)}>{(cell) => <Cell cell={cell} />}</For>
        </div>
      </Match>
      <Match when={result()['type'] === 'parts'}>
        <div class="box">
          <For each={list(result()['pages']).map(fields)}>
            {(page) => (
              <Show when={heavy(page['base64'])}>
                {(data) => <PictureView picture={{ mime: str(page['mediaType']) ?? 'image/png', data: data() }} name={name()} />}
              </Show>
            )}
          </For>
        </div>
      </Match>
      <Match when={result()['type'] === 'pdf'}>
        <p class="cutnote">{t('transcript.pdf', { size: bytes(num(file()['originalSize']) ?? 0) })}</p>
      </Match>
    </Switch>
  );
}

function Cell(props: { cell: Fields }): JSX.Element {
  const source = () => {
    const raw = props.cell['source'];
    return Array.isArray(raw) ? raw.map((line) => str(line) ?? '').join('') : textOf(heavy(raw));
  };
  const type = () => str(props.cell['cellType'] ?? props.cell['cell_type']) ?? 'code';
  return (
    <div class="cell">
      <span class="cn">{type() === 'markdown' ? t('transcript.cellText') : `${t('transcript.cellCode')} [${num(props.cell['execution_count']) ?? ' '}]`}</span>
      <Show when={type() === 'markdown'} fallback={<pre class="cellcode">{source()}</pre>}>
        <Markdown text={source()} />
      </Show>
    </div>
  );
}

/** The server's diff if available, else the one of the agent. */
export function DiffBody(props: { call: CallItem }): JSX.Element {
  const services = useServices();
  const own = (): Diff | undefined => plainDiff(props.call, services.cwd?.());
  const [diff] = createResource(
    () => (props.call.state === 'done' ? (props.call.resultSeq ?? props.call.seq) : undefined),
    (seq) => services.diffOf(seq, props.call.id).catch(() => undefined),
  );
  const shown = () => {
    const made = diff.loading ? undefined : diff();
    return made && !made.problem ? { ...made, path: shortPath(made.path, services.cwd?.()) } : own();
  };
  return (
    <>
      <Show when={props.call.state === 'failed' || props.call.state === 'denied'}>
        <ResultText call={props.call} />
      </Show>
      <Show
        when={shown()}
        fallback={
          <Show when={props.call.state === 'done'}>
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

export function plainDiff(call: CallItem, cwd: string | undefined): Diff | undefined {
  const result = fields(call.structured);
  const path = shortPath(str(call.input['file_path']) ?? str(call.input['notebook_path']) ?? '', cwd);
  const patches = list(result['structuredPatch'])
    .map(fields)
    .map(
      (hunk): WirePatch => ({
        oldStart: num(hunk['oldStart']) ?? 1,
        newStart: num(hunk['newStart']) ?? 1,
        lines: list(hunk['lines']).map((line) => str(line) ?? ''),
      }),
    );
  if (patches.length > 0) return diffOfPatch(path, patches);
  const content = textOf(heavy(call.input['content']));
  if (call.name === 'Write' && content) return diffOfText(path, null, content);
  const before = textOf(heavy(call.input['old_string']));
  const after = textOf(heavy(call.input['new_string']));
  if (before || after) return { ...diffOfText(path, before, after), kind: 'edit' };
  const edits = list(call.input['edits']).map(fields);
  if (edits.length > 0)
    return diffOfPatch(
      path,
      edits.flatMap((edit) =>
        diffOfText(path, textOf(heavy(edit['old_string'])), textOf(heavy(edit['new_string']))).hunks.map((hunk) => ({
          oldStart: hunk.oldStart,
          newStart: hunk.newStart,
          lines: hunk.lines.map((line) => line.t + line.parts.map((part) => part[1]).join('')),
        })),
      ),
    );
  return undefined;
}

export function NotebookBody(props: { call: CallItem }): JSX.Element {
  const result = () => fields(props.call.structured);
  const type = () => str(result()['cell_type'] ?? props.call.input['cell_type']) ?? 'code';
  const now = () => textOf(heavy(result()['new_source'] ?? props.call.input['new_source']));
  const before = () => heavy(result()['old_source']);
  const diff = () => {
    const old = before();
    const removed = props.call.input['edit_mode'] === 'delete';
    return diffOfText('', old === undefined ? null : textOf(old), removed ? '' : now());
  };
  return (
    <Show when={props.call.state !== 'failed'} fallback={<ResultText call={props.call} />}>
      <div class="box">
        <div class="cell">
          <span class="cn">
            {type() === 'markdown' ? t('transcript.cellText') : `${t('transcript.cellCode')} [${str(props.call.input['cell_id']) ?? ' '}]`}
          </span>
          <Show when={type() === 'markdown' && before() === undefined} fallback={<DiffView diff={diff()} wrap />}>
            <Markdown text={now()} />
          </Show>
        </div>
      </div>
    </Show>
  );
}

const MAX_HITS = 200;

/** Search results by file, with the matches underlined. */
export function GrepBody(props: { call: CallItem }): JSX.Element {
  const result = () => fields(props.call.structured);
  const content = () => textOf(heavy(result()['content'])) || (props.call.result && result()['mode'] === undefined ? plain(props.call.result) : '');
  const pattern = () => {
    try {
      return new RegExp(str(props.call.input['pattern']) ?? '(?!)', props.call.input['-i'] === true ? 'gi' : 'g');
    } catch {
      return undefined;
    }
  };
  return (
    <Show when={result()['mode'] === 'content' || result()['mode'] === 'count'} fallback={<FileList call={props.call} />}>
      <div class="box">
        <div class="hits" tabIndex={0} role="group" aria-label={t('transcript.result')}>
          <For each={groupHits(content().split('\n').slice(0, MAX_HITS))}>
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

export function FileList(props: { call: CallItem }): JSX.Element {
  const services = useServices();
  const names = () => list(fields(props.call.structured)['filenames']).map((name) => str(name) ?? '');
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

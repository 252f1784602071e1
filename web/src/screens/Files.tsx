// The files of a session's folder: a tree, and one highlighted file with line numbers.
import '../text/places';
import { createEffect, createMemo, createSignal, For, Index, on, Show, type JSX } from 'solid-js';
import type { FolderEntry, Highlighted } from '../api/types';
import { runClass } from '../markdown/runs';
import { t } from '../text';
import { bytes, count } from '../text/format';
import { Button, CopyButton, Icon, Path } from '../ui';
import { go, route, sessionHref } from '../route/route';
import { createAsked } from './asked';
import { reasonOf, request } from './link';
import './session.css';

const here = () => {
  const at = route();
  return at.at === 'session' ? at : null;
};

export default function Files(props: { id: string }): JSX.Element {
  const path = () => here()?.path ?? '';
  return (
    <div class="fview" classList={{ reading: path() !== '' }}>
      <nav class="ftree" aria-label={t('places.fileTree')}>
        <Folder id={props.id} path="" depth={0} current={path()} />
      </nav>
      <Show
        when={path()}
        fallback={
          <div class="fdiffs">
            <div class="blank">
              <h2>{t('places.noFile')}</h2>
              <p>{t('places.noFileWords')}</p>
            </div>
          </div>
        }
      >
        <Viewer id={props.id} path={path()} line={here()?.line ?? null} />
      </Show>
    </div>
  );
}

/** The entries of a folder; subfolders are read when they are opened. */
function Folder(props: { id: string; path: string; depth: number; current: string }): JSX.Element {
  const [found] = createAsked(
    () => props.path || '.',
    () => request({ type: 'folder', sessionId: props.id, path: props.path }),
  );
  const full = (entry: FolderEntry) => (props.path ? `${props.path}/${entry.name}` : entry.name);
  return (
    <Show when={!found.error} fallback={<p class="none t-bad">{reasonOf(found.error)}</p>}>
      <ul class="filetree" style={{ '--depth': props.depth }} aria-busy={found.loading ? 'true' : undefined}>
        <For each={found.latest?.entries}>
          {(entry) => (
            <li>
              <Entry id={props.id} entry={entry} path={full(entry)} depth={props.depth} current={props.current} />
            </li>
          )}
        </For>
        <Show when={(found.latest?.more ?? 0) > 0}>
          <li class="none">{t('places.treeMore', { n: found.latest?.more ?? 0 })}</li>
        </Show>
      </ul>
    </Show>
  );
}

function Entry(props: { id: string; entry: FolderEntry; path: string; depth: number; current: string }): JSX.Element {
  const leads = () => props.current === props.path || props.current.startsWith(`${props.path}/`);
  const [open, setOpen] = createSignal(props.entry.folder && leads());
  createEffect(
    on(
      leads,
      (now) => {
        if (now && props.entry.folder) setOpen(true);
      },
      { defer: true },
    ),
  );
  const words = () =>
    [props.entry.ignored ? t('places.ignored') : '', props.entry.link ? t('places.linkTo', { path: props.entry.link }) : ''].filter(Boolean).join(' · ');
  const inside = () => (
    <>
      <span class="trunc">{props.entry.name}</span>
      <Show when={props.entry.ignored}>
        <span class="vh">{t('places.ignored')}</span>
      </Show>
    </>
  );
  return (
    <Show
      when={props.entry.folder}
      fallback={
        <a
          class="entry"
          classList={{ ignored: props.entry.ignored }}
          href={sessionHref(props.id, 'files', null, [], props.path)}
          aria-current={props.current === props.path ? 'page' : undefined}
          title={words() || undefined}
        >
          <Icon name={props.entry.link ? 'link' : 'read'} />
          {inside()}
        </a>
      }
    >
      <button
        type="button"
        class="entry"
        classList={{ ignored: props.entry.ignored }}
        aria-expanded={open()}
        title={words() || undefined}
        onClick={() => setOpen(!open())}
      >
        <Icon name="chevron" class="chev" />
        {inside()}
      </button>
      <Show when={open()}>
        <Folder id={props.id} path={props.path} depth={props.depth + 1} current={props.current} />
      </Show>
    </Show>
  );
}

/** Number of lines that are rendered initially and added by "show more". */
const PAGE = 2000;

function Viewer(props: { id: string; path: string; line: number | null }): JSX.Element {
  const [file, { refetch }] = createAsked(
    () => props.path,
    (path) => request({ type: 'file', sessionId: props.id, path }),
  );
  const lines = createMemo(() => file.latest?.text?.lines ?? []);
  const [more, setMore] = createSignal(0);
  const shown = () => lines().slice(0, Math.max(PAGE, (props.line ?? 0) + 200) + more());
  const whole = () =>
    lines()
      .map((line) => line.map(([, text]) => text).join(''))
      .join('\n');
  let area!: HTMLDivElement;
  createEffect(
    on([() => props.line, lines], ([line, all]) => {
      if (line === null || all.length === 0) {
        area.scrollTop = 0;
        return;
      }
      requestAnimationFrame(() => area.querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: 'center' }));
    }),
  );
  return (
    <div class="fdiffs" ref={area} tabIndex={0} role="group" aria-label={props.path} data-region="stream">
      <div class="fbar">
        <Button small look="bare" icon="back" class="only-phone" onClick={() => go(sessionHref(props.id, 'files'))}>
          {t('places.allFiles')}
        </Button>
        <Path path={file.latest?.path ?? props.path} />
        <Show when={file.latest}>{(one) => <span class="dim num not-phone">{bytes(one().bytes)}</span>}</Show>
        <span class="push" />
        <Show when={file.latest?.text}>
          <CopyButton text={whole} label={t('places.copyFile')} />
        </Show>
      </div>
      <Show when={file.error}>
        <div class="blank">
          <p>{t('sessions.failed', { why: reasonOf(file.error) })}</p>
          <Button icon="retry" onClick={() => void refetch()}>
            {t('sessions.again')}
          </Button>
        </div>
      </Show>
      <Show when={!file.error && file.latest && !file.latest.text}>
        <div class="blank">
          <p>{t('places.notText')}</p>
        </div>
      </Show>
      <Show when={!file.error && lines().length > 0}>
        <table class="source">
          <tbody>
            <Index each={shown()}>{(line, at) => <Line id={props.id} path={props.path} n={at + 1} here={at + 1 === props.line} runs={line()} />}</Index>
          </tbody>
        </table>
        <Show when={lines().length > shown().length}>
          <p class="none">
            <Button onClick={() => setMore(more() + PAGE * 4)}>
              {t('transcript.moreLines', { n: lines().length - shown().length, lines: count(lines().length - shown().length) })}
            </Button>
          </p>
        </Show>
        <Show when={file.latest?.cut}>
          <p class="none">{t('places.fileCut')}</p>
        </Show>
      </Show>
    </div>
  );
}

function Line(props: { id: string; path: string; n: number; here: boolean; runs: Highlighted['lines'][number] }): JSX.Element {
  return (
    <tr data-line={props.n} classList={{ here: props.here }} aria-current={props.here ? 'location' : undefined}>
      <td class="ln">
        <a href={sessionHref(props.id, 'files', null, [], props.path, props.n)} aria-label={t('places.lineLink', { n: props.n })}>
          {props.n}
        </a>
      </td>
      <td class="code">
        <Index each={props.runs}>
          {(run) => {
            const name = runClass(run()[0]);
            return name ? <span class={name}>{run()[1]}</span> : run()[1];
          }}
        </Index>
      </td>
    </tr>
  );
}

// All changes of a session as one diff: files, "Viewed" marks, comments for the next message.
import '../text/places';
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { Diff } from '../api/types';
import { Button, Checkbox, Field, Icon, Path, Segmented, Select } from '../ui';
import { Counts } from '../diff/Counts';
import { DiffView } from '../diff/DiffView';
import { t } from '../text';
import { useKeys } from '../keys/listen';
import { shortPath } from '../transcript/services';
import { createAsked } from './asked';
import { createComments, FileMenu } from './Comments';
import { openSheet } from './Dialogs';
import { WorkingTree } from './WorkingTree';
import { may, openSession, reasonOf, request } from './link';
import { diffs, keep, recall, setDiffs } from './prefs';
import './session.css';

/** Fingerprint of a diff: a file that changed again is no longer marked as viewed. */
const mark = (file: Diff): string =>
  `${file.path} ${file.added} ${file.removed} ${file.hunks.map((hunk) => `${hunk.oldStart},${hunk.newStart},${hunk.lines.length}`).join(';')}`;

export default function Changes(props: { id: string }): JSX.Element {
  const view = openSession(props.id);
  const turns = createMemo(() => view.state()?.info.turns ?? 0);
  // The changes in the whole folder, or those made by calls of this session.
  const [source, setSource] = createSignal<'tree' | 'session' | null>(null);
  const [steps, setSteps] = createSignal(0);
  const [tree, { refetch: lookAgain }] = createAsked(
    () => `${steps()} ${view.state()?.info.finishedAt ?? 0}`,
    () => request({ type: 'working_tree', sessionId: props.id }),
  );
  const shown = () => source() ?? (tree.latest?.git === false || tree.error ? 'session' : 'tree');
  const [range, setRange] = createSignal('all');
  const step = () => shown() === 'session' && `${range()} ${view.state()?.info.finishedAt ?? 0}`;
  const [changes, { refetch }] = createAsked(step, () => request({ type: 'changes', sessionId: props.id, turn: range() === 'all' ? null : Number(range()) }));
  // Paths relative to the folder of the session.
  const files = createMemo(() =>
    shown() === 'tree'
      ? (tree.latest?.files ?? []).map((file) => file.diff)
      : changes.error
        ? []
        : (changes.latest?.files ?? []).map((file) => ({ ...file, path: shortPath(file.path, view.state()?.info.projectPath) })),
  );
  const byPath = createMemo(() => new Map(files().map((file) => [file.path, file])));
  // Rows are keyed by path: an update keeps open files and unsaved comments.
  const paths = createMemo(() => [...byPath().keys()]);
  const sum = (field: 'added' | 'removed') => files().reduce((n, file) => n + file[field], 0);

  const [read, setRead] = createSignal<readonly string[]>(JSON.parse(recall(`seen.${props.id}`) ?? '[]') as string[]);
  const isRead = (file: Diff) => read().includes(mark(file));
  const setFileRead = (file: Diff, on: boolean) => {
    const next = [...read().filter((one) => !one.startsWith(`${file.path} `)), ...(on ? [mark(file)] : [])];
    setRead(next);
    keep(`seen.${props.id}`, next.length ? JSON.stringify(next.slice(-200)) : null);
  };
  const [wrap, setWrap] = createSignal(true);
  const split = () => diffs() === 'split' && matchMedia('(min-width: 68.75rem)').matches;
  let area!: HTMLDivElement;
  const hunk = (stepBy: 1 | -1) => {
    const marks = [...area.querySelectorAll<HTMLElement>('[data-hunk], .fbox')];
    const top = area.getBoundingClientRect().top + 56;
    const at = stepBy > 0 ? marks.find((one) => one.getBoundingClientRect().top > top + 2) : marks.findLast((one) => one.getBoundingClientRect().top < top - 2);
    at?.scrollIntoView({ block: 'start' });
    if (at) area.scrollTop -= 48;
  };
  useKeys({ nextHunk: () => hunk(1), previousHunk: () => hunk(-1) });
  const jump = (path: string) => area.querySelector(`[data-path="${CSS.escape(path)}"]`)?.scrollIntoView({ block: 'start' });

  return (
    <div class="chg">
      <nav class="ftree" aria-label={t('places.changedFiles')}>
        <div class="top">
          <b class="strong">{t('sessions.files', { n: files().length })}</b>
          <Counts added={sum('added')} removed={sum('removed')} />
        </div>
        <For each={files()}>
          {(file) => (
            <a
              href={`#file`}
              classList={{ read: isRead(file) }}
              onClick={(event) => {
                event.preventDefault();
                jump(file.path);
              }}
            >
              <span class="mono trunc">{file.path.split('/').at(-1)}</span>
              <Counts added={file.added} removed={file.removed} />
              <small class="trunc">{file.path.split('/').slice(0, -1).join('/')}</small>
            </a>
          )}
        </For>
        <Show when={shown() === 'session'}>
          <div class="range">
            <Range value={range()} turns={turns()} onChange={setRange} />
          </div>
        </Show>
      </nav>
      <div class="fdiffs" ref={area} tabIndex={0} role="group" aria-label={t('sessions.changes')} data-region="stream">
        <div class="fbar">
          <Show when={tree.latest?.git}>
            <Segmented<'tree' | 'session'>
              label={t('places.whatChanged')}
              value={shown()}
              onChange={setSource}
              options={[
                { value: 'tree', label: t('places.tree') },
                { value: 'session', label: t('places.thisSession') },
              ]}
            />
          </Show>
          <span class="not-phone">
            <Segmented
              label={t('places.layout')}
              value={diffs()}
              onChange={setDiffs}
              options={[
                { value: 'unified', label: t('places.unified') },
                { value: 'split', label: t('places.split') },
              ]}
            />
          </span>
          <Button small class="not-phone" icon="wrap" aria-pressed={wrap()} onClick={() => setWrap(!wrap())}>
            {t('places.wrap')}
          </Button>
          <Show when={shown() === 'session'}>
            <span class="push dim num">{t('places.readOf', { n: files().filter(isRead).length, all: files().length })}</span>
            <Show when={may('operate')}>
              <Button small icon="undo" onClick={() => openSheet({ kind: 'rewind', id: props.id, prompt: null })}>
                {t('places.rewindFilesDo')}
              </Button>
            </Show>
          </Show>
          <Show when={shown() === 'tree'}>
            <span class="push" />
            <Button small icon="retry" onClick={() => void lookAgain()}>
              {t('places.lookAgain')}
            </Button>
          </Show>
        </div>
        <Show
          when={shown() === 'tree'}
          fallback={
            <>
              <Show when={changes.error}>
                <div class="blank">
                  <p>{t('sessions.failed', { why: reasonOf(changes.error) })}</p>
                  <Button icon="retry" onClick={() => void refetch()}>
                    {t('sessions.again')}
                  </Button>
                </div>
              </Show>
              <Show when={!changes.error && files().length === 0}>
                <div class="blank">
                  <Show
                    when={changes.loading}
                    fallback={
                      <>
                        <h2>{t('places.noChanges')}</h2>
                        <p>{t('places.noChangesWords')}</p>
                      </>
                    }
                  >
                    <p role="status">{t('places.looking')}</p>
                  </Show>
                </div>
              </Show>
              <For each={paths()}>
                {(path) => (
                  <Show when={byPath().get(path)}>
                    {(file) => (
                      <File id={props.id} file={file()} split={split()} wrap={wrap()} read={isRead(file())} onRead={(on) => setFileRead(file(), on)} />
                    )}
                  </Show>
                )}
              </For>
            </>
          }
        >
          <Show
            when={tree.latest}
            fallback={
              <div class="blank">
                <p role="status">{t('places.looking')}</p>
              </div>
            }
          >
            {(found) => <WorkingTree id={props.id} tree={found()} split={split()} wrap={wrap()} onChanged={() => setSteps(steps() + 1)} />}
          </Show>
        </Show>
      </div>
    </div>
  );
}

function Range(props: { value: string; turns: number; onChange: (value: string) => void }): JSX.Element {
  return (
    <Field label={t('places.range')}>
      {(attributes) => (
        <Select
          {...attributes}
          value={props.value}
          onChange={props.onChange}
          options={[
            { value: 'all', label: t('places.wholeSession') },
            ...Array.from({ length: Math.min(props.turns, 200) }, (_, i) => props.turns - i).map((n) => ({
              value: String(n),
              label: t('places.turnOnly', { n }),
            })),
          ]}
        />
      )}
    </Field>
  );
}

function File(props: { id: string; file: Diff; split: boolean; wrap: boolean; read: boolean; onRead: (on: boolean) => void }): JSX.Element {
  const [open, setOpen] = createSignal(!props.read);
  const comments = createComments(props.id, props.file.path);
  return (
    <section class="fbox" data-path={props.file.path} aria-label={props.file.path}>
      <header class="fh">
        <button type="button" class="fold" aria-expanded={open()} onClick={() => setOpen(!open())}>
          <Icon name="chevron" class="chev" />
          <Path path={props.file.path} />
        </button>
        <Counts added={props.file.added} removed={props.file.removed} />
        <Show when={props.file.kind !== 'edit'}>
          <span class="chip">{props.file.kind === 'new' ? t('places.newFile') : t('places.deletedFile')}</span>
        </Show>
        <span class="push" />
        <Checkbox
          checked={props.read}
          onChange={(on) => {
            props.onRead(on);
            setOpen(!on);
          }}
        >
          {t('places.readTick')}
        </Checkbox>
        <FileMenu
          path={props.file.path}
          onComment={() => {
            setOpen(true);
            comments.onFile();
          }}
        />
      </header>
      <Show when={open()}>
        <DiffView diff={props.file} mode={props.split ? 'split' : 'unified'} wrap={props.wrap} onLine={comments.onLine} below={comments.below} />
        {comments.foot()}
      </Show>
    </section>
  );
}

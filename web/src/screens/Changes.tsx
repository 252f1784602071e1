// All changes of a session as one diff: files, "Viewed" marks, comments for the next message.
import '../text/places';
import { createSignal, For, Show, type JSX } from 'solid-js';
import type { Diff } from '../api/types';
import { Button, Checkbox, Field, Icon, Path, Segmented, Select } from '../ui';
import { Counts } from '../diff/Counts';
import { DiffView } from '../diff/DiffView';
import { t } from '../text';
import { useKeys } from '../keys/listen';
import { createChangeList, type ChangeList } from './changeList';
import { createComments, FileMenu } from './Comments';
import { openSheet } from './Dialogs';
import { WorkingTree } from './WorkingTree';
import { may, reasonOf } from './link';
import { diffs, setDiffs } from './prefs';
import './session.css';

/** Scrolls to the next or previous hunk. */
function scrollToHunk(area: HTMLElement, stepBy: 1 | -1): void {
  const marks = [...area.querySelectorAll<HTMLElement>('[data-hunk], .fbox')];
  const top = area.getBoundingClientRect().top + 56;
  const at = stepBy > 0 ? marks.find((one) => one.getBoundingClientRect().top > top + 2) : marks.findLast((one) => one.getBoundingClientRect().top < top - 2);
  at?.scrollIntoView({ block: 'start' });
  if (at) area.scrollTop -= 48;
}

export default function Changes(props: { id: string }): JSX.Element {
  const list = createChangeList(props.id);
  const [wrap, setWrap] = createSignal(true);
  const split = () => diffs() === 'split' && matchMedia('(min-width: 68.75rem)').matches;
  let area!: HTMLDivElement;
  useKeys({ nextHunk: () => scrollToHunk(area, 1), previousHunk: () => scrollToHunk(area, -1) });
  const jump = (path: string) => area.querySelector(`[data-path="${CSS.escape(path)}"]`)?.scrollIntoView({ block: 'start' });

  return (
    <div class="chg">
      <FileList list={list} onFile={jump} />
      <div class="fdiffs" ref={area} tabIndex={0} role="group" aria-label={t('sessions.changes')} data-region="stream">
        <Bar list={list} wrap={wrap()} onWrap={() => setWrap(!wrap())} />
        <Show when={list.shown() === 'tree'} fallback={<OfSession list={list} split={split()} wrap={wrap()} />}>
          <Show
            when={list.tree.latest}
            fallback={
              <div class="blank">
                <p role="status">{t('places.looking')}</p>
              </div>
            }
          >
            {(found) => <WorkingTree id={props.id} tree={found()} split={split()} wrap={wrap()} onChanged={list.step} />}
          </Show>
        </Show>
      </div>
    </div>
  );
}

interface PartProps {
  list: ChangeList;
}

function FileList(props: PartProps & { onFile: (path: string) => void }): JSX.Element {
  const { list } = props;
  return (
    <nav class="ftree" aria-label={t('places.changedFiles')}>
      <div class="top">
        <b class="strong">{t('sessions.files', { n: list.files().length })}</b>
        <Counts added={list.sum('added')} removed={list.sum('removed')} />
      </div>
      <For each={list.files()}>
        {(file) => (
          <a
            href={`#file`}
            classList={{ read: list.isRead(file) }}
            onClick={(event) => {
              event.preventDefault();
              props.onFile(file.path);
            }}
          >
            <span class="mono trunc">{file.path.split('/').at(-1)}</span>
            <Counts added={file.added} removed={file.removed} />
            <small class="trunc">{file.path.split('/').slice(0, -1).join('/')}</small>
          </a>
        )}
      </For>
      <Show when={list.shown() === 'session'}>
        <div class="range">
          <Range value={list.range()} turns={list.turns()} onChange={list.setRange} />
        </div>
      </Show>
    </nav>
  );
}

/** What is shown, and how. */
function Bar(props: PartProps & { wrap: boolean; onWrap: () => void }): JSX.Element {
  const { list } = props;
  return (
    <div class="fbar">
      <Show when={list.tree.latest?.git}>
        <Segmented<'tree' | 'session'>
          label={t('places.whatChanged')}
          value={list.shown()}
          onChange={list.setSource}
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
      <Button small class="not-phone" icon="wrap" aria-pressed={props.wrap} onClick={() => props.onWrap()}>
        {t('places.wrap')}
      </Button>
      <Show when={list.shown() === 'session'}>
        <span class="push dim num">{t('places.readOf', { n: list.files().filter(list.isRead).length, all: list.files().length })}</span>
        <Show when={may('operate')}>
          <Button small icon="undo" onClick={() => openSheet({ kind: 'rewind', id: list.id, prompt: null })}>
            {t('places.rewindFilesDo')}
          </Button>
        </Show>
      </Show>
      <Show when={list.shown() === 'tree'}>
        <span class="push" />
        <Button small icon="retry" onClick={() => void list.lookAgain()}>
          {t('places.lookAgain')}
        </Button>
      </Show>
    </div>
  );
}

/** The changes made by calls of the session. */
function OfSession(props: PartProps & { split: boolean; wrap: boolean }): JSX.Element {
  const { list } = props;
  return (
    <>
      <Show when={list.changes.error}>
        <div class="blank">
          <p>{t('sessions.failed', { why: reasonOf(list.changes.error) })}</p>
          <Button icon="retry" onClick={() => void list.refetch()}>
            {t('sessions.again')}
          </Button>
        </div>
      </Show>
      <Show when={!list.changes.error && list.files().length === 0}>
        <div class="blank">
          <Show
            when={list.changes.loading}
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
      <For each={list.paths()}>
        {(path) => (
          <Show when={list.byPath().get(path)}>
            {(file) => (
              <File id={list.id} file={file()} split={props.split} wrap={props.wrap} read={list.isRead(file())} onRead={(on) => list.setFileRead(file(), on)} />
            )}
          </Show>
        )}
      </For>
    </>
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

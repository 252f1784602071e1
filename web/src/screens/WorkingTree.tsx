// The working tree of a session's folder: every file that differs from the last commit, and Git actions.
import '../text/places';
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { ChangedFile, DiffLine, GitReport, GitStep, WorkingTree as Tree } from '../api/types';
import { Counts } from '../diff/Counts';
import { DiffView } from '../diff/DiffView';
import { t } from '../text';
import { announce, Button, Checkbox, Dialog, Field, Icon, IconButton, Input, Path, TextArea, toast, Problem } from '../ui';
import { go, sessionHref } from '../route/route';
import { act } from './act';
import { createComments, FileMenu } from './Comments';
import { may, reasonOf, request } from './link';

/** A Git action that the user has not confirmed yet; its commands are shown first. */
interface Proposed {
  step: GitStep;
  title: string;
  report: GitReport;
  bad: boolean;
  done: (() => void) | undefined;
}

export interface WorkingTreeProps {
  id: string;
  tree: Tree;
  split: boolean;
  wrap: boolean;
  onChanged: () => void;
}

export function WorkingTree(props: WorkingTreeProps): JSX.Element {
  const [left, setLeft] = createSignal<readonly string[]>([]);
  const byPath = createMemo(() => new Map(props.tree.files.map((file) => [file.diff.path, file])));
  // Rows are keyed by path: an update keeps open files and unsaved comments.
  const paths = createMemo(() => [...byPath().keys()]);
  const chosen = createMemo(() => paths().filter((path) => !left().includes(path) && !byPath().get(path)?.conflict));
  const choose = (path: string, on: boolean) => setLeft(on ? left().filter((one) => one !== path) : [...left(), path]);
  const [proposed, setProposed] = createSignal<Proposed | null>(null);
  const [problem, setProblem] = createSignal<string | null>(null);
  const [busy, setBusy] = createSignal(false);
  const propose: Propose = async (step, title, { bad = false, done } = {}) => {
    const report = await act(() => request({ type: 'git', sessionId: props.id, step, dryRun: true }));
    setProblem(null);
    if (report) setProposed({ step, title, report, bad, done });
  };
  const confirm = async () => {
    const one = proposed();
    if (!one) return;
    setBusy(true);
    setProblem(null);
    try {
      const report = await request({ type: 'git', sessionId: props.id, step: one.step, dryRun: false });
      setProposed(null);
      one.done?.();
      toast(t(`places.git_done_${one.step.do}`, { result: report.output, path: 'path' in one.step ? one.step.path : '' }));
    } catch (error) {
      setProblem(reasonOf(error));
    } finally {
      setBusy(false);
      props.onChanged();
    }
  };
  return (
    <>
      <Steps {...props} chosen={chosen()} propose={propose} />
      <Show when={props.tree.files.length === 0}>
        <div class="blank">
          <h2>{t('places.treeClean')}</h2>
          <p>{t('places.treeCleanWords')}</p>
        </div>
      </Show>
      <For each={paths()}>
        {(path) => (
          <Show when={byPath().get(path)}>
            {(file) => (
              <TreeFile
                id={props.id}
                root={props.tree.root}
                file={file()}
                split={props.split}
                wrap={props.wrap}
                chosen={chosen().includes(path)}
                onChoose={(on) => choose(path, on)}
                propose={propose}
              />
            )}
          </Show>
        )}
      </For>
      <Show when={props.tree.more > 0}>
        <p class="none">{t('places.treeMore', { n: props.tree.more })}</p>
      </Show>
      <Confirm proposed={proposed()} busy={busy()} problem={problem()} onClose={() => setProposed(null)} onConfirm={() => void confirm()} />
    </>
  );
}

/** Shows the commands of an action. `bad`: changes are lost. `done`: called after the commands ran. */
type Propose = (step: GitStep, title: string, options?: { bad?: boolean; done?: () => void }) => Promise<void>;

/** Branch, commit, push, pull request and worktree. */
function Steps(props: WorkingTreeProps & { chosen: readonly string[]; propose: Propose }): JSX.Element {
  const [typed, setTyped] = createSignal<string | null>(null);
  const message = () => typed() ?? props.tree.message;
  const [asking, setAsking] = createSignal(false);
  const commit = async () => {
    await props.propose({ do: 'commit', paths: [...props.chosen], message: message() }, t('places.commitTitle', { n: props.chosen.length }), {
      done: () => setTyped(null),
    });
  };
  const unpushed = () => props.tree.branch !== null && (props.tree.upstream === null || props.tree.ahead > 0);
  return (
    <section class="gitbox" aria-label={t('places.git')}>
      <p class="row wrap">
        <Icon name="fork" />
        <b class="strong mono">{props.tree.branch ?? t('places.noBranch')}</b>
        <Show when={props.tree.upstream}>{(name) => <span class="dim mono">{name()}</span>}</Show>
        <Show when={props.tree.ahead > 0}>
          <span class="chip">{t('places.ahead', { n: props.tree.ahead })}</span>
        </Show>
        <Show when={props.tree.behind > 0}>
          <span class="chip">{t('places.behind', { n: props.tree.behind })}</span>
        </Show>
      </p>
      <Show when={may('approve')} fallback={<p class="dim">{t('places.gitViewOnly')}</p>}>
        <Show when={props.tree.files.length > 0}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void commit();
            }}
          >
            <Field label={t('places.commitMessage')}>
              {(attributes) => <TextArea {...attributes} rows={2} value={message()} onInput={(event) => setTyped(event.currentTarget.value)} />}
            </Field>
            <Button type="submit" look="primary" icon="check" disabled={props.chosen.length === 0 || message().trim() === ''}>
              {t('places.commitDo', { n: props.chosen.length })}
            </Button>
          </form>
        </Show>
        <div class="row wrap">
          <Show when={props.tree.remote && unpushed()}>
            <Button icon="external" onClick={() => void props.propose({ do: 'push' }, t('places.pushTitle'))}>
              {t('places.push')}
            </Button>
          </Show>
          <Show when={props.tree.gh && props.tree.remote && !unpushed()}>
            <Button icon="fork" aria-expanded={asking()} onClick={() => setAsking(!asking())}>
              {t('places.pullRequest')}
            </Button>
          </Show>
          <Show when={props.tree.worktree}>
            {(tree) => (
              <>
                <Button
                  icon="side"
                  disabled={tree().commits === 0 || props.tree.files.length > 0 || tree().into === null}
                  onClick={() => void props.propose({ do: 'merge_worktree' }, t('places.mergeTitle', { branch: tree().into ?? '' }))}
                >
                  {t('places.mergeDo', { n: tree().commits, branch: tree().into ?? '–' })}
                </Button>
                <Button icon="x" tone="bad" onClick={() => void props.propose({ do: 'discard_worktree' }, t('places.discardTreeTitle'), { bad: true })}>
                  {t('places.discardTree')}
                </Button>
              </>
            )}
          </Show>
        </div>
        <Show when={props.tree.worktree && props.tree.worktree.commits > 0 && props.tree.files.length > 0}>
          <p class="dim">{t('places.mergeFirst')}</p>
        </Show>
        <Show when={asking()}>
          <PullRequest branch={props.tree.branch ?? ''} propose={props.propose} onClose={() => setAsking(false)} />
        </Show>
      </Show>
    </section>
  );
}

function PullRequest(props: { branch: string; propose: Propose; onClose: () => void }): JSX.Element {
  const [title, setTitle] = createSignal(props.branch.replace(/[-_/]+/g, ' '));
  const [body, setBody] = createSignal('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void props.propose({ do: 'pull_request', title: title(), body: body() }, t('places.pullTitle'), { done: props.onClose });
      }}
    >
      <Field label={t('places.pullName')}>
        {(attributes) => <Input {...attributes} value={title()} onInput={(event) => setTitle(event.currentTarget.value)} />}
      </Field>
      <Field label={t('places.pullBody')}>
        {(attributes) => <TextArea {...attributes} rows={3} value={body()} onInput={(event) => setBody(event.currentTarget.value)} />}
      </Field>
      <Button type="submit" look="primary" disabled={title().trim() === ''}>
        {t('places.pullDo')}
      </Button>
    </form>
  );
}

interface TreeFileProps {
  id: string;
  root: string;
  file: ChangedFile;
  split: boolean;
  wrap: boolean;
  chosen: boolean;
  onChoose: (on: boolean) => void;
  propose: Propose;
}

function TreeFile(props: TreeFileProps): JSX.Element {
  const [open, setOpen] = createSignal(props.file.diff.added + props.file.diff.removed <= 400);
  const path = () => props.file.diff.path;
  /** The last line of each hunk, with the id of the hunk. */
  const ends = createMemo(
    () =>
      new Map<DiffLine, string>(
        props.file.diff.hunks.flatMap((hunk, at) => {
          const [line, id] = [hunk.lines.at(-1), props.file.hunks[at]];
          return line && id ? [[line, id] as const] : [];
        }),
      ),
  );
  const comments = createComments(props.id, props.file.diff.path);
  const discard = (hunk: string) => (
    <Button
      small
      look="bare"
      icon="undo"
      onClick={() => void props.propose({ do: 'discard_hunk', path: path(), hunk }, t('places.discardHunkTitle', { path: path() }), { bad: true })}
    >
      {t('places.discardHunk')}
    </Button>
  );
  const below = (line: DiffLine) => {
    const hunk = may('approve') ? ends().get(line) : undefined;
    const form = comments.below(line);
    return hunk === undefined ? (
      form
    ) : (
      <>
        {form}
        {discard(hunk)}
      </>
    );
  };
  return (
    <section class="fbox" data-path={path()} aria-label={path()}>
      <TreeFileHead
        {...props}
        open={open()}
        onOpen={setOpen}
        onComment={() => {
          setOpen(true);
          comments.onFile();
        }}
      />
      <Show when={open()}>
        <DiffView diff={props.file.diff} mode={props.split ? 'split' : 'unified'} wrap={props.wrap} onLine={comments.onLine} below={below} />
        {comments.foot()}
      </Show>
    </section>
  );
}

/** Name, size and actions of a file. */
function TreeFileHead(props: TreeFileProps & { open: boolean; onOpen: (open: boolean) => void; onComment: () => void }): JSX.Element {
  const path = () => props.file.diff.path;
  const inFiles = () => sessionHref(props.id, 'files', null, [], `${props.root}/${path()}`);
  const discardFile = () => void props.propose({ do: 'discard_file', path: path() }, t('places.discardFileTitle', { path: path() }), { bad: true });
  return (
    <header class="fh">
      <Show when={may('approve')}>
        <Checkbox
          checked={props.chosen}
          disabled={props.file.conflict}
          onChange={(on) => {
            props.onChoose(on);
            announce(on ? t('places.inCommit', { path: path() }) : t('places.notInCommit', { path: path() }));
          }}
        >
          <span class="vh">{t('places.commitFile', { path: path() })}</span>
        </Checkbox>
      </Show>
      <button type="button" class="fold" aria-expanded={props.open} onClick={() => props.onOpen(!props.open)}>
        <Icon name="chevron" class="chev" />
        <Path path={path()} />
      </button>
      <Counts added={props.file.diff.added} removed={props.file.diff.removed} />
      <Show when={props.file.conflict}>
        <span class="chip bad">{t('places.conflict')}</span>
      </Show>
      <Show when={props.file.diff.kind !== 'edit'}>
        <span class="chip">{props.file.diff.kind === 'new' ? t('places.newFile') : t('places.deletedFile')}</span>
      </Show>
      <span class="push" />
      <a class="icon-btn small not-phone" href={inFiles()} aria-label={t('places.openFile', { path: path() })}>
        <Icon name="read" />
      </a>
      <Show when={may('approve')}>
        <IconButton small class="not-phone" icon="undo" label={t('places.discardFile', { path: path() })} onClick={discardFile} />
      </Show>
      <FileMenu
        path={path()}
        onComment={props.onComment}
        more={[
          { label: t('places.openFile', { path: path() }), icon: 'read', onSelect: () => go(inFiles()) },
          ...(may('approve') ? [{ label: t('places.discardFile', { path: path() }), icon: 'undo' as const, bad: true, onSelect: discardFile }] : []),
        ]}
      />
    </header>
  );
}

/** Shows the commands of an action before they run. */
function Confirm(props: { proposed: Proposed | null; busy: boolean; problem: string | null; onClose: () => void; onConfirm: () => void }): JSX.Element {
  return (
    <Dialog
      open={props.proposed !== null}
      title={props.proposed?.title ?? ''}
      onClose={() => props.onClose()}
      footer={
        <>
          <Button look="bare" onClick={() => props.onClose()}>
            {t('ui.cancel')}
          </Button>
          <Button
            look={props.proposed?.bad ? undefined : 'primary'}
            tone={props.proposed?.bad ? 'bad' : undefined}
            disabled={props.busy}
            onClick={() => props.onConfirm()}
          >
            {props.busy ? t('places.gitRunning') : t('places.gitAllow')}
          </Button>
        </>
      }
    >
      <p>{props.proposed?.bad ? t('places.gitLoses') : t('places.gitRuns')}</p>
      <pre class="well" tabIndex={0} role="group" aria-label={t('places.gitCommands')}>
        {props.proposed?.report.commands.join('\n')}
      </pre>
      <Show when={props.proposed?.report.note}>{(note) => <p class="dim">{note()}</p>}</Show>
      <Problem why={props.problem} />
    </Dialog>
  );
}

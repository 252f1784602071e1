// Actions on a session: rename, delete, rewind, export and their dialogs.
import { createSignal, Show, Suspense, type JSX } from 'solid-js';
import { lazy } from '../ui/part';
import { Button, copyText, Dialog, Field, IconButton, Input, Menu, toast, type MenuEntry } from '../ui';
import type { SessionInfo } from '../api/types';
import { t } from '../text';
import { go, route, sessionHref } from '../route/route';
import { act, done } from './act';
import { infoOf, may, request } from './link';

const Rewind = lazy(() => import('./Rewind'));
const Export = lazy(() => import('./Export'));
const TrustSheet = lazy(() => import('./TrustSheet'));

/** `trust`: `id` is the session whose agent restarts, or empty. */
type Sheet =
  | { kind: 'rename' | 'delete' | 'export'; id: string }
  | { kind: 'rewind'; id: string; prompt: string | null }
  | { kind: 'trust'; id: string; folder: string };
const [sheet, setSheet] = createSignal<Sheet | null>(null);
export const openSheet = (next: Sheet): void => void setSheet(next);
export const titleOf = (info: SessionInfo | undefined): string => info?.title ?? t('sessions.untitled');

export async function resume(info: SessionInfo, busy?: (on: boolean) => void): Promise<void> {
  const begun = await act(() => request({ type: 'resume_session', sessionId: info.sessionId, projectPath: info.projectPath }), busy);
  if (begun) go(sessionHref(begun.sessionId));
}

export async function fork(id: string, at: string | null = null): Promise<void> {
  const begun = await act(() => request({ type: 'fork', sessionId: id, at }));
  if (!begun) return;
  go(sessionHref(begun.sessionId));
  toast(t('sessions.forked'));
}

export async function archive(info: SessionInfo, archived = true): Promise<void> {
  const set = (value: boolean) => done(() => request({ type: 'archive', sessionId: info.sessionId, archived: value }));
  if (!(await set(archived))) return;
  const here = route();
  if (archived && here.at === 'session' && here.id === info.sessionId) go('#/');
  if (archived) toast(t('sessions.archivedDone', { title: titleOf(info) }), { action: { label: t('ui.undo'), run: () => void set(false) } });
}

/** The items of a session's menu; `extra` are specific to where it is opened. */
export function entries(info: SessionInfo, extra: readonly MenuEntry[] = []): MenuEntry[] {
  const id = info.sessionId;
  const live = !info.external && !['stopped', 'crashed', 'external', 'lost'].includes(info.standing);
  return [
    ...extra,
    ...(may('operate')
      ? ([
          ...(live ? [] : [{ label: t('sessions.resume'), icon: 'retry', onSelect: () => void resume(info) } as const]),
          { label: t('sessions.rename'), icon: 'edit', onSelect: () => openSheet({ kind: 'rename', id }) },
          { label: t('sessions.fork'), icon: 'fork', onSelect: () => void fork(id) },
          { label: t('sessions.rewind'), icon: 'history', disabled: info.external, onSelect: () => openSheet({ kind: 'rewind', id, prompt: null }) },
        ] as const)
      : []),
    { label: t('sessions.export'), icon: 'download', onSelect: () => openSheet({ kind: 'export', id }) },
    { label: t('sessions.copyLink'), icon: 'link', onSelect: () => void copyText(new URL(sessionHref(id), location.href).href) },
    ...(may('operate')
      ? ([
          'separator',
          ...(live
            ? [
                {
                  label: t('sessions.stopAgent'),
                  icon: 'stop',
                  onSelect: () => void done(() => request({ type: 'stop_session', sessionId: id })).then((ok) => ok && toast(t('sessions.stopped'))),
                } as const,
              ]
            : []),
          { label: info.archived ? t('sessions.unarchive') : t('sessions.archive'), icon: 'folder', onSelect: () => void archive(info, !info.archived) },
          ...(may('admin') ? [{ label: t('sessions.remove'), icon: 'x', bad: true, onSelect: () => openSheet({ kind: 'delete', id }) } as const] : []),
        ] as const)
      : []),
  ];
}

export function SessionMenu(props: { info: SessionInfo; extra?: () => readonly MenuEntry[]; small?: boolean }): JSX.Element {
  return (
    <Menu
      label={t('sessions.menuOf', { title: titleOf(props.info) })}
      items={() => entries(props.info, props.extra?.())}
      trigger={(attributes) => <IconButton {...attributes} small={props.small} icon="dots" label={t('sessions.menuOf', { title: titleOf(props.info) })} />}
    />
  );
}

/** Rendered once per page. Each dialog keeps its session, since answers may arrive after the dialog was closed. */
export function Sheets(): JSX.Element {
  const close = () => setSheet(null);
  const drawn = (one: Sheet): JSX.Element => {
    switch (one.kind) {
      case 'rename':
        return <Rename id={one.id} onClose={close} />;
      case 'delete':
        return <Delete id={one.id} onClose={close} />;
      case 'rewind':
        return <Rewind id={one.id} prompt={one.prompt} onClose={close} />;
      case 'trust':
        return <TrustSheet folder={one.folder} id={one.id} onClose={close} />;
      case 'export':
        return <Export id={one.id} onClose={close} />;
    }
  };
  return (
    <Suspense>
      <Show keyed when={sheet()}>
        {drawn}
      </Show>
    </Suspense>
  );
}

function Rename(props: { id: string; onClose: () => void }): JSX.Element {
  const [title, setTitle] = createSignal(infoOf(props.id)?.title ?? '');
  const [busy, setBusy] = createSignal(false);
  const save = async (event: Event) => {
    event.preventDefault();
    if (title().trim() && (await done(() => request({ type: 'rename', sessionId: props.id, title: title().trim() }), setBusy))) props.onClose();
  };
  return (
    <Dialog
      open
      title={t('sessions.renameTitle')}
      onClose={props.onClose}
      footer={
        <>
          <Button look="primary" disabled={busy() || !title().trim()} onClick={(event) => void save(event)}>
            {t('sessions.save')}
          </Button>
          <Button look="bare" onClick={() => props.onClose()}>
            {t('ui.cancel')}
          </Button>
        </>
      }
    >
      <form onSubmit={(event) => void save(event)}>
        <Field label={t('sessions.title')}>
          {(attributes) => <Input {...attributes} value={title()} maxLength={200} onInput={(event) => setTitle(event.currentTarget.value)} />}
        </Field>
      </form>
    </Dialog>
  );
}

function Delete(props: { id: string; onClose: () => void }): JSX.Element {
  const title = titleOf(infoOf(props.id));
  const [typed, setTyped] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const same = () => typed().trim().toLowerCase() === title.trim().toLowerCase();
  const remove = async (event: Event) => {
    event.preventDefault();
    if (!same() || !(await done(() => request({ type: 'delete', sessionId: props.id }), setBusy))) return;
    const here = route();
    props.onClose();
    if (here.at === 'session' && here.id === props.id) go('#/', true);
    toast(t('sessions.deleted', { title }));
  };
  return (
    <Dialog
      open
      title={t('sessions.deleteTitle')}
      onClose={props.onClose}
      footer={
        <>
          <Button tone="bad" disabled={!same() || busy()} onClick={(event) => void remove(event)}>
            {busy() ? t('sessions.deleting') : t('sessions.deleteDo')}
          </Button>
          <Button look="bare" onClick={() => props.onClose()}>
            {t('ui.cancel')}
          </Button>
        </>
      }
    >
      <p class="sec">{t('sessions.deleteWords')}</p>
      <form onSubmit={(event) => void remove(event)}>
        <Field label={t('sessions.deleteType', { title })}>
          {(attributes) => (
            <Input {...attributes} value={typed()} autocomplete="off" spellcheck={false} onInput={(event) => setTyped(event.currentTarget.value)} />
          )}
        </Field>
      </form>
      <Show when={infoOf(props.id)?.standing === 'running'}>
        <p class="t-ask">{t('sessions.running')}</p>
      </Show>
    </Dialog>
  );
}

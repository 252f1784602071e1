import { createSignal, For, Show, type JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import type { SessionInfo } from '../api/types';
import { Icon, IconButton, type MenuEntry } from '../ui';
import { t } from '../text';
import { capsOf } from '../keys/keymap';
import { perform } from '../keys/listen';
import { go, route, sessionHref, type View } from '../route/route';
import { done } from './act';
import { SessionMenu, titleOf } from './Dialogs';
import { branchOf, folderName, group } from './groups';
import { may, request, sessions, unread } from './link';
import { Glyph, standing } from './Standing';

export interface HeadProps {
  id: string;
  info: SessionInfo | undefined;
  /** The session does not exist; only this is shown. */
  gone: boolean;
  view: View;
  beside: boolean;
  worktree: string | null;
  /** Number of files the session changed. */
  changed: number;
  panel: boolean;
  onPanel: () => void;
  /** Shows another session next to this one; undefined without space for one more. */
  onAdd: ((id: string) => void) | undefined;
  /** Removes this session from those shown side by side; undefined if it is the only one. */
  onClose: (() => void) | undefined;
}

/** The title as a button that becomes a field. Enter or leaving it saves, Escape cancels. */
function EditableTitle(props: { id: string; title: string }): JSX.Element {
  const [editing, setEditing] = createSignal(false);
  let button: HTMLButtonElement | undefined;
  const end = (field: HTMLInputElement, save: boolean) => {
    if (!editing()) return;
    const title = field.value.trim();
    const focused = document.activeElement === field;
    setEditing(false);
    if (focused) button?.focus();
    if (save && title !== '' && title !== props.title) void done(() => request({ type: 'rename', sessionId: props.id, title }));
  };
  const keys = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    event.stopPropagation();
    end(event.currentTarget, event.key === 'Enter');
  };
  return (
    <Show
      when={editing()}
      fallback={
        <button ref={button} type="button" class="title-btn trunc" title={t('sessions.rename')} onClick={() => setEditing(true)}>
          {props.title}
        </button>
      }
    >
      <input
        ref={(field) =>
          queueMicrotask(() => {
            field.focus();
            field.select();
          })
        }
        class="input title-field"
        value={props.title}
        maxLength={200}
        aria-label={t('sessions.title')}
        autocomplete="off"
        onKeyDown={keys}
        onBlur={(event) => end(event.currentTarget, true)}
      />
    </Show>
  );
}

/** The views of a session. */
const VIEWS: readonly { view: View; word: () => string }[] = [
  { view: 'transcript', word: () => t('sessions.transcript') },
  { view: 'changes', word: () => t('sessions.changes') },
  { view: 'files', word: () => t('sessions.filesView') },
  { view: 'overview', word: () => t('sessions.overview') },
];
const besides = () => {
  const here = route();
  return here.at === 'session' ? here.beside : [];
};
/** Sessions that may be shown next to this one: pending requests first, then running, then recently used. */
const others = () => {
  const here = route();
  const open = here.at === 'session' ? here.id : '';
  const by = group(sessions(), unread);
  return [...by.needs, ...by.running, ...by.idle].filter((info) => info.sessionId !== open && !besides().includes(info.sessionId)).slice(0, 5);
};

/** Entries of the menu besides those of every session. */
const extraEntries = (props: HeadProps): MenuEntry[] => [
  ...(props.onClose || matchMedia('(max-width: 47.99rem)').matches
    ? [
        ...VIEWS.map((one) => ({ label: one.word(), checked: one.view === props.view, onSelect: () => go(sessionHref(props.id, one.view)) })),
        'separator' as const,
      ]
    : []),
  ...(props.view === 'transcript'
    ? [{ label: t('sessions.findIn'), icon: 'grep' as const, hotkey: capsOf('find'), onSelect: () => void perform('find') }]
    : []),
  ...(props.onAdd
    ? [
        ...others().map((info) => ({
          label: t('sessions.besideOf', { title: titleOf(info) }),
          icon: 'side' as const,
          onSelect: () => props.onAdd?.(info.sessionId),
        })),
        'separator' as const,
      ]
    : []),
  ...(props.onClose ? [{ label: t('sessions.closeBeside'), icon: 'x' as const, onSelect: () => props.onClose?.() }] : []),
];

/** Title, where, the views of the session, its panel and its menu. */
export function SessionHead(props: HeadProps): JSX.Element {
  const title = () => (props.gone ? t('sessions.gone') : titleOf(props.info));
  return (
    <header class="head">
      <a class="icon-btn back" href="#/" aria-label={t('sessions.back')}>
        <Icon name="back" />
      </a>
      <Show when={!props.gone && props.info}>
        {(info) => (
          <span class="only-phone">
            <Glyph info={info()} />
          </span>
        )}
      </Show>
      <div class="ttl">
        <Dynamic component={props.beside ? 'h2' : 'h1'} class="trunc">
          <Show when={!props.gone && props.info && may('operate')} fallback={title()}>
            <EditableTitle id={props.id} title={title()} />
          </Show>
        </Dynamic>
        <Show when={!props.gone && props.info}>{(info) => <Where info={info()} worktree={props.worktree} />}</Show>
      </div>
      <Show when={!props.gone} fallback={<span class="push" />}>
        <ViewTabs {...props} title={title()} />
      </Show>
      <Show when={!props.gone && !props.beside && props.view === 'transcript'}>
        <IconButton
          icon="side"
          label={props.panel ? t('sessions.hideDetails') : t('sessions.details')}
          hotkey={capsOf('panel')}
          pressed={props.panel}
          onClick={() => props.onPanel()}
        />
      </Show>
      <Show when={!props.gone && props.info}>{(info) => <SessionMenu info={info()} extra={() => extraEntries(props)} />}</Show>
      <Show when={props.onClose}>
        <IconButton icon="x" label={`${t('sessions.closeBeside')}: ${title()}`} onClick={() => props.onClose?.()} />
      </Show>
    </header>
  );
}

/** The status on a phone, else folder and branch. */
function Where(props: { info: SessionInfo; worktree: string | null }): JSX.Element {
  return (
    <p class="where trunc">
      <span class="only-phone">
        {standing(props.info).word}
        <Show when={standing(props.info).evidence}> · {standing(props.info).evidence}</Show>
      </span>
      <span class="not-phone" title={props.info.projectPath}>
        {folderName(props.info.projectPath)}
        <Show when={branchOf(props.info) ?? (props.worktree ? folderName(props.worktree) : null)}>{(branch) => <> / {branch()}</>}</Show>
      </span>
    </p>
  );
}

function ViewTabs(props: HeadProps & { title: string }): JSX.Element {
  return (
    <nav class="tabs" aria-label={props.beside ? `${t('sessions.views')}: ${props.title}` : t('sessions.views')}>
      <For each={VIEWS}>
        {(one) => (
          <a href={sessionHref(props.id, one.view, null, props.beside ? [] : besides())} aria-current={props.view === one.view ? 'page' : undefined}>
            {one.word()}
            <Show when={one.view === 'changes' && props.changed > 0}>
              {' '}
              <span class="num dim" aria-hidden="true">
                {props.changed}
              </span>
            </Show>
          </a>
        )}
      </For>
    </nav>
  );
}

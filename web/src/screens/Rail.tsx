// The left column: sessions while a session is open, the screens of the page elsewhere.
import { createEffect, createMemo, For, Match, on, onCleanup, Show, Switch, type JSX } from 'solid-js';
import type { SessionInfo } from '../api/types';
import { Badge, Icon, IconButton, Kbd, StateGlyph, type IconName } from '../ui';
import { whenIdle } from '../ui/task';
import { t } from '../text';
import { age } from '../text/format';
import { ariaKeys, capsOf } from '../keys/keymap';
import { perform } from '../keys/listen';
import { format, go, route, sessionHref } from '../route/route';
import { folderName, folders, group, rowAge } from './groups';
import { fetchAhead, line, now, sessions, unread } from './link';
import { setTheme, theme, type Theme } from './prefs';
import { Glyph, RailWords } from './Standing';

export function Rail(): JSX.Element {
  const inSession = () => ['session', 'new', 'welcome'].includes(route().at);
  return (
    <aside class="rail" aria-label={inSession() ? t('sessions.rail') : t('sessions.main')}>
      <div class="rail-top">
        <a class="brand" href="#/" aria-label={t('sessions.brand')}>
          <StateGlyph shape="flow" />
          Sluice
        </a>
        <Show when={inSession()}>
          <span class="push" />
          <IconButton icon="plus" label={t('sessions.newSession')} hotkey={capsOf('new')} onClick={() => go('#/new')} />
        </Show>
      </div>
      <Show when={inSession()} fallback={<Places />}>
        <SessionRail />
      </Show>
      <div class="rail-foot">
        <LineWord />
        <span class="tools">
          <Show when={inSession()}>
            <IconButton small icon="chart" label={t('sessions.usage')} onClick={() => go('#/usage')} />
            <IconButton small icon="gear" label={t('sessions.settings')} onClick={() => go('#/settings')} />
          </Show>
          <ThemeButton />
        </span>
      </div>
    </aside>
  );
}

/** Connection status in one word; details are shown in the gate and at the top of the page. */
function LineWord(): JSX.Element {
  // Depends on the local clock; the bridge's time only triggers the update.
  const lostFor = () => {
    now();
    return Math.max(0, Date.now() - line().since);
  };
  return (
    <Switch>
      <Match when={line().phase === 'up'}>
        <span class="dot" aria-hidden="true" />
        <span>{t('sessions.connected')}</span>
      </Match>
      <Match when={line().phase === 'connecting'}>
        <span class="dot hollow" aria-hidden="true" />
        <span>{t('sessions.connecting')}</span>
      </Match>
      <Match when={true}>
        <span class="dot diamond" aria-hidden="true" />
        <span>{t('sessions.notConnected', { age: age(lostFor()) })}</span>
      </Match>
    </Switch>
  );
}

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
export function ThemeButton(): JSX.Element {
  const word = () => (theme() === 'light' ? t('sessions.themeLight') : theme() === 'dark' ? t('sessions.themeDark') : t('sessions.themeSystem'));
  return <IconButton small icon={theme() === 'dark' ? 'moon' : 'sun'} label={t('sessions.theme', { theme: word() })} onClick={() => setTheme(NEXT[theme()])} />;
}

function SessionRail(): JSX.Element {
  const groups = createMemo(() => group(sessions(), unread));
  const empty = () => sessions().length === 0;
  return (
    <>
      <button type="button" class="search" onClick={() => perform('palette')} aria-keyshortcuts={ariaKeys('palette')}>
        <Icon name="grep" />
        <span class="grow trunc">{t('sessions.search')}</span>
        <Kbd keys={capsOf('palette')} />
      </button>
      <nav class="rail-list" aria-label={t('sessions.sessions')} tabIndex={-1}>
        <Show when={empty()}>
          <p class="none">{t('sessions.none')}</p>
        </Show>
        <RailGroup title={t('sessions.needsYou')} rows={groups().needs} />
        <RailGroup title={t('sessions.running')} rows={groups().running} />
        <RailGroup title={t('sessions.idle')} rows={groups().idle} most={40} />
        <RailGroup title={t('sessions.elsewhere')} rows={groups().elsewhere} most={20} />
      </nav>
    </>
  );
}

function RailGroup(props: { title: string; rows: readonly SessionInfo[]; most?: number }): JSX.Element {
  const shown = () => (props.most ? props.rows.slice(0, props.most) : props.rows);
  return (
    <Show when={props.rows.length}>
      <h2 class="group">
        {props.title} <span class="num">{props.rows.length}</span>
      </h2>
      <For each={shown().map((info) => info.sessionId)}>
        {(id) => {
          const info = createMemo(() => props.rows.find((one) => one.sessionId === id));
          return <Show when={info()}>{(one) => <RailRow info={one()} />}</Show>;
        }}
      </For>
      <Show when={shown().length < props.rows.length}>
        <a class="navi" href="#/">
          <span class="grow">{t('sessions.moreSessions', { n: props.rows.length - shown().length })}</span>
        </a>
      </Show>
    </Show>
  );
}

function RailRow(props: { info: SessionInfo }): JSX.Element {
  const at = route;
  /** Keeps the other sessions that are shown side by side. */
  const others = () => {
    const here = at();
    return here.at === 'session' && here.view === 'transcript' ? here.beside.filter((one) => one !== props.info.sessionId) : [];
  };
  const current = () => {
    const here = at();
    return here.at === 'session' && [here.id, ...here.beside].includes(props.info.sessionId);
  };
  let row!: HTMLAnchorElement;
  // Scrolls the current session into view.
  createEffect(
    on(current, (now) => {
      if (now) onCleanup(whenIdle(() => row.scrollIntoView({ block: 'nearest' })));
    }),
  );
  return (
    <a
      ref={row}
      class="sess"
      classList={{ unread: unread(props.info) }}
      href={sessionHref(props.info.sessionId, 'transcript', null, others())}
      aria-current={current() ? 'page' : undefined}
      onPointerDown={(event) => fetchAhead(event, props.info.sessionId)}
    >
      <Glyph info={props.info} />
      <span class="title trunc">{props.info.title ?? t('sessions.untitled')}</span>
      <span class="when">{rowAge(props.info, now())}</span>
      <span class="words trunc">
        <RailWords info={props.info} />
      </span>
    </a>
  );
}

type Spot = { at: 'sessions' | 'usage' | 'settings' | 'help' | 'keys'; href: string; icon: IconName; word: () => string };
export const spots: readonly Spot[] = [
  { at: 'sessions', href: '#/', icon: 'bash', word: () => t('sessions.sessions') },
  { at: 'usage', href: '#/usage', icon: 'chart', word: () => t('sessions.usage') },
  { at: 'settings', href: '#/settings', icon: 'gear', word: () => t('sessions.settings') },
  { at: 'help', href: '#/help', icon: 'question', word: () => t('sessions.help') },
  { at: 'keys', href: '#/keys', icon: 'key', word: () => t('sessions.keys') },
];

function Places(): JSX.Element {
  const needs = () => group(sessions(), unread).needs.length;
  const folder = () => {
    const here = route();
    return here.at === 'sessions' ? here.folder : '';
  };
  return (
    <nav class="rail-list" aria-label={t('sessions.main')} tabIndex={-1}>
      <For each={spots}>
        {(spot) => (
          <a class="navi" href={spot.href} aria-current={route().at === spot.at && !(spot.at === 'sessions' && folder()) ? 'page' : undefined}>
            <Icon name={spot.icon} />
            <span class="grow">{spot.word()}</span>
            <Show when={spot.at === 'sessions' && needs()}>
              <Badge tone="ask">
                {needs()}
                <span class="vh"> {t('sessions.needsYou')}</span>
              </Badge>
            </Show>
          </a>
        )}
      </For>
      <Show when={sessions().length}>
        <h2 class="group">{t('sessions.folders')}</h2>
        <For each={folders(sessions()).slice(0, 30)}>
          {(one) => (
            <a
              class="navi"
              href={format({ at: 'sessions', q: '', folder: one.path })}
              title={one.path}
              aria-current={folder() === one.path ? 'page' : undefined}
            >
              <Icon name="folder" class="dim" />
              <span class="grow mono trunc">{folderName(one.path)}</span>
              <span class="dim num">{one.count}</span>
            </a>
          )}
        </For>
      </Show>
    </nav>
  );
}

/** The bottom bar on phones. */
export function Tabbar(): JSX.Element {
  const needs = () => group(sessions(), unread).needs.length;
  return (
    <nav class="tabbar" aria-label={t('sessions.main')}>
      <For each={spots.slice(0, 3)}>
        {(spot) => (
          <a href={spot.href} aria-current={route().at === spot.at ? 'page' : undefined}>
            <Icon name={spot.icon} />
            <span>{spot.word()}</span>
            <Show when={spot.at === 'sessions' && needs()}>
              <Badge tone="ask">{needs()}</Badge>
            </Show>
          </a>
        )}
      </For>
    </nav>
  );
}

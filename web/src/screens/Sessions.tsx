// All sessions, grouped by status, and the search over all messages.
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show, type JSX } from 'solid-js';
import type { SearchHit, SessionInfo } from '../api/types';
import { announce, Button, Hydrograph, Icon, IconButton, Kbd, menuIsOpen, Segmented } from '../ui';
import { t } from '../text';
import { plainPiece } from '../text/plain';
import { money, percent, when } from '../text/format';
import { capsOf } from '../keys/keymap';
import { useKeys } from '../keys/listen';
import { go, route, sessionHref, hitHref } from '../route/route';
import { createAsked } from './asked';
import { SessionMenu, titleOf } from './Dialogs';
import { branchOf, folderName, group, inPlace, rowAge, type Groups } from './groups';
import { fetchAhead, fetchAll, listed, may, now, request, sessions, unread, welcome } from './link';
import { NeedRow } from './Needs';
import { Page } from './Page';
import { ListWords, Glyph } from './Standing';
import './lists.css';

type Span = 'today' | 'week' | 'all' | 'archived';
const DAY = 86_400_000;

export default function Sessions(): JSX.Element {
  const here = () => {
    const at = route();
    return at.at === 'sessions' ? at : { at: 'sessions' as const, q: '', folder: '' };
  };
  // A row does not move while its menu is open.
  const groups = createMemo<Groups>((before) => {
    const next = group(sessions(), unread, here().folder);
    return before && menuIsOpen() ? inPlace(before, next) : next;
  });
  let field!: HTMLInputElement;
  useKeys({ search: () => field.focus() });
  const [typed, setTyped] = createSignal(here().q);
  createEffect(
    on(
      () => here().q,
      (q) => setTyped(q),
      { defer: true },
    ),
  );
  let timer = 0;
  onCleanup(() => clearTimeout(timer));
  const search = (text: string) => {
    setTyped(text);
    clearTimeout(timer);
    timer = window.setTimeout(() => go({ at: 'sessions', q: text.trim(), folder: here().folder }, true), 200);
  };
  createEffect(
    on(
      () => groups().needs.length,
      (n, before) => {
        if (before !== undefined && n > before) announce(t('sessions.needsCount', { n }));
      },
    ),
  );
  return (
    <Page
      title={t('sessions.sessions')}
      head={
        <>
          <SearchField
            typed={typed()}
            onSearch={search}
            ref={(element) => {
              field = element;
            }}
          />
          <Button class="new" look="primary" icon="plus" hotkey={capsOf('new')} onClick={() => go({ at: 'new', folder: here().folder })}>
            {t('sessions.newSession')}
          </Button>
        </>
      }
    >
      <div class="cols">
        <Show when={here().folder}>
          <p class="row">
            <Icon name="folder" class="dim" />
            <span class="mono trunc">{here().folder}</span>
            <Button small look="bare" icon="x" onClick={() => go({ at: 'sessions', q: here().q, folder: '' })}>
              {t('sessions.everyFolder')}
            </Button>
          </p>
        </Show>
        <Show when={here().q} fallback={<Lists groups={groups()} />}>
          <Found text={here().q} folder={here().folder} />
        </Show>
      </div>
    </Page>
  );
}

function Lists(props: { groups: Groups }): JSX.Element {
  const [span, setSpan] = createSignal<Span>('all');
  const nothing = () => Object.values(props.groups).every((rows) => rows.length === 0);
  const since = () => (span() === 'today' ? new Date(now()).setHours(0, 0, 0, 0) : span() === 'week' ? now() - 7 * DAY : 0);
  const resting = createMemo(() =>
    span() === 'archived' ? props.groups.archived : props.groups.idle.filter((info) => unread(info) || info.lastActivityAt >= since()),
  );
  const others = createMemo(() => (span() === 'archived' ? [] : props.groups.elsewhere.filter((info) => info.lastActivityAt >= since())));
  const choose = (next: Span) => {
    setSpan(next);
    if (next === 'archived') void fetchAll(true);
  };
  return (
    <Show
      when={!nothing()}
      fallback={
        <Show when={listed()}>
          <Blank />
        </Show>
      }
    >
      <Show when={props.groups.needs.length}>
        <h2 class="group large">
          {t('sessions.needsYou')} <span class="num">{props.groups.needs.length}</span>
        </h2>
        <ul class="needs">
          <Rows rows={props.groups.needs}>{(info) => <NeedRow info={info()} />}</Rows>
        </ul>
      </Show>
      <Show when={props.groups.running.length}>
        <div class="lhead">
          <h2 class="group large">
            {t('sessions.running')} <span class="num">{props.groups.running.length}</span>
          </h2>
          <span class="hd">{t('sessions.lastMinute')}</span>
          <span class="hd">{t('sessions.folder')}</span>
          <span class="hd">{t('sessions.context')}</span>
          <span class="hd right">{t('sessions.cost')}</span>
          <span class="hd right">{t('sessions.age')}</span>
        </div>
        <ul>
          <Rows rows={props.groups.running}>{(info) => <ListRow info={info()} />}</Rows>
        </ul>
      </Show>
      <div class="lhead bare">
        <h2 class="group large">
          {span() === 'archived' ? t('sessions.archived') : t('sessions.idle')} <span class="num">{resting().length}</span>
        </h2>
        <Segmented<Span>
          label={t('sessions.show')}
          value={span()}
          onChange={choose}
          options={[
            { value: 'today', label: t('sessions.today') },
            { value: 'week', label: t('sessions.week') },
            { value: 'all', label: t('sessions.all') },
            { value: 'archived', label: t('sessions.archived') },
          ]}
        />
      </div>
      <Show when={resting().length} fallback={<p class="none">{span() === 'archived' ? t('sessions.noneArchived') : t('sessions.noneHere')}</p>}>
        <Many rows={resting()} />
      </Show>
      <Show when={others().length}>
        <div class="lhead bare">
          <h2 class="group large">
            {t('sessions.elsewhere')} <span class="num">{others().length}</span>
          </h2>
        </div>
        <Many rows={others()} />
      </Show>
    </Show>
  );
}

/** Rows keep their elements while their sessions change, so that focus and open menus stay. */
function Rows(props: { rows: readonly SessionInfo[]; children: (info: () => SessionInfo) => JSX.Element }): JSX.Element {
  const by = createMemo(() => new Map(props.rows.map((info) => [info.sessionId, info])));
  return <For each={props.rows.map((info) => info.sessionId)}>{(id) => <Show when={by().get(id)}>{(info) => props.children(info)}</Show>}</For>;
}

const STEP = 60;
function Many(props: { rows: readonly SessionInfo[] }): JSX.Element {
  const [most, setMost] = createSignal(STEP);
  return (
    <>
      <ul>
        <Rows rows={props.rows.slice(0, most())}>{(info) => <ListRow info={info()} />}</Rows>
      </ul>
      <Show when={props.rows.length > most()}>
        <p class="none">
          <Button onClick={() => setMost(most() + STEP)}>{t('sessions.moreSessions', { n: Math.min(STEP, props.rows.length - most()) })}</Button>
        </p>
      </Show>
    </>
  );
}

export function ListRow(props: { info: SessionInfo }): JSX.Element {
  return (
    <li class="lrow" classList={{ unread: unread(props.info) }}>
      <Glyph info={props.info} />
      <div class="names">
        <a class="title trunc" href={sessionHref(props.info.sessionId)} onPointerDown={(event) => fetchAhead(event, props.info.sessionId)}>
          {titleOf(props.info)}
        </a>
        <span class="line2 trunc">
          <span class="only-phone mono">{folderName(props.info.projectPath)} · </span>
          <ListWords info={props.info} />
        </span>
      </div>
      <span class="flow">
        <Show when={props.info.activity.length}>
          <Hydrograph values={props.info.activity} tone={props.info.standing === 'running' ? undefined : 'still'} bars={20} />
        </Show>
      </span>
      <span class="where trunc" title={props.info.projectPath}>
        <span class="mono">{folderName(props.info.projectPath)}</span>
        <Show when={branchOf(props.info)}>{(branch) => <span class="mono dim"> / {branch()}</span>}</Show>
      </span>
      <span class="fill">
        <Show when={props.info.context !== null}>
          <span class="mini" classList={{ high: (props.info.context ?? 0) > 0.8 }} aria-hidden="true">
            <i style={{ '--part': props.info.context ?? 0 }} />
          </span>
          <span class="num dim">{percent(props.info.context ?? 0)}</span>
        </Show>
      </span>
      <span class="num right money">{props.info.external ? '' : money(props.info.cost)}</span>
      <span class="num right dim">{rowAge(props.info, now())}</span>
      <SessionMenu small info={props.info} />
    </li>
  );
}

function Blank(): JSX.Element {
  const demo = () => welcome()?.agents.some((agent) => agent.pays === 'demo');
  return (
    <div class="blank">
      <h2>{t('sessions.begin')}</h2>
      <p>{t('sessions.beginWords')}</p>
      <div class="row wrap">
        <Button look="primary" icon="plus" disabled={!may('operate')} onClick={() => go('#/new')}>
          {t('sessions.newSession')}
        </Button>
        <Show when={demo()}>
          <Button onClick={() => go('#/welcome')}>{t('sessions.tryDemo')}</Button>
        </Show>
      </div>
      <p class="dim">{t('sessions.none')}</p>
    </div>
  );
}

function Found(props: { text: string; folder: string }): JSX.Element {
  const [hits] = createAsked(
    () => props.text,
    async (text) => (await request({ type: 'search', text, limit: 60 })).hits,
  );
  const shown = () => (hits.error ? [] : (hits.latest ?? []).filter((hit) => !props.folder || hit.projectPath === props.folder));
  const named = createMemo(() => sessions().filter((info) => (info.title ?? '').toLowerCase().includes(props.text.toLowerCase())));
  const who = (hit: SearchHit) => (hit.role === 'user' ? t('sessions.hitUser') : hit.role === 'tool' ? t('sessions.hitTool') : t('sessions.hitAssistant'));
  createEffect(() => {
    if (!hits.loading) announce(shown().length ? t('sessions.hits', { n: shown().length }) : t('sessions.noHits'));
  });
  return (
    <>
      <Show when={named().length}>
        <h2 class="group large">
          {t('sessions.sessions')} <span class="num">{named().length}</span>
        </h2>
        <Many rows={named()} />
      </Show>
      <h2 class="group large">{hits.loading ? t('sessions.searching') : t('sessions.hits', { n: shown().length })}</h2>
      <Show when={!hits.loading && shown().length === 0}>
        <p class="none">{t('sessions.noHits')}</p>
      </Show>
      <ul>
        <For each={shown()}>
          {(hit) => (
            <li>
              <a class="hit" href={hitHref(hit.sessionId, hit.record)}>
                <span class="row">
                  <b class="trunc">{hit.title ?? t('sessions.untitled')}</b>
                  <span class="mono dim">{folderName(hit.projectPath)}</span>
                  <span class="push dim num">{when(hit.at, now())}</span>
                </span>
                <p>
                  <span class="dim">{who(hit)}: </span>
                  <For each={hit.snippet}>{(piece, i) => (i() % 2 ? <mark>{piece}</mark> : hit.role === 'assistant' ? plainPiece(piece) : piece)}</For>
                </p>
              </a>
            </li>
          )}
        </For>
      </ul>
    </>
  );
}

function SearchField(props: { typed: string; onSearch: (text: string) => void; ref: (field: HTMLInputElement) => void }): JSX.Element {
  let field!: HTMLInputElement;
  return (
    <label class="search wide">
      <Icon name="grep" />
      <input
        ref={(element) => {
          field = element;
          props.ref(element);
        }}
        type="search"
        placeholder={t('sessions.search')}
        aria-label={t('sessions.search')}
        value={props.typed}
        onInput={(event) => props.onSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && props.typed) {
            event.preventDefault();
            props.onSearch('');
          }
        }}
      />
      <Show when={props.typed} fallback={<Kbd keys={capsOf('search')} />}>
        <IconButton
          small
          icon="x"
          label={t('sessions.clearSearch')}
          onClick={() => {
            props.onSearch('');
            field.focus();
          }}
        />
      </Show>
    </label>
  );
}

// One session, or several side by side: head, view, dock, and the panel of the session that has the focus.
import { createEffect, createMemo, createSignal, For, Match, on, onCleanup, onMount, Show, Suspense, Switch, untrack, type JSX } from 'solid-js';
import { lazy } from '../ui/part';
import { Dock, type DockHandle } from '../gate/Dock';
import { perform, useKeys } from '../keys/listen';
import type { Item, ItemId } from '../api/types';
import { go, route, sessionHref, type View } from '../route/route';
import { t } from '../text';
import { announce, Button } from '../ui';
import { soon } from '../ui/task';
import { textOf, TranscriptView, type StreamHandle } from '../transcript';
import { createChanges, sumOf, type Sum } from './changed';
import { openSheet } from './Dialogs';
import { client, goneOf, infoOf, line, now, openSession, request, up } from './link';
import { lastPrompt } from '../protocol';
import { anchor, enter, panelOpen, reading, setPanelOpen } from './prefs';
import { reach, servicesFor } from './services';
import { SessionHead } from './SessionHead';
import { useTranscript } from './transcript';
import { TrustNote, trustPending } from './trust';

const Panel = lazy(() => import('../panels/Panel'));
/** Once the panel was shown, it is rendered without delay. */
let panelSeen = false;
let talkSeen = false;
const Changes = lazy(() => import('./Changes'));
const Files = lazy(() => import('./Files'));
const Overview = lazy(() => import('./Overview'));

/** Widths in rem: the session list, the panel, and the minimum for a session next to others. */
const RAIL = 17;
const PANEL = 21.5;
const MIN_SIDE = 26;

/** The width of the window, in rem. */
function windowWidth(): () => number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  const [width, set] = createSignal(innerWidth / rem);
  const changed = () => set(innerWidth / rem);
  addEventListener('resize', changed);
  onCleanup(() => removeEventListener('resize', changed));
  return width;
}

/** Follows a media query. */
function matches(query: string): () => boolean {
  const list = matchMedia(query);
  const [is, set] = createSignal(list.matches);
  const changed = () => set(list.matches);
  list.addEventListener('change', changed);
  onCleanup(() => list.removeEventListener('change', changed));
  return is;
}

export function SessionStage(): JSX.Element {
  const here = createMemo(() => {
    const at = route();
    return at.at === 'session' ? at : null;
  });
  const id = createMemo(() => here()?.id ?? '');
  // A link to a hit of a search: finds the item it is in.
  createEffect(
    on([id, () => here()?.record, up], ([sessionId, record, connected]) => {
      if (record === undefined || !connected) return;
      const show = (item: ItemId | null) => {
        if (id() === sessionId && here()?.record === record) go(sessionHref(sessionId, 'transcript', item), true);
      };
      request({ type: 'find_item', sessionId, record }).then(
        (found) => show(found.item),
        () => show(null),
      );
    }),
  );
  const width = windowWidth();
  const room = () => (width() >= 80 ? Math.floor((width() - RAIL) / MIN_SIDE) : 1);
  const narrow = matches('(max-width: 47.99rem)');
  const sides = createMemo(() => (here()?.view === 'transcript' ? [...new Set([id(), ...(here()?.beside ?? [])])].slice(0, Math.max(1, room())) : [id()]));
  const several = () => sides().length > 1;
  /** True if there is space for the panel as a column. */
  const roomy = createMemo(() => width() >= 80 && width() - RAIL - PANEL >= (several() ? sides().length * MIN_SIDE : 0));
  const [focused, setFocused] = createSignal('');
  const of = () => (sides().includes(focused()) ? focused() : id());
  const arrange = (all: readonly string[]) => {
    const [first, ...rest] = all;
    if (first) go(sessionHref(first, 'transcript', null, rest));
  };
  const add = (other: string) => arrange([...sides(), other]);
  const take = (one: string) => {
    arrange(sides().filter((side) => side !== one));
    queueMicrotask(() => reachSide(of()));
  };
  /** Moves the focus to another session: from message box to message box, else to the transcript. */
  const reachSide = (one: string, box = false) => {
    setFocused(one);
    const main = [...document.querySelectorAll<HTMLElement>('.stage > .main')].find((side) => side.dataset['session'] === one);
    const place = main?.querySelector<HTMLElement>(box ? '.dock textarea' : '.stream') ?? main?.querySelector<HTMLElement>('.stream');
    place?.focus({ preventScroll: true });
  };
  const step = (by: 1 | -1) => () => {
    if (!several()) return false;
    const next = sides()[(sides().indexOf(of()) + by + sides().length) % sides().length];
    if (next) reachSide(next, document.activeElement?.closest('.dock') != null);
    return true;
  };
  useKeys({ nextSide: step(1), previousSide: step(-1) });
  // With enough space the panel is a column, otherwise a drawer.
  const [drawer, setDrawer] = createSignal(false);
  createEffect(on([id, roomy], () => setDrawer(false)));
  // The column is reserved from the start, so that the transcript keeps its width.
  const shown = () => here()?.view === 'transcript' && !goneOf(of()) && (roomy() ? panelOpen() === 'open' : drawer());
  let panel: HTMLElement | undefined;
  let before: Element | null = null;
  const close = () => {
    setDrawer(false);
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  };
  const toggle = () => {
    // On a phone the panel is a separate screen.
    if (narrow()) return go(sessionHref(id(), 'overview'));
    if (roomy()) return setPanelOpen(panelOpen() === 'open' ? 'closed' : 'open');
    if (drawer()) return close();
    before = document.activeElement;
    setDrawer(true);
    queueMicrotask(() => panel?.querySelector<HTMLElement>('button, summary')?.focus());
  };
  useKeys({ panel: () => (here()?.view === 'transcript' ? toggle() : go(sessionHref(id()))) });
  /** The drawer keeps the focus until it is closed. */
  const trap = (event: KeyboardEvent) => {
    if (event.key !== 'Tab' || roomy() || !drawer() || !panel) return;
    const all = [...panel.querySelectorAll<HTMLElement>('button:not(:disabled), summary, a[href], input, select, textarea, [tabindex="0"]')].filter((one) =>
      one.checkVisibility(),
    );
    const edge = event.shiftKey ? all[0] : all.at(-1);
    if (document.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? all.at(-1) : all[0])?.focus();
  };
  return (
    <div
      class="stage"
      classList={{ 'with-panel': shown() && roomy(), several: several(), covered: !roomy() }}
      style={{ '--sides': sides().length }}
      onKeyDown={trap}
    >
      <Show when={id()} keyed>
        {(one) => (
          <Side
            id={one}
            view={here()?.view ?? 'transcript'}
            item={here()?.item ?? null}
            beside={false}
            focused={of() === one}
            onFocus={() => setFocused(one)}
            panel={shown()}
            onPanel={toggle}
            onAdd={sides().length < room() && here()?.view === 'transcript' ? add : undefined}
            onClose={several() ? () => take(one) : undefined}
          />
        )}
      </Show>
      <For each={sides().slice(1)}>
        {(one) => (
          <Side
            id={one}
            view="transcript"
            item={null}
            beside
            focused={of() === one}
            onFocus={() => setFocused(one)}
            panel={shown()}
            onPanel={toggle}
            onAdd={sides().length < room() ? add : undefined}
            onClose={() => take(one)}
          />
        )}
      </For>
      <Show when={shown()}>
        <Show when={!roomy()}>
          <button type="button" class="veil" tabIndex={-1} aria-hidden="true" onClick={close} />
        </Show>
        <Show when={of()} keyed>
          {(one) => (
            <PanelOf
              id={one}
              drawer={!roomy()}
              onClose={close}
              ref={(element) => {
                panel = element;
              }}
            />
          )}
        </Show>
      </Show>
    </div>
  );
}

function PanelOf(props: { id: string; drawer: boolean; onClose: () => void; ref: (element: HTMLElement) => void }): JSX.Element {
  const view = openSession(props.id);
  // The transcript is painted first, then the panel.
  const [due, setDue] = createSignal(props.drawer || panelSeen);
  const [waited, setWaited] = createSignal(false);
  const timer = setTimeout(() => setWaited(true), 1000);
  onCleanup(() => clearTimeout(timer));
  // Not while disconnected, unless the service worker has cached it: browsers do not retry a module whose fetch failed.
  const within = () => up() || ('serviceWorker' in navigator && navigator.serviceWorker.controller !== null);
  let shown = true;
  onCleanup(() => {
    shown = false;
  });
  createEffect(() => {
    if (due() || !within() || (view.phase() !== 'live' && !waited())) return;
    requestAnimationFrame(() =>
      setTimeout(() => {
        if (shown) {
          panelSeen = true;
          setDue(true);
        }
      }),
    );
  });
  return (
    <Show when={due()} fallback={<div class="panel" />}>
      <Suspense fallback={<div class="panel" />}>
        <Panel id={props.id} drawer={props.drawer} onClose={props.onClose} ref={props.ref} />
      </Suspense>
    </Show>
  );
}

interface SideProps {
  id: string;
  view: View;
  item: number | null;
  beside: boolean;
  focused: boolean;
  onFocus: () => void;
  panel: boolean;
  onPanel: () => void;
  onAdd: ((id: string) => void) | undefined;
  onClose: (() => void) | undefined;
}

function Side(props: SideProps): JSX.Element {
  const view = openSession(props.id);
  const info = () => view.state()?.info ?? infoOf(props.id);
  const gone = () => view.phase() === 'gone';
  const [changes] = createChanges(() => props.id, view.state);
  const changed = createMemo(() => sumOf(changes.error ? undefined : changes.latest));
  const inside = () => (
    <>
      <SessionHead
        id={props.id}
        info={info()}
        gone={gone()}
        view={props.view}
        beside={props.beside}
        worktree={view.state()?.worktree ?? null}
        changed={changed().files}
        panel={props.panel}
        onPanel={props.onPanel}
        onAdd={props.onAdd}
        onClose={props.onClose}
      />
      <Show when={!gone() && !info()?.external}>
        <TrustNote folder={info()?.projectPath ?? ''} agent={info()?.agent} session={props.id} />
      </Show>
      <Show when={!gone()} fallback={<Gone />}>
        <Suspense
          fallback={
            <p class="none" role="status">
              {t('sessions.loading')}
            </p>
          }
        >
          <Switch>
            <Match when={props.view === 'transcript'}>
              <Talk {...props} changed={changed()} />
            </Match>
            <Match when={props.view === 'changes'}>
              <Changes id={props.id} />
            </Match>
            <Match when={props.view === 'files'}>
              <Files id={props.id} />
            </Match>
            <Match when={props.view === 'overview'}>
              <Overview id={props.id} />
            </Match>
          </Switch>
        </Suspense>
      </Show>
    </>
  );
  return (
    <Show
      when={props.beside}
      fallback={
        <main
          class="main"
          id="main"
          tabIndex={-1}
          data-session={props.id}
          data-focused={props.focused ? '' : undefined}
          onFocusIn={() => props.onFocus()}
          onPointerDown={() => props.onFocus()}
        >
          {inside()}
        </main>
      }
    >
      <section
        class="main beside"
        aria-label={gone() ? t('sessions.gone') : (info()?.title ?? t('sessions.untitled'))}
        data-session={props.id}
        data-focused={props.focused ? '' : undefined}
        onFocusIn={() => props.onFocus()}
        onPointerDown={() => props.onFocus()}
      >
        {inside()}
      </section>
    </Show>
  );
}

function Gone(): JSX.Element {
  return (
    <div class="scroll">
      <div class="cols">
        <div class="blank">
          <p>{t('sessions.goneWords')}</p>
          <p>{t('sessions.goneDo')}</p>
          <div class="row wrap">
            <Button look="primary" onClick={() => go('#/')}>
              {t('sessions.toSessions')}
            </Button>
            <Button icon="grep" onClick={() => perform('palette')}>
              {t('sessions.search')}
            </Button>
            <Button icon="plus" onClick={() => go('#/new')}>
              {t('sessions.newSession')}
            </Button>
          </div>
        </div>
      </div>
    </div>
  );
}

/** Completed text of the agent, for screen readers. */
const spoken = (items: Iterable<Item>): string[] =>
  [...items].flatMap(({ body, parent, status }) => (body.type === 'text' && parent === null && status === 'done' ? [textOf(body.text)] : []));

/** The transcript with the dock below. */
function Talk(props: SideProps & { changed: Sum }): JSX.Element {
  const view = openSession(props.id);
  const model = useTranscript(view);
  const [stream, setStream] = createSignal<StreamHandle>();
  const [dock, setDock] = createSignal<DockHandle>();
  // On the first visit, the frame of the page and the transcript are rendered in two tasks, so that input is handled in
  // between.
  const [due, setDue] = createSignal(talkSeen);
  // After loading the page at a session, it is shown when everything above the dock has its position.
  const [placed, setPlaced] = createSignal(talkSeen);
  if (!due())
    onCleanup(
      soon(() => {
        talkSeen = true;
        setDue(true);
      }),
    );
  let following = true;
  const services = servicesFor(view, (text) => dock()?.addToBox(text));
  /** The connection is lost, after the grace period. */
  const away = () => line().phase === 'lost' && view.store.revision !== null;
  const still = () => away() || ['crashed', 'lost', 'stopped'].includes(view.state()?.info.standing ?? '');

  // A visible turn that ends counts as read. The list is updated after that has been painted.
  const look = () => {
    if (following && !document.hidden) client().list.look(props.id, (tell) => requestAnimationFrame(() => setTimeout(tell)));
  };
  createEffect(on(() => [infoOf(props.id)?.finishedAt, view.phase()], look));
  onMount(() => {
    document.addEventListener('visibilitychange', look);
    onCleanup(() => document.removeEventListener('visibilitychange', look));
  });

  let loading = false;
  const older = () => {
    if (loading) return;
    loading = true;
    void client()
      .older(view.store)
      .catch(() => false)
      .finally(() => {
        loading = false;
      });
  };
  // Find also covers older items: they are loaded when a search starts.
  const finds = (event: KeyboardEvent) => {
    if (props.focused && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f' && view.more()) void reach(view, 1).catch(() => false);
  };
  document.addEventListener('keydown', finds);
  onCleanup(() => document.removeEventListener('keydown', finds));
  // A link to an item, whose turn may have to be loaded first.
  createEffect(
    on([() => props.item, stream, () => view.phase() === 'live'], ([item, handle, live]) => {
      if (item === null || !handle) return;
      if (handle.toItem(item) || !live) return;
      void reach(view, item).then(
        (there) => {
          if (there) queueMicrotask(() => stream()?.toItem(item));
        },
        () => undefined,
      );
    }),
  );
  const startAt = () =>
    untrack(() => {
      if (props.item !== null) return props.item;
      const info = infoOf(props.id);
      if (!info || !client().list.unread(info)) return undefined;
      return lastPrompt(view.store.items)?.id;
    });
  // For reading from the top: follows the answer until it fills the window, then stays at the message.
  let held = -1;
  view.onChange((change) => {
    if (anchor() !== 'top' || !following || (!change.grown.size && !change.items.size)) return;
    const asked = lastPrompt(view.store.items)?.id;
    const box = stream()?.element;
    if (asked === undefined || asked === held || !box) return;
    const row = box.querySelector(`[data-item="${asked}"]`);
    if (!row || row.getBoundingClientRect().top > box.getBoundingClientRect().top + 24) return;
    held = asked;
    stream()?.toItem(asked);
  });
  view.onChange((change) => {
    if (reading() === 'on' && !change.reset) for (const text of spoken(change.items.values())) announce(text);
  });

  const pass =
    (key: string, shiftKey = false) =>
    () => {
      const element = stream()?.element;
      if (!element || !props.focused) return false;
      if (!element.contains(document.activeElement)) element.focus({ preventScroll: true });
      element.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true }));
      return true;
    };
  useKeys({
    next: pass('j'),
    previous: pass('k'),
    foldAll: pass('Z', true),
    find: () => {
      if (!props.focused) return false;
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true, cancelable: true }));
      return true;
    },
  });
  return (
    <>
      <Show when={due() && model()} keyed>
        {(one) => (
          <TranscriptView
            transcript={one}
            services={services}
            active={props.focused}
            hasOlder={view.more()}
            onOlder={older}
            startAt={startAt()}
            handle={setStream}
            still={still()}
            onSettled={() => setPlaced(true)}
            seenUpTo={away() ? line().since : undefined}
            onFollow={(now) => {
              following = now;
              view.store.setReading(!now);
              look();
            }}
            onFound={() => view.store.setReading(!following)}
          />
        )}
      </Show>
      <Dock
        client={client()}
        session={view}
        line={line()}
        now={now()}
        here={props.focused}
        settled={placed() && !trustPending(view.state()?.info.projectPath ?? '', view.state()?.info.agent)}
        enterIsLine={enter() === 'line'}
        handle={setDock}
        changed={props.changed}
        onChanges={() => go(sessionHref(props.id, 'changes'))}
        onRewind={() => openSheet({ kind: 'rewind', id: props.id, prompt: null })}
        onSession={(id) => go(sessionHref(id))}
        onSent={() => stream()?.toEnd()}
      />
    </>
  );
}

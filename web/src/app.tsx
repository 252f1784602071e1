// The page: pairing, the frame, and the screen of the current route.
import { createEffect, createMemo, createSignal, ErrorBoundary, on, onCleanup, onMount, Show, Suspense, type JSX } from 'solid-js';
import { lazy } from './ui/part';
import { useNotices } from './asks/notice';
import { listenKeys, useKeys } from './keys/listen';
import { format, go, listen, route, sessionHref } from './route/route';
import { Broken } from './screens/Broken';
import { Sheets, titleOf } from './screens/Dialogs';
import { greets } from './screens/greeting';
import { group } from './screens/groups';
import { focusNewScreens, loadLater, registerWorkerLater } from './screens/later';
import { client, goneOf, infoOf, line, listed, sessions, unread, up, welcome } from './screens/link';
import { Notices } from './screens/Notices';
import { Wait } from './screens/Page';
import { keep, notices, recall, sound } from './screens/prefs';
import { Rail, spots } from './screens/Rail';
import { cycleRegion, focusRegion } from './screens/regions';
import { SessionStage } from './screens/Session';
import { t } from './text';
import { announce, installRegions, Toasts } from './ui';
import './screens/frame.css';
import './screens/lists.css';
import './panels/panels.css';
import './screens/pairing.css';

const NewSession = lazy(() => import('./screens/NewSession'));
const Sessions = lazy(() => import('./screens/Sessions'));
const Pairing = lazy(() => import('./screens/Pairing'));
const Welcome = lazy(() => import('./screens/Welcome'));
const Usage = lazy(() => import('./screens/Usage'));
const Settings = lazy(() => import('./screens/Settings'));
const Help = lazy(() => import('./screens/Help'));
const Keys = lazy(() => import('./screens/Keys'));
const Palette = lazy(() => import('./screens/Palette'));
const KeySheet = lazy(() => import('./screens/KeySheet'));

export function App(props: { code: string | null }): JSX.Element {
  const [paired, setPaired] = createSignal(props.code === null);
  const outside = () => !paired() || line().phase === 'unpaired';
  const enter = () => {
    // Reconnects with the new cookie after the refused connection.
    client().connection.stop();
    client().connection.start();
    setPaired(true);
  };
  return (
    <ErrorBoundary fallback={(error: unknown, again) => <Broken error={error} again={again} />}>
      <Show
        when={!outside()}
        fallback={
          <Suspense fallback={<Wait />}>
            <Pairing code={props.code} revoked={line().bye === 'revoked'} onPaired={enter} />
          </Suspense>
        }
      >
        <Shell />
      </Show>
    </ErrorBoundary>
  );
}

type Overlay = 'palette' | 'keys';

function useShellKeys(open: (overlay: Overlay) => void): void {
  const needs = createMemo(() => group(sessions(), unread).needs);

  useKeys({
    palette: () => void open('palette'),
    keys: () => void open('keys'),
    search: () => void open('palette'),
    new: () => go('#/new'),
    goSessions: () => go('#/'),
    nextNeed: () => {
      const here = route();
      const at = needs().findIndex((info) => here.at === 'session' && info.sessionId === here.id);
      const next = needs()[(at + 1) % Math.max(1, needs().length)];
      if (next) go(sessionHref(next.sessionId));
    },
    region: () => cycleRegion(1),
    regionBack: () => cycleRegion(-1),
    box: () => focusRegion('box'),
  });
}

/** The name of the current screen; `useNotices` adds the number of sessions that need the user. */
function screenTitle(): string {
  const here = route();
  if (here.at === 'session') return `${goneOf(here.id) ? t('sessions.gone') : titleOf(infoOf(here.id))} · Sluice`;
  if (here.at === 'new' || here.at === 'welcome') return `${t('sessions.newSession')} · Sluice`;
  return `${spots.find((spot) => spot.at === here.at)?.word() ?? ''} · Sluice`;
}

const SCREENS = { sessions: Sessions, new: NewSession, welcome: Welcome, usage: Usage, settings: Settings, help: Help, keys: Keys };

/** The screen of the current route. */
function Screen(): JSX.Element {
  const view = createMemo(() => {
    const { at } = route();
    return at === 'session' ? null : SCREENS[at];
  });
  return (
    <Show keyed when={view()} fallback={<SessionStage />}>
      {(View) => (
        <div class="stage">
          <View />
        </div>
      )}
    </Show>
  );
}

function SkipLink(): JSX.Element {
  return (
    <a
      class="skip"
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}
    >
      {t('ui.skip')}
    </a>
  );
}

function Shell(): JSX.Element {
  onCleanup(listen());
  onCleanup(
    client().moved.listen(({ from, to }) => {
      const here = route();
      const named = (id: string): string => (id === from ? to : id);
      if (here.at === 'session' && [here.id, ...here.beside].includes(from)) go(format({ ...here, id: named(here.id), beside: here.beside.map(named) }), true);
    }),
  );
  onMount(() => {
    installRegions();
    onCleanup(listenKeys());
  });
  const [over, setOver] = createSignal<Overlay | null>(null);
  useShellKeys(setOver);

  useNotices(client(), { notices, sound: () => sound() === 'on', title: screenTitle, onOpen: (id) => go(sessionHref(id)) });
  createEffect(
    on(
      up,
      (now, before) => {
        if (before !== undefined) announce(now ? t('sessions.sayBack') : t('sessions.sayLost'));
      },
      { defer: true },
    ),
  );

  loadLater();
  registerWorkerLater();
  focusNewScreens();

  createEffect(() => {
    const here = route();
    if (here.at === 'session') keep('last', here.id);
  });

  // Shows the welcome screen on the first visit, if there are no sessions and no agent with an account.
  createEffect(() => {
    if (route().at !== 'sessions' || !listed() || sessions().length > 0 || recall('welcomed')) return;
    if (greets(welcome()?.agents ?? [])) go('#/welcome', true);
  });

  return (
    <>
      <SkipLink />
      <div class="app">
        <Notices />
        <Rail />
        <ErrorBoundary fallback={(error: unknown, again) => <Broken error={error} again={again} inside />}>
          <Suspense
            fallback={
              <div class="stage">
                <Wait />
              </div>
            }
          >
            <Screen />
          </Suspense>
        </ErrorBoundary>
      </div>
      <Sheets />
      <Suspense>
        <Show when={over() === 'palette'}>
          <Palette onClose={() => setOver(null)} />
        </Show>
        <Show when={over() === 'keys'}>
          <KeySheet onClose={() => setOver(null)} />
        </Show>
      </Suspense>
      <Toasts />
    </>
  );
}

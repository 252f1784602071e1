// The page: pairing, the frame, and the screen of the current route.
import { createEffect, createMemo, createSignal, ErrorBoundary, Match, on, onCleanup, onMount, Show, Suspense, Switch, type JSX } from 'solid-js';
import { lazy } from './ui/part';
import { useNotices } from './asks/notice';
import { registerWorker } from './boot/worker';
import { listenKeys, useKeys } from './keys/listen';
import { format, go, listen, route, sessionHref } from './route/route';
import { Sheets, titleOf } from './screens/Dialogs';
import { greets } from './screens/greeting';
import { group } from './screens/groups';
import { client, goneOf, infoOf, line, listed, sessions, unread, up, welcome } from './screens/link';
import { NewSession } from './screens/NewSession';
import { Notices } from './screens/Notices';
import { Wait } from './screens/Page';
import { keep, notices, recall, sound } from './screens/prefs';
import { Rail, spots } from './screens/Rail';
import { cycleRegion, focusRegion } from './screens/regions';
import { SessionStage } from './screens/Session';
import { t } from './text';
import { announce, Button, installRegions, Toasts } from './ui';
import { whenIdle } from './ui/task';
import './screens/frame.css';
import './panels/panels.css';
import './screens/pairing.css';

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
  const [over, setOver] = createSignal<'palette' | 'keys' | null>(null);
  const needs = createMemo(() => group(sessions(), unread).needs);

  useKeys({
    palette: () => void setOver('palette'),
    keys: () => void setOver('keys'),
    search: () => void setOver('palette'),
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

  // The name of the current screen; `useNotices` adds the number of sessions that need the user.
  const place = (): string => {
    const here = route();
    if (here.at === 'session') return `${goneOf(here.id) ? t('sessions.gone') : titleOf(infoOf(here.id))} · Sluice`;
    if (here.at === 'new' || here.at === 'welcome') return `${t('sessions.newSession')} · Sluice`;
    return `${spots.find((spot) => spot.at === here.at)?.word() ?? ''} · Sluice`;
  };
  useNotices(client(), { notices, sound: () => sound() === 'on', title: place, onOpen: (id) => go(sessionHref(id)) });
  createEffect(
    on(
      up,
      (now, before) => {
        if (before !== undefined) announce(now ? t('sessions.sayBack') : t('sessions.sayLost'));
      },
      { defer: true },
    ),
  );

  // Fetches the parts that are loaded on demand while the page is idle: after an update, the bridge may no longer serve
  // the files of this build. Not while disconnected: browsers do not retry a module whose fetch failed.
  const [late, setLate] = createSignal(false);
  const early = setTimeout(() => setLate(true), 5000);
  createEffect(() => {
    if (late() && up())
      for (const part of [() => import('./asks/kinds'), () => import('./gate/bodies'), () => import('./panels/Panel'), () => import('./screens/Sessions')])
        void part().catch(() => undefined);
  });
  onCleanup(() => clearTimeout(early));

  // The service worker speeds up the next visit, but downloads all files again. It is registered when the page has been
  // rendered and the bridge has answered: a lost connection may not be detected yet, and browsers report a failed fetch
  // as an error.
  const [shown, setShown] = createSignal(false);
  const settled = setTimeout(() => setShown(true), 1500);
  onCleanup(() => clearTimeout(settled));
  createEffect(() => {
    if (!shown() || !up()) return;
    let current = true;
    onCleanup(() => {
      current = false;
    });
    onCleanup(
      whenIdle(
        () =>
          void client()
            .connection.reached()
            .then(() => {
              if (current) registerWorker();
            }),
      ),
    );
  });

  // Moves the focus to the top of a new screen, so that screen readers announce its heading. After its first frame,
  // because focusing forces a layout.
  createEffect(
    on(
      () => {
        const here = route();
        return here.at === 'session' ? `s ${here.id} ${here.view}` : here.at;
      },
      () => {
        requestAnimationFrame(() =>
          setTimeout(() => {
            if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
          }),
        );
      },
      { defer: true },
    ),
  );

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
            <Switch>
              <Match when={route().at === 'session'}>
                <SessionStage />
              </Match>
              <Match when={route().at === 'sessions'}>
                <div class="stage">
                  <Sessions />
                </div>
              </Match>
              <Match when={route().at === 'new'}>
                <div class="stage">
                  <NewSession />
                </div>
              </Match>
              <Match when={route().at === 'welcome'}>
                <div class="stage">
                  <Welcome />
                </div>
              </Match>
              <Match when={route().at === 'usage'}>
                <div class="stage">
                  <Usage />
                </div>
              </Match>
              <Match when={route().at === 'settings'}>
                <div class="stage">
                  <Settings />
                </div>
              </Match>
              <Match when={route().at === 'help'}>
                <div class="stage">
                  <Help />
                </div>
              </Match>
              <Match when={route().at === 'keys'}>
                <div class="stage">
                  <Keys />
                </div>
              </Match>
            </Switch>
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

/** Shown when the page failed to render. Drafts are stored elsewhere; this shows the error and how to continue. */
function Broken(props: { error: unknown; again: () => void; inside?: boolean }): JSX.Element {
  const words = () => (props.error instanceof Error ? (props.error.stack ?? props.error.message) : String(props.error));
  // eslint-disable-next-line no-console -- for bug reports
  console.error(props.error);
  return (
    <main class="main" id="main" tabIndex={-1}>
      <div class="scroll">
        <div class="cols">
          <div class="blank" role="alert">
            <h1>{t('sessions.broke')}</h1>
            <p>{t('sessions.brokeWords')}</p>
            <div class="row wrap">
              <Button look="primary" icon="retry" onClick={() => props.again()}>
                {t('sessions.again')}
              </Button>
              <Button onClick={() => location.reload()}>{t('sessions.reload')}</Button>
              <Show when={props.inside}>
                <Button
                  look="bare"
                  onClick={() => {
                    go('#/');
                    props.again();
                  }}
                >
                  {t('sessions.toSessions')}
                </Button>
              </Show>
            </div>
            <pre class="well" tabIndex={0}>
              {words()}
            </pre>
          </div>
        </div>
      </div>
    </main>
  );
}

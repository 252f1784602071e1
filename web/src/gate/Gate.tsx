import { createEffect, createMemo, createSignal, For, Match, on, Show, Suspense, Switch, type JSX } from 'solid-js';
import { lazy } from '../ui/part';
import type { Client, Line, SessionView } from '../protocol';
import { shortPath } from '../asks/inputs';
import { isObject } from '../protocol/storage';
import { modeWord } from '../screens/modes';
import { t } from '../text';
import { age, clock, duration, money, percent } from '../text/format';
import { Button, Hydrograph, IconButton, Menu, Progress, StateGlyph } from '../ui';
import { Counts } from '../diff/Counts';
import { createAct } from './act';
import { standingOf, type Standing } from './standing';
import './gate.css';

// Loaded on demand: these states are rare.
const bodies = () => import('./bodies');
/** States that show details below the line. */
const WITH_BODY = new Set(['stalled', 'crashed']);
export const hasBody = (name: string): boolean => WITH_BODY.has(name);
/** Resolves when the details are loaded. */
export const bodyLoaded = (): Promise<unknown> => bodies();
const CopyReport = lazy(async () => ({ default: (await bodies()).CopyReport }));
const Crashed = lazy(async () => ({ default: (await bodies()).Crashed }));
const Forced = lazy(async () => ({ default: (await bodies()).Forced }));
const Stalled = lazy(async () => ({ default: (await bodies()).Stalled }));

export interface GateActions {
  /** Opens the changes of the session. */
  onChanges?: (() => void) | undefined;
  /** Size of the changes. */
  changed?: { files: number; added: number; removed: number } | undefined;
  /** Opens the rewind dialog. */
  onRewind?: (() => void) | undefined;
  /** Opens another session, after a fork. */
  onSession?: ((sessionId: string) => void) | undefined;
  /** Opens the model menu. */
  onModel?: (() => void) | undefined;
}

export interface GateProps extends GateActions {
  client: Client;
  session: SessionView;
  line: Line;
  now: number;
  /** Messages of this session are queued until the agent runs again. */
  queued?: boolean | undefined;
}

/** Status of the session of a view, with everything the page knows about it. */
export function sessionStanding(props: { client: Client; session: SessionView; line: Line; now: number }): Standing | null {
  const state = props.session.state();
  const info = state?.info ?? props.client.list.get(props.session.store.id);
  if (!info) return null;
  const drafts = props.session.drafts().filter((draft) => draft.parent === null);
  const kind = drafts.at(-1)?.kind;
  const store = props.session.store;
  const behind = props.session.phase() === 'catching' && props.line.phase === 'up' && store.newest - (store.cursor?.seq ?? 0) > 200;
  return standingOf(info, {
    now: props.now,
    line: props.line,
    state,
    unread: props.client.list.unread(info),
    target: targetOf(props.session),
    writing: kind === 'thinking' || kind === 'text' || kind === 'call' ? kind : null,
    catching: behind ? { have: store.cursor?.seq ?? 0, of: store.newest } : null,
  });
}

const targets = new WeakMap<object, { call: string; text: string | null }>();

/** Subject of the running call, from its record; looked up once per call. */
function targetOf(session: SessionView): string | null {
  const call = session.state()?.calls.at(-1);
  if (!call) return null;
  const known = targets.get(session.store);
  if (known?.call === call.id) return known.text;
  const { records } = session.store;
  for (let index = records.length - 1; index >= Math.max(0, records.length - 400); index -= 1) {
    const what = records[index]?.what as { type?: string; message?: { content?: unknown } } | undefined;
    if (what?.type !== 'assistant' || !Array.isArray(what.message?.content)) continue;
    const block = (what.message.content as { id?: string; input?: unknown }[]).find((one) => one.id === call.id);
    if (!block) continue;
    const input = isObject(block.input) ? block.input : {};
    const project = session.state()?.info.projectPath ?? '';
    const value = ['command', 'file_path', 'notebook_path', 'url', 'pattern', 'query', 'description', 'path']
      .map((key) => input[key])
      .find((one) => typeof one === 'string');
    const text = typeof value === 'string' ? shortPath(value.replace(/\s+/g, ' '), project).slice(0, 300) : null;
    targets.set(session.store, { call: call.id, text });
    return text;
  }
  return null;
}

/** The gate while no request is open: status, evidence with its age, and actions. */
export function Gate(props: GateProps): JSX.Element {
  const id = () => props.session.store.id;
  const standing = createMemo(() => sessionStanding(props));
  const state = () => props.session.state();
  const name = () => standing()?.name ?? 'idle';
  const offline = () => props.line.phase === 'lost' || props.line.phase === 'unpaired';

  const [hold, setHold] = createSignal(false);
  const stop = createAct(() => props.client.commands.send({ type: 'interrupt', sessionId: id(), hold: hold() }));
  const queued = () => props.session.queue.filter((one) => one.state === 'queued').length;
  const resume = createAct(() => props.client.commands.send({ type: 'resume_session', sessionId: id() }));
  // Shows "Stopping" immediately; the bridge confirms it a moment later.
  const [asked, setAsked] = createSignal<number | null>(null);
  createEffect(
    on(
      () => state()?.info.standing,
      (now) => {
        if (now !== 'running' && now !== 'retrying' && now !== 'stalled') setAsked(null);
      },
    ),
  );
  const stopping = () => name() === 'stopping' || asked() !== null;
  const since = () => (name() === 'stopping' ? (state()?.info.since ?? props.now) : (asked() ?? props.now));
  const [forcing, setForcing] = createSignal(false);
  createEffect(
    on(stopping, (on) => {
      if (!on) setForcing(false);
    }),
  );
  const interrupt = (keep = false) => {
    setHold(keep);
    setAsked(props.now);
    void stop.run().then((done) => {
      if (!done) setAsked(null);
    });
  };
  const [patient, setPatient] = createSignal(0);
  const showLadder = () => name() === 'stalled' && !stopping() && patient() !== (state()?.info.lastSign ?? 1);

  const turn = createMemo(() => endOfTurn(props.session));
  const may = () => props.client.may('operate');
  const ground = () => (stopping() && !offline() ? 'neutral' : (standing()?.ground ?? 'neutral'));
  const full = () => {
    const context = state()?.context;
    return context?.window ? context.tokens / context.window : 0;
  };

  return (
    <Show when={standing()}>
      {(now) => (
        <section class="gateslot" aria-label={t('asks.gate')}>
          <div class={`gate ${ground()}`} data-standing={stopping() ? 'stopping' : now().name}>
            <StateGlyph
              shape={stopping() && !offline() ? 'still' : now().shape}
              tone={now().quiet || stopping() ? 'dim' : undefined}
              step={props.session.pulse()}
            />
            <Switch
              fallback={
                <>
                  <span class="what">{now().word}</span>
                  <span class="grow trunc">
                    <Show when={now().about}>{(about) => <span classList={{ mono: now().mono }}>{about()}</span>}</Show>
                    <Show when={now().name !== 'running' && now().evidence}>
                      {(words) => (
                        <>
                          {now().about ? ' · ' : ''}
                          {words()}
                        </>
                      )}
                    </Show>
                  </span>
                </>
              }
            >
              <Match when={offline()}>
                <span class="what">{t('asks.notConnected')}</span>
                <span class="grow trunc">
                  {t('asks.notConnectedFor', { age: age(Math.max(0, Date.now() - props.line.since)) })}
                  <Show when={props.line.nextTry}>{(at) => <> · {t('asks.nextTry', { age: age(Math.max(0, at() - Date.now()) + 999) })}</>}</Show>
                </span>
                <span class="sign not-phone">{t('asks.tryCount', { n: props.line.tries })}</span>
                <Button small icon="retry" onClick={() => props.client.connection.tryNow()}>
                  {t('asks.tryNow')}
                </Button>
              </Match>
              <Match when={stopping()}>
                <span class="what">{t('asks.stopping')}</span>
                <span class="grow trunc">{t('asks.stoppingSince', { age: age(Math.max(0, props.now - since())) })}</span>
                <Show when={may() && props.now - since() >= 10_000}>
                  <Button small aria-expanded={forcing()} onClick={() => setForcing(!forcing())}>
                    {t('asks.force')}
                  </Button>
                </Show>
              </Match>
              <Match when={now().name === 'idle' || now().name === 'unread' || now().name === 'stopped'}>
                <span class="what">{now().word}</span>
                <span class="grow trunc">{turn()}</span>
                <Show when={props.changed?.files ? props.changed : null}>
                  {(sum) => (
                    <Button small onClick={() => props.onChanges?.()}>
                      {t('sessions.files', { n: sum().files })} <Counts added={sum().added} removed={sum().removed} />
                    </Button>
                  )}
                </Show>
                <Show when={props.onRewind && turn() !== null}>
                  <Button small look="bare" icon="undo" onClick={() => props.onRewind?.()}>
                    {t('asks.rewind')}
                  </Button>
                </Show>
              </Match>
              <Match when={now().name === 'catching'}>
                <span class="what">{now().word}</span>
                <span class="grow trunc">{now().evidence}</span>
                <Progress value={props.session.store.cursor?.seq ?? 0} max={props.session.store.newest} label={now().word} />
              </Match>
            </Switch>
            <Show when={!offline() && !stopping()}>
              <Show when={now().name === 'running' && state()?.turn}>
                {(open) => <span class="sign not-phone">{age(Math.max(0, props.now - open().began))}</span>}
              </Show>
              <Show when={now().name === 'running' || now().name === 'stalled'}>
                <span class="not-phone">
                  <Hydrograph values={state()?.info.activity ?? []} tone={now().name === 'stalled' ? 'warn' : undefined} />
                </span>
              </Show>
              <Show when={now().name === 'running' && now().evidence}>{(words) => <span class="sign">{words()}</span>}</Show>
              <Show when={now().name === 'crashed'}>
                <Suspense>
                  <CopyReport session={props.session} />
                </Suspense>
              </Show>
              <Show when={may()}>
                <Switch>
                  <Match when={now().name === 'running' || now().name === 'retrying' || now().name === 'limited'}>
                    <Show when={now().name === 'limited' && props.onModel}>
                      <Button small onClick={() => props.onModel?.()}>
                        {t('asks.changeModel')}
                      </Button>
                    </Show>
                    <Stop queued={queued()} busy={stop.busy()} interrupt={interrupt} />
                  </Match>
                  <Match when={now().name === 'stalled' && showLadder()}>
                    <Button small look="bare" onClick={() => setPatient(state()?.info.lastSign ?? 1)}>
                      {t('asks.keepWaiting')}
                    </Button>
                  </Match>
                  <Match when={now().name === 'stalled'}>
                    <Stop queued={queued()} busy={stop.busy()} interrupt={interrupt} />
                  </Match>
                  <Match when={now().name === 'external' || now().name === 'stopped' || now().name === 'lost'}>
                    <Button small disabled={resume.busy()} onClick={() => void resume.run()}>
                      {resume.shown() ? t('asks.resuming') : t('asks.resume')}
                    </Button>
                  </Match>
                </Switch>
              </Show>
            </Show>
          </div>
          <Show when={stop.problem() ?? resume.problem()}>
            {(why) => (
              <p class="gatebody t-bad" role="alert">
                {why()}
              </p>
            )}
          </Show>
          <Suspense>
            <Switch>
              <Match when={offline()}>
                <p class="gatebody note">
                  {props.line.bye === 'restarting' ? t('asks.bridgeRestarts') : props.line.bye === 'stopping' ? t('asks.bridgeStopped') : t('asks.notAffected')}
                </p>
              </Match>
              <Match when={forcing()}>
                <Forced client={props.client} sessionId={id()} onClose={() => setForcing(false)} />
              </Match>
              <Match when={showLadder() && may()}>
                <Stalled client={props.client} session={props.session} now={props.now} interrupt={() => interrupt()} />
              </Match>
              <Match when={now().name === 'crashed'}>
                <Crashed client={props.client} session={props.session} now={props.now} queued={props.queued === true} onSession={props.onSession} />
              </Match>
            </Switch>
          </Suspense>
          <Show when={!offline() && state()?.permissionMode === 'bypassPermissions'}>
            <div class="gatebody row bypass">
              <span class="grow t-bad">{t('asks.bypass')}</span>
              <Show when={may()}>
                <Button
                  small
                  onClick={() => void props.client.commands.send({ type: 'set_permission_mode', sessionId: id(), mode: 'default' }).catch(() => undefined)}
                >
                  {modeWord('default')}
                </Button>
              </Show>
            </div>
          </Show>
          <Show when={!offline() && full() > 0.95}>
            <p class="gatebody t-ask">{t('asks.contextFull', { part: percent(Math.min(1, full())) })}</p>
          </Show>
        </section>
      )}
    </Show>
  );
}

/** Stops the turn. If messages are queued, a menu offers what to do with them. */
function Stop(props: { queued: number; busy: boolean; interrupt: (hold?: boolean) => void }): JSX.Element {
  return (
    <span class="stops">
      <Button small icon="stop" hotkey="Esc" disabled={props.busy} onClick={() => props.interrupt()}>
        {t('asks.stop')}
      </Button>
      <Show when={props.queued > 0}>
        <Menu
          label={t('asks.stopMore')}
          align="end"
          items={() => [
            { label: t('asks.stopNext', { n: props.queued }), icon: 'queue', onSelect: () => props.interrupt() },
            { label: t('asks.stopHold', { n: props.queued }), icon: 'clock', onSelect: () => props.interrupt(true) },
          ]}
          trigger={(attributes) => <IconButton {...attributes} small icon="down" label={t('asks.stopMore')} disabled={props.busy} />}
        />
      </Show>
    </span>
  );
}

/** "turn 4 ended 14:31 · 2 m 14 s · $0.31" */
function endOfTurn(session: SessionView): string | null {
  const records = session.records();
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const record = records[index];
    if (record?.what.type !== 'result') continue;
    const spent = session.state()?.cost.turn ?? null;
    const elapsed: unknown = (record.what as { duration_ms?: unknown }).duration_ms;
    return [
      t('asks.turnEnded', { n: record.turn ?? 1, time: clock(record.at) }),
      typeof elapsed === 'number' ? duration(elapsed) : null,
      spent === null ? null : money(spent),
    ]
      .filter(Boolean)
      .join(' · ');
  }
  return null;
}

/** The status line of a session in a list: glyph, word, evidence. */
export function StandingLine(props: { standing: Standing; step?: number | undefined }): JSX.Element {
  return (
    <span class="standing">
      <StateGlyph shape={props.standing.shape} tone={props.standing.quiet ? 'dim' : undefined} step={props.step} />
      <For each={[props.standing.word, props.standing.short].filter(Boolean)}>{(part, index) => <span classList={{ strong: index() === 0 }}>{part}</span>}</For>
    </span>
  );
}

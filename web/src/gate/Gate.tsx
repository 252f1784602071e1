// The gate while no request is open: status, evidence with its age, and actions.
import { Match, Show, Suspense, Switch, type JSX } from 'solid-js';
import { lazy } from '../ui/part';
import { modeWord } from '../screens/modes';
import { t } from '../text';
import { age, percent } from '../text/format';
import { Button, Hydrograph, IconButton, Menu, Progress, StateGlyph, Problem } from '../ui';
import { Counts } from '../diff/Counts';
import { createGate, type GateProps, type GateState } from './gateState';
import { latestInfo } from './sessionStanding';
import type { Standing } from './standing';
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

/** Parts of the gate. */
interface PartProps extends GateProps {
  gate: GateState;
  standing: Standing;
}

export function Gate(props: GateProps): JSX.Element {
  const gate = createGate(props);
  const { offline, stopping } = gate;
  const still = () => stopping() && !offline();
  return (
    <Show when={gate.standing()}>
      {(now) => (
        <section class="gateslot" aria-label={t('asks.gate')}>
          <div class={`gate ${still() ? 'neutral' : now().ground}`} data-standing={stopping() ? 'stopping' : now().name}>
            <StateGlyph shape={still() ? 'still' : now().shape} tone={now().quiet || stopping() ? 'dim' : undefined} step={props.session.pulse()} />
            <Words {...props} gate={gate} standing={now()} />
            <Show when={!offline() && !stopping()}>
              <Evidence {...props} gate={gate} standing={now()} />
            </Show>
          </div>
          <Below {...props} gate={gate} standing={now()} />
        </section>
      )}
    </Show>
  );
}

/** What the session does. */
function Words(props: PartProps): JSX.Element {
  const { gate } = props;
  return (
    <Switch
      fallback={
        <>
          <span class="what">{props.standing.word}</span>
          <span class="grow trunc">
            <Show when={props.standing.about}>{(about) => <span classList={{ mono: props.standing.mono }}>{about()}</span>}</Show>
            <Show when={props.standing.name !== 'running' && props.standing.evidence}>
              {(words) => (
                <>
                  {props.standing.about ? ' · ' : ''}
                  {words()}
                </>
              )}
            </Show>
          </span>
        </>
      }
    >
      <Match when={gate.offline()}>
        <Offline {...props} />
      </Match>
      <Match when={gate.stopping()}>
        <Stopping {...props} />
      </Match>
      <Match when={props.standing.name === 'idle' || props.standing.name === 'unread' || props.standing.name === 'stopped'}>
        <Idle {...props} />
      </Match>
      <Match when={props.standing.name === 'catching'}>
        <span class="what">{props.standing.word}</span>
        <span class="grow trunc">{props.standing.evidence}</span>
        <Progress value={props.session.store.revision ?? 0} max={props.session.store.newest} label={props.standing.word} />
      </Match>
    </Switch>
  );
}

/** While disconnected: since when, and when the page tries again. */
function Offline(props: PartProps): JSX.Element {
  return (
    <>
      <span class="what">{t('asks.notConnected')}</span>
      <span class="grow trunc">
        {t('asks.notConnectedFor', { age: age(Math.max(0, Date.now() - props.line.since)) })}
        <Show when={props.line.nextTry}>{(at) => <> · {t('asks.nextTry', { age: age(Math.max(0, at() - Date.now()) + 999) })}</>}</Show>
      </span>
      <span class="sign not-phone">{t('asks.tryCount', { n: props.line.tries })}</span>
      <Button small icon="retry" onClick={() => props.client.connection.tryNow()}>
        {t('asks.tryNow')}
      </Button>
    </>
  );
}

/** After a stop was asked for. */
function Stopping(props: PartProps): JSX.Element {
  const { gate } = props;
  return (
    <>
      <span class="what">{t('asks.stopping')}</span>
      <span class="grow trunc">{t('asks.stoppingSince', { age: age(Math.max(0, props.now - gate.since())) })}</span>
      <Show when={gate.may() && props.now - gate.since() >= 10_000}>
        <Button small aria-expanded={gate.forcing()} onClick={() => gate.setForcing(!gate.forcing())}>
          {t('asks.force')}
        </Button>
      </Show>
    </>
  );
}

/** After a turn: its end, its changes, and rewind. */
function Idle(props: PartProps): JSX.Element {
  const { gate } = props;
  return (
    <>
      <span class="what">{props.standing.word}</span>
      <span class="grow trunc">{gate.turn()}</span>
      <Show when={props.changed?.files ? props.changed : null}>
        {(sum) => (
          <Button small onClick={() => props.onChanges?.()}>
            {t('sessions.files', { n: sum().files })} <Counts added={sum().added} removed={sum().removed} />
          </Button>
        )}
      </Show>
      <Show when={props.onRewind && gate.turn() !== null}>
        <Button small look="bare" icon="undo" onClick={() => props.onRewind?.()}>
          {t('asks.rewind')}
        </Button>
      </Show>
    </>
  );
}

/** How long and how busy, and what can be done. */
function Evidence(props: PartProps): JSX.Element {
  const { gate } = props;
  return (
    <>
      <Show when={props.standing.name === 'running' && gate.state()?.turn}>
        {(open) => <span class="sign not-phone">{age(Math.max(0, props.now - open().began))}</span>}
      </Show>
      <Show when={props.standing.name === 'running' || props.standing.name === 'stalled'}>
        <span class="not-phone">
          <Hydrograph values={latestInfo(props.session, props.client)?.activity ?? []} tone={props.standing.name === 'stalled' ? 'warn' : undefined} />
        </span>
      </Show>
      <Show when={props.standing.name === 'running' && props.standing.evidence}>{(words) => <span class="sign">{words()}</span>}</Show>
      <Show when={props.standing.name === 'crashed'}>
        <Suspense>
          <CopyReport session={props.session} />
        </Suspense>
      </Show>
      <Show when={gate.may()}>
        <Buttons {...props} />
      </Show>
    </>
  );
}

/** The buttons of the status. */
function Buttons(props: PartProps): JSX.Element {
  const { gate } = props;
  return (
    <Switch>
      <Match when={props.standing.name === 'running' || props.standing.name === 'retrying' || props.standing.name === 'limited'}>
        <Show when={props.standing.name === 'limited' && props.onModel}>
          <Button small onClick={() => props.onModel?.()}>
            {t('asks.changeModel')}
          </Button>
        </Show>
        <Stop queued={gate.queued()} busy={gate.stop.busy()} interrupt={gate.interrupt} />
      </Match>
      <Match when={props.standing.name === 'stalled' && gate.showLadder()}>
        <Button small look="bare" onClick={() => gate.keepWaiting()}>
          {t('asks.keepWaiting')}
        </Button>
      </Match>
      <Match when={props.standing.name === 'stalled'}>
        <Stop queued={gate.queued()} busy={gate.stop.busy()} interrupt={gate.interrupt} />
      </Match>
      <Match when={props.standing.name === 'external' || props.standing.name === 'stopped' || props.standing.name === 'lost'}>
        <Button small disabled={gate.resume.busy()} onClick={() => void gate.resume.run()}>
          {gate.resume.shown() ? t('asks.resuming') : t('asks.resume')}
        </Button>
      </Match>
    </Switch>
  );
}

/** Below the line: what failed, what to do about it, and warnings. */
function Below(props: PartProps): JSX.Element {
  const { gate } = props;
  return (
    <>
      <Problem class="gatebody" why={gate.stop.problem() ?? gate.resume.problem()} />
      <Suspense>
        <Switch>
          <Match when={gate.offline()}>
            <p class="gatebody note">
              {props.line.bye === 'restarting' ? t('asks.bridgeRestarts') : props.line.bye === 'stopping' ? t('asks.bridgeStopped') : t('asks.notAffected')}
            </p>
          </Match>
          <Match when={gate.forcing()}>
            <Forced client={props.client} sessionId={props.session.store.id} onClose={() => gate.setForcing(false)} />
          </Match>
          <Match when={gate.showLadder() && gate.may()}>
            <Stalled client={props.client} session={props.session} now={props.now} interrupt={() => gate.interrupt()} />
          </Match>
          <Match when={props.standing.name === 'crashed'}>
            <Crashed client={props.client} session={props.session} now={props.now} queued={props.queued === true} onSession={props.onSession} />
          </Match>
        </Switch>
      </Suspense>
      <Show when={!gate.offline() && gate.state()?.permissionMode === 'bypassPermissions'}>
        <Bypass {...props} />
      </Show>
      <Show when={!gate.offline() && gate.full() > 0.95}>
        <p class="gatebody t-ask">{t('asks.contextFull', { part: percent(Math.min(1, gate.full())) })}</p>
      </Show>
    </>
  );
}

/** As long as permissions are bypassed. */
function Bypass(props: PartProps): JSX.Element {
  const { gate } = props;
  return (
    <div class="gatebody row bypass">
      <span class="grow t-bad">{t('asks.bypass')}</span>
      <Show when={gate.may()}>
        <Button
          small
          onClick={() =>
            void props.client.commands.send({ type: 'set_permission_mode', sessionId: props.session.store.id, mode: 'default' }).catch(() => undefined)
          }
        >
          {modeWord('default')}
        </Button>
      </Show>
    </div>
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

// The agents the bridge can start, who pays for each, and the state of the bridge.
import '../text/rooms';
import { createSignal, For, Show, type JSX } from 'solid-js';
import type { Agent, Checked } from '../api/types';
import { Badge, Button } from '../ui';
import { t } from '../text';
import { bytes, duration } from '../text/format';
import { Bring } from '../panels/FirstSteps';
import '../panels/panels.css';
import { createAsked } from './asked';
import { may, reasonOf, request, welcome } from './link';

export default function Machine(props: { part: 'agents' | 'bridge' }): JSX.Element {
  return (
    <Show when={props.part === 'agents'} fallback={<Bridge />}>
      <Agents />
    </Show>
  );
}

function Agents(): JSX.Element {
  return (
    <>
      <section>
        <h2>{t('settings.agents')}</h2>
        <p class="lead">{t('settings.agentsWords')}</p>
        <For each={welcome()?.agents}>{(agent) => <AgentRow agent={agent} />}</For>
      </section>
      <section>
        <h2>{t('settings.bring')}</h2>
        <Bring />
      </section>
    </>
  );
}

function AgentRow(props: { agent: Agent }): JSX.Element {
  const [answer, setAnswer] = createSignal<Checked | null>(null);
  const [busy, setBusy] = createSignal(false);
  const check = async () => {
    setBusy(true);
    try {
      setAnswer(await request({ type: 'check', what: 'agent', value: props.agent.name }));
    } catch (error) {
      setAnswer({ ok: false, message: reasonOf(error), hint: null });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="fr">
      <div>
        <span class="fl">{props.agent.name}</span>{' '}
        <Show when={props.agent.default}>
          <Badge>{t('settings.isDefault')}</Badge>
        </Show>
        <p>{props.agent.available ? `${t('settings.available')}${props.agent.version ? ` · ${props.agent.version}` : ''}` : t('settings.missing')}</p>
      </div>
      <div>
        <p>
          <code>{props.agent.command}</code>
        </p>
        <p>
          {t('settings.pays')}: {props.agent.paysDetail}
        </p>
        <div class="row wrap">
          <Button small icon="check" disabled={busy() || !may('admin')} onClick={() => void check()}>
            {busy() ? t('settings.checking') : t('settings.check')}
          </Button>
          <span role="status" class={answer()?.ok ? 't-ok' : 't-bad'}>
            <Show when={answer()}>
              {(one) => (
                <>
                  {one().message} {one().hint}
                </>
              )}
            </Show>
          </span>
        </div>
      </div>
    </div>
  );
}

function Bridge(): JSX.Element {
  const [status] = createAsked(
    () => true,
    () => request({ type: 'status' }),
  );
  return (
    <section>
      <h2>{t('settings.bridge')}</h2>
      <Show when={status.error}>
        <p class="dim">{t('settings.failed', { why: reasonOf(status.error) })}</p>
      </Show>
      <Show when={!status.error && status.latest}>
        {(one) => (
          <dl class="grid2">
            <dt>{t('settings.bridgeVersion')}</dt>
            <dd class="mono">{one().version}</dd>
            <dt>{t('settings.uptime')}</dt>
            <dd class="num">{duration(one().uptime)}</dd>
            <dt>{t('settings.live')}</dt>
            <dd class="num">{t('settings.of', { n: one().live, all: one().sessions })}</dd>
            <dt>{t('settings.clients')}</dt>
            <dd class="num">{one().clients}</dd>
            <dt>{t('settings.store')}</dt>
            <dd class="num">{bytes(one().storeBytes)}</dd>
            <dt>{t('settings.memory')}</dt>
            <dd class="num">{bytes(one().memory)}</dd>
            <dt>{t('settings.addresses')}</dt>
            <dd>
              <For each={one().addresses}>{(address) => <div class="mono">{address}</div>}</For>
            </dd>
            <dt>{t('settings.state')}</dt>
            <dd class="mono">{one().stateFolder}</dd>
          </dl>
        )}
      </Show>
    </section>
  );
}

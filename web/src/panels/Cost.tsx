import { For, Show, type JSX } from 'solid-js';
import type { SessionState } from '../api/types';
import { t } from '../text';
import { money, tokens, when } from '../text/format';
import { welcome } from '../screens/link';
import { modelNamed } from '../screens/models';
import { Pane } from './Pane';

type ModelUse = { inputTokens?: number; outputTokens?: number; cacheReadInputTokens?: number; cacheCreationInputTokens?: number; costUSD?: number };
type Limit = { rate_limit_info?: { status?: string; resetsAt?: number; rateLimitType?: string } };

/** The agent's cumulative figures by model. The figures of the last turn are computed by the server. */
export function Cost(props: { state: SessionState | undefined }): JSX.Element {
  const cost = () => props.state?.cost;
  const rows = () => Object.entries(cost()?.byModel ?? {}) as [string, ModelUse][];
  const payer = () => welcome()?.agents.find((agent) => agent.name === props.state?.info.agent)?.paysDetail;
  const limit = () => (props.state?.limits as Limit | null)?.rate_limit_info;
  return (
    <Pane name="cost" title={t('panels.cost')} figure={money(cost()?.total ?? 0)}>
      <Show when={cost() && (cost()?.total || rows().length)} fallback={<p class="dim">{t('panels.costNone')}</p>}>
        <table class="cost">
          <thead>
            <tr>
              <th scope="col">{t('panels.model')}</th>
              <th scope="col">{t('panels.in')}</th>
              <th scope="col">{t('panels.cached')}</th>
              <th scope="col">{t('panels.out')}</th>
              <th scope="col">{t('panels.cost')}</th>
            </tr>
          </thead>
          <tbody>
            <For each={rows()}>
              {([name, use]) => (
                <tr>
                  <th scope="row" title={name}>
                    {modelNamed(name)}
                  </th>
                  <td>{tokens(use.inputTokens ?? 0)}</td>
                  <td>{tokens(use.cacheReadInputTokens ?? 0)}</td>
                  <td>{tokens(use.outputTokens ?? 0)}</td>
                  <td>{money(use.costUSD ?? 0)}</td>
                </tr>
              )}
            </For>
            <tr class="sum">
              <th scope="row">{t('panels.session')}</th>
              <td />
              <td />
              <td />
              <td>{money(cost()?.total ?? 0)}</td>
            </tr>
            <Show when={cost()?.turn !== null}>
              <tr>
                <th scope="row">{t('panels.lastTurn')}</th>
                <td />
                <td />
                <td />
                <td>{money(cost()?.turn ?? 0)}</td>
              </tr>
            </Show>
          </tbody>
        </table>
        <Show when={payer()}>{(who) => <p class="small dim">{t('panels.paidBy', { who: who() })}</p>}</Show>
        <Show when={limit()?.resetsAt}>
          {(at) => <p class="small dim">{t('panels.limitResets', { what: limit()?.rateLimitType ?? t('panels.limit'), when: when(at() * 1000) })}</p>}
        </Show>
        <p class="small dim">{t('panels.costReported')}</p>
      </Show>
    </Pane>
  );
}

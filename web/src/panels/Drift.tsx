import { For, Show, type JSX } from 'solid-js';
import type { SessionState } from '../api/types';
import { CopyButton } from '../ui';
import { t } from '../text';
import { clock } from '../text/format';
import { createAsked } from '../screens/asked';
import { request } from '../screens/link';
import { Asked, Pane } from './Pane';

/** Messages of the agent that this version does not know, as received. */
export function Drift(props: { id: string; state: SessionState | undefined }): JSX.Element {
  const drift = () => props.state?.drift;
  const count = () => (drift()?.unknown ?? 0) + (drift()?.garbled ?? 0) + (drift()?.repeated ?? 0) + (drift()?.foreign ?? 0);
  const [lines, { refetch }] = createAsked(
    () => (count() ? `${props.id} ${count()}` : null),
    () => request({ type: 'drift', sessionId: props.id }),
  );
  const more = () =>
    [
      drift()?.garbled ? t('panels.driftGarbled', { n: drift()?.garbled ?? 0 }) : null,
      drift()?.repeated ? t('panels.driftRepeated', { n: drift()?.repeated ?? 0 }) : null,
      drift()?.foreign ? t('panels.driftForeign', { n: drift()?.foreign ?? 0 }) : null,
    ]
      .filter(Boolean)
      .join(' · ');
  return (
    <Pane name="drift" title={t('panels.drift')} figure={count() || undefined}>
      <Show when={count()} fallback={<p class="dim">{t('panels.driftNone')}</p>}>
        <p>
          <Show when={drift()?.unknown}>{t('panels.driftWords', { n: drift()?.unknown ?? 0 })} </Show>
          <span class="dim">{more()}</span>
        </p>
        <Asked of={lines} again={() => void refetch()}>
          <ul class="raw">
            <For each={lines.latest?.lines}>
              {(line) => (
                <li>
                  <details>
                    <summary>
                      <code class="grow trunc">{line.what}</code>
                      <span class="small dim num">{clock(line.at)}</span>
                    </summary>
                    <div class="row">
                      <span class="push" />
                      <CopyButton text={() => line.raw} />
                    </div>
                    <pre class="well" tabIndex={0} role="group" aria-label={line.what}>
                      {line.raw}
                    </pre>
                  </details>
                </li>
              )}
            </For>
          </ul>
        </Asked>
      </Show>
    </Pane>
  );
}

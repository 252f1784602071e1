import { For, Show, type JSX } from 'solid-js';
import type { SessionState } from '../api/types';
import { t } from '../text';
import { createAsked } from '../screens/asked';
import { request } from '../screens/link';
import { Asked, Pane } from './Pane';

/** The hooks the agent announced. */
export function Hooks(props: { id: string; state: SessionState | undefined }): JSX.Element {
  const key = () => (props.state?.process.state === 'up' ? props.id : null);
  const [asked, { refetch }] = createAsked(key, (id) => request({ type: 'hooks', sessionId: id }));
  const hooks = () => asked.latest?.hooks ?? [];
  return (
    <Pane name="hooks" title={t('panels.hooks')} figure={hooks().length || undefined}>
      <Show when={key()} fallback={<p class="dim">{t('panels.needsAgent')}</p>}>
        <Asked of={asked} again={() => void refetch()}>
          <Show when={hooks().length} fallback={<p class="dim">{t('panels.hooksNone')}</p>}>
            <ul class="raw">
              <For each={hooks()}>
                {(hook) => (
                  <li>
                    <b class="mid">{hook.event}</b>{' '}
                    <Show when={hook.matcher}>
                      <code>{hook.matcher}</code>
                    </Show>{' '}
                    <span class="small dim">{hook.sourceLabel ?? hook.source}</span>
                    <div>
                      <code>{hook.commandText ?? hook.displayText}</code>
                    </div>
                  </li>
                )}
              </For>
            </ul>
          </Show>
        </Asked>
      </Show>
    </Pane>
  );
}

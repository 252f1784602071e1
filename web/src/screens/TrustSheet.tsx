// Asks whether to trust a folder, and lists everything that takes effect then.
import '../text/places';
import { createSignal, For, Show, type JSX } from 'solid-js';
import { Revealed } from '../asks/Revealed';
import { t } from '../text';
import { Button, Dialog, toast } from '../ui';
import { act, done } from './act';
import { infoOf, may, request } from './link';
import { learnTrust, trustOf } from './trust';
import './lists.css';

export default function TrustSheet(props: { folder: string; id: string; onClose: () => void }): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const trust = () => trustOf(props.folder);
  /** True if the agent of the session can restart now: its process runs, and no turn would be lost. */
  const idle = () => infoOf(props.id)?.standing === 'idle';
  const accept = async () => {
    const answer = await act(() => request({ type: 'trust_folder', path: props.folder }), setBusy);
    if (!answer) return;
    learnTrust(props.folder, answer);
    const restart = async () => {
      await request({ type: 'stop_session', sessionId: props.id });
      await request({ type: 'resume_session', sessionId: props.id });
    };
    if (idle()) {
      if (await done(restart, setBusy)) toast(t('places.trustRestarted'));
    } else toast(t(props.id === '' ? 'places.trustDone' : 'places.trustLater'));
    props.onClose();
  };
  return (
    <Dialog
      open
      wide
      title={t('places.trustTitle')}
      onClose={props.onClose}
      footer={
        <Show when={may('approve')} fallback={<p class="dim">{t('places.trustMayNot')}</p>}>
          <Button look="primary" disabled={busy() || !trust()} onClick={() => void accept()}>
            {t(idle() ? 'places.trustRestart' : 'places.trustDo')}
          </Button>
          <Button look="bare" onClick={() => props.onClose()}>
            {t('ui.cancel')}
          </Button>
        </Show>
      }
    >
      <p class="mono">{trust()?.folder ?? props.folder}</p>
      <p class="sec">{t('places.trustWords')}</p>
      <ul class="heldback">
        <For each={trust()?.heldBack ?? []}>
          {(held) => (
            <li>
              <code>
                <Revealed text={held.file} />
              </code>
              <ul>
                <For each={held.what}>
                  {(what) => (
                    <li>
                      <Revealed text={what} prose />
                    </li>
                  )}
                </For>
              </ul>
              <Show when={held.text}>
                {(text) => (
                  <details>
                    <summary>{t('places.trustText')}</summary>
                    <pre class="well" tabIndex={0}>
                      <Revealed text={text()} />
                    </pre>
                  </details>
                )}
              </Show>
            </li>
          )}
        </For>
      </ul>
    </Dialog>
  );
}

import { For, Show, type JSX } from 'solid-js';
import { t } from '../text';
import { hides, reveal } from './reveal';

/** Text that the agent wrote, wrapped. Invisible characters are shown as red escapes; `prose` may contain unusual spaces. */
export function Revealed(props: { text: string; prose?: boolean | undefined }): JSX.Element {
  return (
    <For each={reveal(props.text, props.prose === true)}>
      {(piece) => (
        <Show when={piece.hidden} fallback={piece.text}>
          <mark class="unseen">{piece.text}</mark>
        </Show>
      )}
    </For>
  );
}

/** The whole command, with a warning if it contains invisible characters. */
export function CommandText(props: { text: string; label: string }): JSX.Element {
  return (
    <>
      <Show when={hides(props.text)}>
        <p class="asknote t-bad" role="note">
          {t('asks.hidden')}
        </p>
      </Show>
      <pre class="cmdbig" tabIndex={0} aria-label={props.label}>
        <Revealed text={props.text} />
      </pre>
    </>
  );
}

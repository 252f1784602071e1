// Number of added and removed lines.
import { Show, type JSX } from 'solid-js';
import { t } from '../text';

export function Counts(props: { added: number; removed: number }): JSX.Element {
  return (
    <span class="pm" role="img" aria-label={t('transcript.plusMinus', { added: props.added, removed: props.removed })}>
      <Show when={props.added > 0 || props.removed === 0}>
        <b aria-hidden="true">+{props.added}</b>
      </Show>
      <Show when={props.removed > 0}>
        <i aria-hidden="true"> −{props.removed}</i>
      </Show>
    </span>
  );
}

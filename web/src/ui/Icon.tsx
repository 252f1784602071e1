import { Show, type JSX } from 'solid-js';
import { drawings, iconNames, type Drawing, type IconName } from './drawings';

export { iconNames, type IconName };

/** Decoration only: the word beside it, or the label of its button, is what it means. */
export function Icon(props: { name: IconName; class?: string }): JSX.Element {
  const drawing = (): Drawing => drawings[props.name];
  return (
    <svg class={`icon ${props.class ?? ''}`} viewBox="0 0 16 16" aria-hidden="true">
      <Show when={drawing().d}>{(d) => <path d={d()} stroke-dasharray={drawing().dash} stroke-width={drawing().w} />}</Show>
      <Show when={drawing().f}>{(f) => <path class="fill" fill-rule="evenodd" d={f()} />}</Show>
    </svg>
  );
}

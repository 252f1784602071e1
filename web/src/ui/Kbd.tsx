import { For, type JSX } from 'solid-js';

/** Keys as caps: "Ctrl Enter" gives two. Hidden from readers: the command's own words say it. */
export function Kbd(props: { keys: string }): JSX.Element {
  return (
    <span class="keys" aria-hidden="true">
      <For each={props.keys.split(' ')}>{(key) => <kbd>{key === 'Enter' ? '⏎' : key}</kbd>}</For>
    </span>
  );
}

import { For, type JSX } from 'solid-js';

/** Key caps: "Ctrl Enter" shows two. Hidden from screen readers, which use aria-keyshortcuts. */
export function Kbd(props: { keys: string }): JSX.Element {
  return (
    <span class="keys" aria-hidden="true">
      <For each={props.keys.split(' ')}>{(key) => <kbd>{key === 'Enter' ? '⏎' : key}</kbd>}</For>
    </span>
  );
}

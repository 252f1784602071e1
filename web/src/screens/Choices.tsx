import { createUniqueId, For, Show, type JSX } from 'solid-js';

export interface Choice<T extends string> {
  value: T;
  label: JSX.Element;
  words?: JSX.Element;
  disabled?: boolean | undefined;
}

/** A choice of several options, each with a description (native radio buttons: arrow keys move and choose). */
export function Choices<T extends string>(props: {
  label: string;
  value: T | '';
  options: readonly Choice<T>[];
  onChange: (value: T) => void;
  class?: string;
  mono?: boolean;
}): JSX.Element {
  const name = createUniqueId();
  let group!: HTMLDivElement;
  // The checked button follows `value`, also if the owner rejects the change.
  const pick = (value: T) => {
    props.onChange(value);
    for (const input of group.querySelectorAll('input')) input.checked = input.value === props.value;
  };
  return (
    <div ref={group} class={props.class ?? 'opts'} role="radiogroup" aria-label={props.label}>
      <For each={props.options}>
        {(option) => (
          <label class="opt">
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === props.value}
              disabled={option.disabled}
              onChange={() => pick(option.value)}
            />
            <span class="l" classList={{ mono: props.mono === true }}>
              {option.label}
            </span>
            <Show when={option.words}>
              <span class="d">{option.words}</span>
            </Show>
          </label>
        )}
      </For>
    </div>
  );
}

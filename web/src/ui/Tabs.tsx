import { createUniqueId, For, type JSX } from 'solid-js';

export interface Tab<T extends string> {
  id: T;
  label: JSX.Element;
}

/** Tabs (role tablist): arrow keys move and choose. For tabs with addresses, use links with class "tabs". */
export function Tabs<T extends string>(props: {
  label: string;
  tabs: readonly Tab<T>[];
  value: T;
  onChange: (id: T) => void;
  children: JSX.Element;
}): JSX.Element {
  const base = createUniqueId();
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const at = props.tabs.findIndex((tab) => tab.id === props.value);
    const next = props.tabs[(at + step + props.tabs.length) % props.tabs.length];
    if (!next) return;
    props.onChange(next.id);
    document.getElementById(`${base}-${next.id}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={props.label} onKeyDown={onKeyDown}>
        <For each={props.tabs}>
          {(tab) => (
            <button
              type="button"
              role="tab"
              id={`${base}-${tab.id}`}
              aria-selected={tab.id === props.value}
              aria-controls={`${base}-panel`}
              tabIndex={tab.id === props.value ? 0 : -1}
              onClick={() => props.onChange(tab.id)}
            >
              {tab.label}
            </button>
          )}
        </For>
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${props.value}`}>
        {props.children}
      </div>
    </>
  );
}

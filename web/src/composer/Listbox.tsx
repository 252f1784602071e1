import { createEffect, For, on, Show, type JSX } from 'solid-js';
import { Icon, type IconName } from '../ui';
import { pieces } from './fuzzy';

export interface ListItem {
  key: string;
  name: string;
  hits: readonly number[];
  note: string | null;
  icon: IconName | null;
  prefix: string;
}

/** The completions above the message box. The focus stays in the box; aria-activedescendant names the active option. */
export function Listbox(props: {
  id: string;
  label: string;
  items: readonly ListItem[];
  active: number;
  empty: string | null;
  onPick: (index: number) => void;
  onActive: (index: number) => void;
}): JSX.Element {
  let list!: HTMLUListElement;
  createEffect(
    on(
      () => props.active,
      (index) => {
        list.children[index]?.scrollIntoView({ block: 'nearest' });
      },
      { defer: true },
    ),
  );
  return (
    <ul ref={list} class="choices" role="listbox" id={props.id} aria-label={props.label}>
      <For
        each={props.items}
        fallback={
          <Show when={props.empty}>
            <li class="dim none" role="option" aria-disabled="true" aria-selected="false">
              {props.empty}
            </li>
          </Show>
        }
      >
        {(item, index) => (
          <li
            id={`${props.id}-${index()}`}
            role="option"
            aria-selected={index() === props.active}
            classList={{ on: index() === props.active }}
            onPointerMove={() => props.onActive(index())}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => props.onPick(index())}
          >
            <Show when={item.icon}>{(name) => <Icon name={name()} class="dim" />}</Show>
            <b class="mono">
              {item.prefix}
              <For each={pieces(item.name, item.hits)}>
                {(piece) => (
                  <Show when={piece.hit} fallback={piece.text}>
                    <mark>{piece.text}</mark>
                  </Show>
                )}
              </For>
            </b>
            <Show when={item.note}>
              <span>{item.note}</span>
            </Show>
          </li>
        )}
      </For>
    </ul>
  );
}

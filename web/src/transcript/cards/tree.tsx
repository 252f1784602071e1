import { createMemo, createSignal, For, Match, Show, Switch, type JSX } from 'solid-js';
import type { JsonValue } from '../../api/types';
import { t } from '../../text';
import { LinkButton } from '../../ui';

export type Fields = { readonly [key: string]: JsonValue };
export const isFields = (value: JsonValue | undefined): value is { [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON as a folding tree; strings with their line breaks. */
export function JsonTree(props: { value: JsonValue; name?: string | undefined; open?: boolean | undefined }): JSX.Element {
  return (
    <ul class="json">
      <JsonNode value={props.value} name={props.name} depth={0} open={props.open !== false} />
    </ul>
  );
}

const MOST = 100;

function JsonNode(props: { value: JsonValue; name: string | undefined; depth: number; open: boolean }): JSX.Element {
  const [open, setOpen] = createSignal(props.open && props.depth < 2);
  const entries = createMemo((): [string, JsonValue][] => {
    if (Array.isArray(props.value)) return props.value.map((value, index): [string, JsonValue] => [String(index), value]);
    return isFields(props.value) ? Object.entries(props.value) : [];
  });
  const nested = () => entries().length > 0;
  const label = () => (Array.isArray(props.value) ? `[${entries().length}]` : `{${entries().length}}`);
  return (
    <li>
      <Switch>
        <Match when={nested() && props.depth === 0 && props.name === undefined}>
          <Children entries={entries()} depth={props.depth} />
        </Match>
        <Match when={nested()}>
          <details open={open()} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>
              <span class="jk">{props.name}</span> <span class="dim">{label()}</span>
            </summary>
            <Show when={open()}>
              <Children entries={entries()} depth={props.depth} />
            </Show>
          </details>
        </Match>
        <Match when={true}>
          <Show when={props.name !== undefined}>
            <span class="jk">{props.name}</span>{' '}
          </Show>
          <span class={typeof props.value === 'string' ? 's' : 'nu'}>{typeof props.value === 'string' ? props.value : JSON.stringify(props.value)}</span>
        </Match>
      </Switch>
    </li>
  );
}

function Children(props: { entries: readonly [string, JsonValue][]; depth: number }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const rest = () => (all() ? 0 : Math.max(0, props.entries.length - MOST));
  return (
    <ul>
      <For each={rest() > 0 ? props.entries.slice(0, MOST) : props.entries}>
        {([name, value]) => <JsonNode name={name} value={value} depth={props.depth + 1} open />}
      </For>
      <Show when={rest() > 0}>
        <li>
          <LinkButton onClick={() => setAll(true)}>{t('transcript.moreItems', { n: rest() })}</LinkButton>
        </li>
      </Show>
    </ul>
  );
}

export function Section(props: { title: string; children: JSX.Element }): JSX.Element {
  return (
    <section class="bodysec">
      <p class="bodytitle">{props.title}</p>
      {props.children}
    </section>
  );
}

// Generic bodies: the result as text, pictures and trees; the input as a tree.
import { For, Match, Show, Switch, type JSX } from 'solid-js';
import type { JsonValue, ToolCall } from '../../api/types';
import { Terminal } from '../../ansi/Terminal';
import { Markdown } from '../../markdown/Markdown';
import { hostOf } from '../../markdown/render';
import { t } from '../../text';
import { textOf } from '../model';
import { useServices } from '../services';
import { HeavyText, PictureView } from './parts';
import { isFields, JsonTree, Section, type Fields } from './tree';

/** The result as the model received it. */
export function ResultText(props: { call: ToolCall }): JSX.Element {
  return (
    <Show when={props.call.result}>
      {(result) => (
        <>
          <Show when={textOf(result().text) ? result().text : null}>
            {(text) => (
              <div class="box">
                <HeavyText value={text()}>{(all) => <JsonOrText text={all} />}</HeavyText>
              </div>
            )}
          </Show>
          <For each={result().images}>
            {(picture) => (
              <div class="box">
                <PictureView picture={picture} />
              </div>
            )}
          </For>
        </>
      )}
    </Show>
  );
}

/** JSON rows of the same shape as a table, other JSON as a tree, everything else as output. */
function JsonOrText(props: { text: string }): JSX.Element {
  const parsed = (): JsonValue | undefined => {
    const start = props.text.trimStart().charAt(0);
    if ((start !== '{' && start !== '[') || props.text.length > 200_000) return undefined;
    try {
      return JSON.parse(props.text) as JsonValue;
    } catch {
      return undefined;
    }
  };
  const rows = () => tableRows(parsed());
  return (
    <Switch fallback={<Terminal text={props.text.replace(/<\/?tool_use_error>/g, '')} />}>
      <Match when={rows()}>{(all) => <DataTable rows={all()} />}</Match>
      <Match when={parsed()}>{(value) => <JsonTree value={value()} />}</Match>
    </Switch>
  );
}

function tableRows(value: JsonValue | undefined): readonly Fields[] | undefined {
  const list = Array.isArray(value) ? value : isFields(value) && Array.isArray(value['rows']) ? value['rows'] : [];
  const rows = list.filter(isFields);
  if (rows.length === 0 || rows.length > 200 || rows.length !== list.length) return undefined;
  const keys = Object.keys(rows[0] ?? {}).join();
  const flat = (row: Fields) => Object.keys(row).join() === keys && Object.values(row).every((cell) => typeof cell !== 'object' || cell === null);
  return rows.every(flat) ? rows : undefined;
}

function DataTable(props: { rows: readonly Fields[] }): JSX.Element {
  const columns = () => Object.keys(props.rows[0] ?? {});
  const isNumber = (column: string) => props.rows.every((row) => typeof row[column] === 'number');
  return (
    <div class="datatable" tabIndex={0} role="group" aria-label={t('transcript.result')}>
      <table>
        <thead>
          <tr>
            <For each={columns()}>{(column) => <th class={isNumber(column) ? 'right' : ''}>{column}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <For each={props.rows}>
            {(row) => (
              <tr>
                <For each={columns()}>{(column) => <td class={isNumber(column) ? 'right' : 'mono'}>{String(row[column] ?? '')}</td>}</For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}

export function InputTree(props: { input: JsonValue }): JSX.Element {
  return (
    <Show when={!isFields(props.input) || Object.keys(props.input).length > 0}>
      <Section title={t('transcript.input')}>
        <div class="box">
          <JsonTree value={props.input} />
        </div>
      </Section>
    </Show>
  );
}

export function GenericBody(props: { call: ToolCall; input: JsonValue }): JSX.Element {
  return (
    <>
      <InputTree input={props.input} />
      <Show when={textOf(props.call.result?.text) || props.call.result?.images.length}>
        <Section title={t('transcript.result')}>
          <ResultText call={props.call} />
        </Section>
      </Show>
    </>
  );
}

export function MarkdownBody(props: { text: string }): JSX.Element {
  const services = useServices();
  return (
    <div class="box pad">
      <Markdown text={props.text} services={services} />
    </div>
  );
}

export function ExternalLink(props: { url: string; children?: JSX.Element }): JSX.Element {
  return (
    <Show when={/^https?:\/\//i.test(props.url)} fallback={props.children ?? props.url}>
      <a class="ext" href={props.url} target="_blank" rel="noreferrer noopener">
        {props.children ?? props.url}
      </a>{' '}
      <span class="dim">{hostOf(props.url)}</span>
    </Show>
  );
}

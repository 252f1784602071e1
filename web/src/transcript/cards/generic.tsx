// Generic bodies: the result as text, pictures and trees; the input as a tree.
import { For, Match, Show, Switch, type JSX } from 'solid-js';
import { Terminal } from '../../ansi/Terminal';
import { Markdown } from '../../markdown/Markdown';
import { hostOf } from '../../markdown/render';
import { t } from '../../text';
import { heavy, isFields, fields, list, plain, str, textOf, type CallItem, type Json, type ResultBlock } from '../model';
import { useServices } from '../services';
import { HeavyText, JsonTree, PictureView, Section } from './parts';

/** The result as the model received it. */
export function ResultText(props: { call: CallItem }): JSX.Element {
  return <Show when={props.call.result}>{(blocks) => <Blocks blocks={blocks()} />}</Show>;
}

export function Blocks(props: { blocks: readonly ResultBlock[] }): JSX.Element {
  return <For each={props.blocks}>{(block) => <Block block={block} />}</For>;
}

function Block(props: { block: ResultBlock }): JSX.Element {
  const block = props.block;
  switch (block.kind) {
    case 'text':
      return (
        <div class="box">
          <HeavyText value={block.text}>{(text) => <JsonOrText text={text} />}</HeavyText>
        </div>
      );
    case 'image':
      return (
        <div class="box">
          <PictureView picture={block.picture} />
        </div>
      );
    case 'link':
      return (
        <p class="cutnote">
          <span class="mono">{block.name}</span> <span class="dim">{block.uri}</span>
        </p>
      );
    case 'other':
      return (
        <div class="box">
          <JsonTree value={block.raw} />
        </div>
      );
  }
}

/** JSON rows of the same shape as a table, other JSON as a tree, everything else as output. */
function JsonOrText(props: { text: string }): JSX.Element {
  const parsed = (): Json | undefined => {
    const start = props.text.trimStart().charAt(0);
    if ((start !== '{' && start !== '[') || props.text.length > 200_000) return undefined;
    try {
      return JSON.parse(props.text) as Json;
    } catch {
      return undefined;
    }
  };
  const rows = () => tableRows(parsed());
  return (
    <Switch fallback={<Terminal text={props.text.replace(/<\/?tool_use_error>/g, '')} />}>
      <Match when={rows()}>{(all) => <DataTable rows={all()} />}</Match>
      <Match when={parsed() !== undefined}>
        <JsonTree value={parsed()} />
      </Match>
    </Switch>
  );
}

function tableRows(value: Json | undefined): readonly { readonly [key: string]: Json | undefined }[] | undefined {
  const rows = Array.isArray(value) ? (value as readonly Json[]) : isFields(value) ? list(value['rows']) : [];
  if (rows.length === 0 || rows.length > 200 || !rows.every(isFields)) return undefined;
  const keys = Object.keys(rows[0] ?? {}).join();
  if (
    !rows.every((row) => Object.keys(row as object).join() === keys && Object.values(row as object).every((cell) => typeof cell !== 'object' || cell === null))
  )
    return undefined;
  return rows as readonly { readonly [key: string]: Json | undefined }[];
}

function DataTable(props: { rows: readonly { readonly [key: string]: Json | undefined }[] }): JSX.Element {
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

export function GenericBody(props: { call: CallItem }): JSX.Element {
  return (
    <>
      <Show when={Object.keys(props.call.input).length > 0}>
        <Section title={t('transcript.input')}>
          <div class="box">
            <JsonTree value={props.call.input} />
          </div>
        </Section>
      </Show>
      <Show when={props.call.result && props.call.result.length > 0}>
        <Section title={t('transcript.result')}>
          <ResultText call={props.call} />
        </Section>
      </Show>
    </>
  );
}

export function McpBody(props: { call: CallItem }): JSX.Element {
  const structured = () => fields(props.call.structured)['structuredContent'];
  return (
    <>
      <Show when={Object.keys(props.call.input).length > 0}>
        <Section title={t('transcript.input')}>
          <div class="box">
            <JsonTree value={props.call.input} />
          </div>
        </Section>
      </Show>
      <Show when={structured() !== undefined && plain(props.call.result ?? []) === ''} fallback={<ResultText call={props.call} />}>
        <div class="box">
          <JsonTree value={structured()} />
        </div>
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

export const resultString = (call: CallItem, field: string): string => textOf(heavy(fields(call.structured)[field]));
export { str };

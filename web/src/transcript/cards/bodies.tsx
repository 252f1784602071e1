// Chooses the body of a call by the kind of its card.
import { For, Match, Show, Switch, type JSX } from 'solid-js';
import type { Argument, CardBody, Findings, JsonValue, Plan, Question, Shell, Skill, TaskLine, Tasks, ToolCall, WebFetch, WebSearch } from '../../api/types';
import { Terminal } from '../../ansi/Terminal';
import { Markdown } from '../../markdown/Markdown';
import { t } from '../../text';
import { Icon, LinkButton, type IconName } from '../../ui';
import { textOf, type Cell } from '../model';
import { useServices } from '../services';
import { isRefused, type BodyProps } from './body';
import { DiffBody, NotebookBody, ReadBody, SearchBody } from './files';
import { ExternalLink, GenericBody, InputTree, MarkdownBody, ResultText } from './generic';
import { HeavyText, PictureView } from './parts';
import { statusBefore } from './summary';

function ShellBody(props: BodyProps<Shell>): JSX.Element {
  const services = useServices();
  const pictures = () => props.call.result?.images ?? [];
  const output = () => (textOf(props.body.output) && pictures().length === 0 ? props.body.output : null);
  const silent = () => props.call.ended !== null && !output() && !textOf(props.body.stderr) && pictures().length === 0 && props.body.task === null;
  return (
    <>
      <Show when={props.body.command || props.call.written}>{(text) => <pre class="cmd">{text()}</pre>}</Show>
      <For each={pictures()}>
        {(picture) => (
          <div class="box">
            <PictureView picture={picture} />
          </div>
        )}
      </For>
      <Show when={output()}>
        {(value) => (
          <div class="box">
            <HeavyText value={value()}>{(text) => <Terminal text={text} />}</HeavyText>
          </div>
        )}
      </Show>
      <Show when={textOf(props.body.stderr) ? props.body.stderr : null}>
        {(value) => (
          <div class="box">
            <HeavyText value={value()}>{(text) => <Terminal text={text} label={t('transcript.stderr')} />}</HeavyText>
          </div>
        )}
      </Show>
      <Show when={silent()}>
        <p class="cutnote">{t('transcript.noOutput')}</p>
      </Show>
      <Show when={props.body.action === 'run' && services.openTask ? props.body.task : null}>
        {(task) => (
          <p class="cutnote">
            <LinkButton onClick={() => services.openTask?.(task())}>{t('transcript.openTask')}</LinkButton>
          </p>
        )}
      </Show>
    </>
  );
}

function FetchBody(props: BodyProps<WebFetch>): JSX.Element {
  return (
    <>
      <p class="cutnote">
        <ExternalLink url={props.body.url} />
      </p>
      <Show when={props.body.prompt}>{(prompt) => <p class="cutnote">{prompt()}</p>}</Show>
      <Show when={textOf(props.body.answer)} fallback={<ResultText call={props.call} />}>
        {(text) => <MarkdownBody text={text()} />}
      </Show>
    </>
  );
}

function WebHits(props: BodyProps<WebSearch>): JSX.Element {
  return (
    <Show when={props.body.hits.length > 0} fallback={<ResultText call={props.call} />}>
      <div class="box">
        <ul class="websearch">
          <For each={props.body.hits}>
            {(hit) => (
              <li>
                <ExternalLink url={hit.url}>{hit.title || hit.url}</ExternalLink>
                <Show when={hit.snippet}>{(snippet) => <p class="dim">{snippet()}</p>}</Show>
              </li>
            )}
          </For>
        </ul>
      </div>
      <Show when={textOf(props.body.answer)}>{(text) => <MarkdownBody text={text()} />}</Show>
    </Show>
  );
}

const STATUS: Readonly<Record<string, IconName>> = { completed: 'done', in_progress: 'half', pending: 'circle' };
const statusWord = (status: TaskLine['status']): string =>
  status === 'completed' ? t('transcript.taskDone') : status === 'in_progress' ? t('transcript.taskActive') : t('transcript.taskOpen');

const isChanged = (before: readonly TaskLine[] | null, line: TaskLine): boolean =>
  before !== null && before.length > 0 && statusBefore(before, line) !== line.status;

/** The list after the call; entries that it changed are marked. */
function TaskList(props: BodyProps<Tasks>): JSX.Element {
  return (
    <Show when={props.body.list ?? (props.body.one?.subject ? [props.body.one] : null)} fallback={<ResultText call={props.call} />}>
      {(lines) => (
        <div class="box">
          <ul class="todos">
            <For each={lines()}>
              {(line) => (
                <li class={line.status ?? ''} classList={{ changed: isChanged(props.body.before, line) }}>
                  <Icon name={line.after.length > 0 ? 'blocked' : (STATUS[line.status ?? ''] ?? 'circle')} />
                  <span>{line.status === 'in_progress' ? line.active || line.subject : line.subject}</span>
                  <span class="vh">{statusWord(line.status)}</span>
                </li>
              )}
            </For>
          </ul>
        </div>
      )}
    </Show>
  );
}

function QuestionBody(props: BodyProps<Question>): JSX.Element {
  return (
    <>
      <div class="box">
        <dl class="qa">
          <For each={props.body.questions}>
            {(question) => {
              const answer = () => props.body.answers.find((one) => one.question === question);
              return (
                <>
                  <dt>{question}</dt>
                  <dd>
                    {answer()?.answer ?? t('transcript.noAnswer')}
                    <Show when={answer()?.notes}>{(notes) => <p class="dim">{notes()}</p>}</Show>
                  </dd>
                </>
              );
            }}
          </For>
        </dl>
      </div>
      <Show when={props.body.response}>{(text) => <MarkdownBody text={text()} />}</Show>
      <Show when={isRefused(props.cell)}>
        <ResultText call={props.call} />
      </Show>
    </>
  );
}

/** A plan as a document: title, length, and text. */
export function PlanDocument(props: { plan: string }): JSX.Element {
  const services = useServices();
  const heading = () => /^\s*#{1,3}\s+(.+)\n?/.exec(props.plan);
  const rest = () => props.plan.slice(heading()?.[0].length ?? 0);
  return (
    <article class="plan">
      <header>
        <h3>{heading()?.[1] ?? t('transcript.namePlan')}</h3>
        <span class="dim num">{t('transcript.lineCount', { n: props.plan.trim().split('\n').length })}</span>
      </header>
      <Markdown text={rest()} services={services} />
    </article>
  );
}

function PlanBody(props: BodyProps<Plan>): JSX.Element {
  return (
    <>
      <Show when={textOf(props.body.text)} fallback={<ResultText call={props.call} />}>
        {(plan) => <PlanDocument plan={plan()} />}
      </Show>
      <Show when={props.cell.item.status === 'denied' ? props.call.permission?.message : null}>{(why) => <p class="cutnote">{why()}</p>}</Show>
    </>
  );
}

/** The text that a skill loaded. */
function SkillBody(props: BodyProps<Skill>): JSX.Element {
  return (
    <>
      <Show when={props.body.arguments}>{(text) => <pre class="cmd">{text()}</pre>}</Show>
      <Show when={textOf(props.body.text)} fallback={<ResultText call={props.call} />}>
        {(text) => <MarkdownBody text={text().replace(/^Base directory for this skill:.*\n+/, '')} />}
      </Show>
    </>
  );
}

function FindingsBody(props: BodyProps<Findings>): JSX.Element {
  return (
    <div class="box">
      <ul class="findings">
        <For each={props.body.findings}>
          {(one) => (
            <li>
              <p>
                <span class="mono">
                  {one.file}
                  {one.line === null ? '' : `:${one.line}`}
                </span>{' '}
                <Show when={one.confirmed !== null}>
                  <span class="chip">{one.confirmed ? t('transcript.confirmed') : t('transcript.plausible')}</span>
                </Show>
              </p>
              <p>{one.summary}</p>
              <p class="dim">{one.scenario}</p>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}

/** The arguments of a tool of an MCP server, as its input. */
function inputOf(list: readonly Argument[]): JsonValue {
  return Object.fromEntries(list.map(({ name, value }) => [name, value.type === 'text' ? textOf(value.value) : parsed(value.value)]));
}

function parsed(json: string): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    return json;
  }
}

/** The content of a card of this type, as long as it has this type. */
export default function CallBody(props: { cell: Cell; call: ToolCall }): JSX.Element {
  const of = <T extends CardBody['type']>(type: T): Extract<CardBody, { type: T }> | undefined => {
    const { body } = props.call.card;
    return body.type === type ? (body as Extract<CardBody, { type: T }>) : undefined;
  };
  const web = <K extends 'fetch' | 'search'>(kind: K): (K extends 'fetch' ? WebFetch : WebSearch) | undefined => {
    const body = of('web');
    return body?.kind === kind ? (body as unknown as K extends 'fetch' ? WebFetch : WebSearch) : undefined;
  };
  return (
    <Switch fallback={<ResultText call={props.call} />}>
      <Match when={of('shell')}>{(body) => <ShellBody cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={of('file_read')}>{(body) => <ReadBody cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={of('file_change')}>{(body) => <DiffBody cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={of('notebook')}>{(body) => <NotebookBody cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={of('search')}>{(body) => <SearchBody cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={web('fetch')}>{(body) => <FetchBody cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={web('search')}>{(body) => <WebHits cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={of('tasks')}>{(body) => <TaskList cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={of('question')}>{(body) => <QuestionBody cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={of('plan')}>{(body) => <PlanBody cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={of('skill')}>{(body) => <SkillBody cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={of('findings')}>{(body) => <FindingsBody cell={props.cell} call={props.call} body={body()} />}</Match>
      <Match when={of('mcp')}>
        {(body) => (
          <>
            <InputTree input={inputOf(body().arguments)} />
            <ResultText call={props.call} />
          </>
        )}
      </Match>
      <Match when={of('generic')}>{(body) => <GenericBody call={props.call} input={body().input} />}</Match>
    </Switch>
  );
}

// Chooses the body of a call by the name of its tool; other tools have a generic body.
import { For, Show, type Component, type JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { Terminal } from '../../ansi/Terminal';
import { Markdown } from '../../markdown/Markdown';
import { t } from '../../text';
import { Icon, LinkButton, type IconName } from '../../ui';
import { fields, heavy, list, plain, str, textOf, type CallItem, type Fields, type Heavy } from '../model';
import { useServices } from '../services';
import { isAgent, planOf, searchResults } from './describe';
import { DiffBody, FileList, GrepBody, NotebookBody, ReadBody } from './files';
import { ExternalLink, GenericBody, MarkdownBody, McpBody, ResultText, resultString } from './generic';
import { HeavyText, JsonTree, PictureView } from './parts';

type Body = Component<{ call: CallItem }>;

const BashBody: Body = (props) => {
  const services = useServices();
  const result = () => fields(props.call.structured);
  const failed = () => (props.call.result ? plain(props.call.result) : '').replace(/^(?:Error: )?Exit code -?\d+\n?/, '');
  const out = (): Heavy | undefined => {
    if (props.call.structured === undefined || typeof props.call.structured === 'string') {
      const block = props.call.result?.find((one) => one.kind === 'text');
      return block?.kind === 'text' && typeof block.text !== 'string' ? block.text : failed();
    }
    return heavy(result()['stdout']);
  };
  const err = () => heavy(result()['stderr']);
  const picture = () => (result()['isImage'] === true ? props.call.result?.find((one) => one.kind === 'image') : undefined);
  const background = () => str(result()['backgroundTaskId']);
  const silent = () => props.call.ended !== undefined && !textOf(out()) && !textOf(err()) && !picture() && !background();
  return (
    <>
      <pre class="cmd">{textOf(heavy(props.call.input['command'])) || props.call.draft}</pre>
      <Show when={picture()}>
        {(image) => {
          const one = image();
          return one.kind === 'image' ? (
            <div class="box">
              <PictureView picture={one.picture} />
            </div>
          ) : null;
        }}
      </Show>
      <Show when={textOf(out()) && !picture() ? out() : undefined}>
        {(value) => (
          <div class="box">
            <HeavyText value={value()}>{(text) => <Terminal text={text} />}</HeavyText>
          </div>
        )}
      </Show>
      <Show when={textOf(err()) ? err() : undefined}>
        {(value) => (
          <div class="box">
            <HeavyText value={value()}>{(text) => <Terminal text={text} label={t('transcript.stderr')} />}</HeavyText>
          </div>
        )}
      </Show>
      <Show when={silent()}>
        <p class="cutnote">{t('transcript.noOutput')}</p>
      </Show>
      <Show when={background() && services.openTask}>
        <p class="cutnote">
          <LinkButton onClick={() => services.openTask?.(background() ?? '')}>{t('transcript.openTask')}</LinkButton>
        </p>
      </Show>
    </>
  );
};

const FetchBody: Body = (props) => (
  <>
    <p class="cutnote">
      <ExternalLink url={str(props.call.input['url']) ?? ''} />
    </p>
    <Show when={str(props.call.input['prompt'])}>
      <p class="cutnote">{str(props.call.input['prompt'])}</p>
    </Show>
    <Show when={resultString(props.call, 'result')} fallback={<ResultText call={props.call} />}>
      {(text) => <MarkdownBody text={text()} />}
    </Show>
  </>
);

const SearchBody: Body = (props) => {
  const hits = () => searchResults(fields(props.call.structured));
  const words = () =>
    list(fields(props.call.structured)['results'])
      .filter((one): one is string => typeof one === 'string')
      .join('\n\n');
  return (
    <Show when={hits().length > 0} fallback={<ResultText call={props.call} />}>
      <div class="box">
        <ul class="websearch">
          <For each={hits()}>
            {(hit) => (
              <li>
                <ExternalLink url={hit.url}>{hit.title || hit.url}</ExternalLink>
                <Show when={hit.snippet}>
                  <p class="dim">{hit.snippet}</p>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </div>
      <Show when={words()}>
        <MarkdownBody text={words()} />
      </Show>
    </Show>
  );
};

const STATUS: Readonly<Record<string, IconName>> = { completed: 'done', in_progress: 'half', pending: 'circle' };

/** The list after the change; changed entries also show their previous state. */
export function TodoList(props: { todos: readonly Fields[]; before?: readonly Fields[] | undefined }): JSX.Element {
  const old = (todo: Fields) =>
    props.before?.find((one) => (one['id'] ?? one['content'] ?? one['subject']) === (todo['id'] ?? todo['content'] ?? todo['subject']));
  const changed = (todo: Fields) => props.before !== undefined && props.before.length > 0 && old(todo)?.['status'] !== todo['status'];
  const word = (todo: Fields) =>
    todo['status'] === 'completed' ? t('transcript.taskDone') : todo['status'] === 'in_progress' ? t('transcript.taskActive') : t('transcript.taskOpen');
  return (
    <div class="box">
      <ul class="todos">
        <For each={props.todos}>
          {(todo) => (
            <li class={str(todo['status']) ?? ''} classList={{ changed: changed(todo) }}>
              <Icon name={list(todo['blockedBy']).length > 0 ? 'blocked' : (STATUS[str(todo['status']) ?? ''] ?? 'circle')} />
              <span>
                {todo['status'] === 'in_progress'
                  ? (str(todo['activeForm']) ?? str(todo['content']) ?? str(todo['subject']))
                  : (str(todo['content']) ?? str(todo['subject']))}
              </span>
              <span class="vh">{word(todo)}</span>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}

const TodoBody: Body = (props) => (
  <TodoList
    todos={list(fields(props.call.structured)['newTodos'] ?? props.call.input['todos']).map(fields)}
    before={list(fields(props.call.structured)['oldTodos']).map(fields)}
  />
);

const TaskBody: Body = (props) => {
  const result = () => fields(props.call.structured);
  const tasks = () => (result()['tasks'] !== undefined ? list(result()['tasks']).map(fields) : []);
  return (
    <Show when={tasks().length > 0} fallback={<GenericBody call={props.call} />}>
      <TodoList todos={tasks()} />
    </Show>
  );
};

const QuestionBody: Body = (props) => {
  const result = () => fields(props.call.structured);
  const answers = () => fields(result()['answers'] ?? props.call.ask?.answers ?? props.call.input['answers']);
  const notes = () => fields(result()['annotations']);
  const questions = () => list(props.call.input['questions']).map(fields);
  const answer = (question: string) => {
    const given = answers()[question];
    return Array.isArray(given) ? given.map((one) => str(one) ?? '').join(', ') : str(given);
  };
  return (
    <>
      <div class="box">
        <dl class="qa">
          <For each={questions()}>
            {(one) => {
              const question = str(one['question']) ?? '';
              return (
                <>
                  <dt>{question}</dt>
                  <dd>
                    {answer(question) ?? t('transcript.noAnswer')}
                    <Show when={str(fields(notes()[question])['notes'])}>
                      <p class="dim">{str(fields(notes()[question])['notes'])}</p>
                    </Show>
                  </dd>
                </>
              );
            }}
          </For>
        </dl>
      </div>
      <Show when={str(result()['response'])}>{(text) => <MarkdownBody text={text()} />}</Show>
      <Show when={props.call.state === 'failed' || props.call.state === 'denied'}>
        <ResultText call={props.call} />
      </Show>
    </>
  );
};

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

const PlanBody: Body = (props) => (
  <>
    <Show when={planOf(props.call)} fallback={<ResultText call={props.call} />}>
      {(plan) => <PlanDocument plan={plan()} />}
    </Show>
    <Show when={props.call.state === 'denied' && props.call.denial?.reason}>
      <p class="cutnote">{props.call.denial?.reason}</p>
    </Show>
  </>
);

const SkillBody: Body = (props) => (
  <>
    <Show when={str(props.call.input['args'])}>
      <pre class="cmd">{str(props.call.input['args'])}</pre>
    </Show>
    <Show when={props.call.loaded} fallback={<ResultText call={props.call} />}>
      {(text) => <MarkdownBody text={text().replace(/^Base directory for this skill:.*\n+/, '')} />}
    </Show>
  </>
);

const FindingsBody: Body = (props) => (
  <div class="box">
    <ul class="findings">
      <For each={list(props.call.input['findings']).map(fields)}>
        {(one) => (
          <li>
            <p>
              <span class="mono">
                {str(one['file'])}
                {typeof one['line'] === 'number' ? `:${one['line']}` : ''}
              </span>{' '}
              <Show when={one['verdict']}>
                <span class="chip">{one['verdict'] === 'CONFIRMED' ? t('transcript.confirmed') : t('transcript.plausible')}</span>
              </Show>
            </p>
            <p>{str(one['summary'])}</p>
            <p class="dim">{str(one['failure_scenario'])}</p>
          </li>
        )}
      </For>
    </ul>
  </div>
);

const OutputBody: Body = (props) => {
  const task = () => fields(fields(props.call.structured)['task']);
  const output = () => heavy(task()['output'] ?? task()['stdout'] ?? task()['result']);
  return (
    <Show when={output()} fallback={<ResultText call={props.call} />}>
      {(value) => (
        <div class="box">
          <HeavyText value={value()}>{(text) => <Terminal text={text} />}</HeavyText>
        </div>
      )}
    </Show>
  );
};

const StructuredBody: Body = (props) => (
  <>
    <div class="box">
      <JsonTree value={props.call.input} />
    </div>
    <Show when={props.call.state === 'failed'}>
      <ResultText call={props.call} />
    </Show>
  </>
);

const BODIES: Readonly<Record<string, Body>> = {
  Bash: BashBody,
  PowerShell: BashBody,
  Read: ReadBody,
  Edit: DiffBody,
  MultiEdit: DiffBody,
  Write: DiffBody,
  NotebookEdit: NotebookBody,
  Grep: GrepBody,
  Glob: FileList,
  WebFetch: FetchBody,
  WebSearch: SearchBody,
  TodoWrite: TodoBody,
  TaskCreate: TaskBody,
  TaskUpdate: TaskBody,
  TaskList: TaskBody,
  TaskGet: TaskBody,
  AskUserQuestion: QuestionBody,
  ExitPlanMode: PlanBody,
  Skill: SkillBody,
  ReportFindings: FindingsBody,
  TaskOutput: OutputBody,
  BashOutput: OutputBody,
  StructuredOutput: StructuredBody,
};

function bodyOf(name: string): Body {
  return BODIES[name] ?? (name.startsWith('mcp__') ? McpBody : GenericBody);
}

export default function CallBody(props: { call: CallItem }): JSX.Element {
  // The output of a subagent is shown in its steps; only an error is left to show.
  return <Dynamic component={isAgent(props.call.name) ? ResultText : bodyOf(props.call.name)} call={props.call} />;
}

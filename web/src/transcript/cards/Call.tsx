import { createMemo, createSignal, For, Show, Suspense, type JSX } from 'solid-js';
import type { CardBody, Subagent, ToolCall } from '../../api/types';
import { Counts } from '../../diff/Counts';
import { Markdown } from '../../markdown/Markdown';
import { t } from '../../text';
import { Icon, LinkButton, Path } from '../../ui';
import { lazy } from '../../ui/part';
import { whenIdle } from '../../ui/task';
import { ItemView } from '../items';
import { textOf, type Cell } from '../model';
import { observe, shortPath, useFolds, useNow, useServices } from '../services';
import { callsBelow, isTicking, summarise, timeOf, type Summary, type Target } from './summary';

/** Few rows are open initially, so their bodies are loaded afterwards. */
const CallBody = lazy(() => import('./bodies'));
/** Resolves when the bodies of open rows are loaded. */
export const bodiesThere = (): Promise<unknown> => CallBody.preload();

let asked = false;
/** Fetches the bodies when the page is idle, so that the first row opens at once, also while disconnected. */
function preloadBodies(): void {
  if (asked) return;
  asked = true;
  whenIdle(() => void bodiesThere().catch(() => undefined));
}

export interface CallProps {
  cell: Cell;
  /** Nesting depth below the main agent. */
  depth?: number | undefined;
}

/** True for calls that are open by default: failed commands, running subagents, plans. */
function opensByDefault(cell: Cell, body: CardBody): boolean {
  const { status } = cell.item;
  if (status === 'failed') return body.type === 'shell' && body.action === 'run';
  if (body.type === 'subagent') return status === 'running' || status === 'background';
  return body.type === 'plan' && (status === 'running' || status === 'waiting');
}

export function Call(props: CallProps): JSX.Element {
  preloadBodies();
  const services = useServices();
  const folds = useFolds();
  const cell = observe(props.cell);
  const call = createMemo((last: ToolCall | undefined) => cell().as('tool_call') ?? last);
  const body = () => call()?.card.body;
  const agent = createMemo((): Subagent | undefined => {
    const one = body();
    return one?.type === 'subagent' ? one : undefined;
  });
  const key = () => `call:${props.cell.id}`;
  const open = () => folds.isOpen(key(), body() !== undefined && opensByDefault(cell(), body() as CardBody));
  return (
    <Show when={call()}>
      {(call) => {
        const summary = createMemo(() => summarise(cell(), call(), services.device?.()));
        return (
          <details
            class="call"
            classList={{ run: summary().tone === 'run', err: summary().tone === 'err', ask: summary().tone === 'ask', other: agent() !== undefined }}
            open={open()}
            onToggle={(event) => {
              if (event.currentTarget.open !== open()) folds.set(key(), event.currentTarget.open);
            }}
          >
            <summary>
              <Icon name={summary().icon} class="ic" />
              <span class="nm">{summary().name}</span>
              <TargetView target={summary().target} />
              <span class="mt">
                <Outcome cell={cell()} call={call()} summary={summary()} />
              </span>
              <Icon name="chevron" class="chev" />
            </summary>
            <Show when={open()}>
              <Show
                when={agent()}
                fallback={
                  <div class="body">
                    <Suspense>
                      <CallBody cell={cell()} call={call()} />
                    </Suspense>
                  </div>
                }
              >
                {(agent) => <AgentBody cell={cell()} call={call()} agent={agent()} depth={props.depth ?? 0} />}
              </Show>
            </Show>
          </details>
        );
      }}
    </Show>
  );
}

/** Cards whose duration is of no interest: it is the time in which a person read, or no time at all. */
const TIMELESS = new Set<CardBody['type']>(['file_read', 'file_change', 'notebook', 'question', 'plan', 'tasks']);

function Outcome(props: { cell: Cell; call: ToolCall; summary: Summary }): JSX.Element {
  const time = () => (TIMELESS.has(props.call.card.body.type) ? '' : timeOf(props.cell, props.call, 0));
  return (
    <>
      <Show when={props.summary.counts}>
        {(counts) => (
          <>
            <Counts added={counts().added} removed={counts().removed} />
            <Show when={props.summary.outcome}> · </Show>
          </>
        )}
      </Show>
      {props.summary.outcome}
      <Show when={props.summary.by}>
        <span class="not-phone">
          {props.summary.outcome || props.summary.counts ? ' · ' : ''}
          {props.summary.by}
        </span>
      </Show>
      <Show
        when={isTicking(props.cell)}
        fallback={
          <Show when={time()}>
            {props.summary.outcome !== '' || props.summary.counts || props.summary.by ? ' · ' : ''}
            {time()}
          </Show>
        }
      >
        <Ticking cell={props.cell} call={props.call} after={props.summary.outcome !== ''} />
      </Show>
    </>
  );
}

function Ticking(props: { cell: Cell; call: ToolCall; after: boolean }): JSX.Element {
  const now = useNow();
  const n = () => (props.call.card.body.type === 'subagent' ? callsBelow(props.cell) : 0);
  return (
    <>
      {props.after ? ' · ' : ''}
      <Show when={n() > 0}>{t('transcript.calls', { n: n() })} · </Show>
      {timeOf(props.cell, props.call, now())}
    </>
  );
}

function TargetView(props: { target: Target }): JSX.Element {
  const services = useServices();
  const target = () => props.target;
  return (
    <span class="tg" classList={{ sans: target().kind === 'words' }}>
      {(() => {
        const one = target();
        switch (one.kind) {
          case 'mono':
          case 'words':
            return one.text.replace(/\s*\n\s*/g, ' ');
          case 'path':
            return <Path path={shortPath(one.path, services.cwd?.())} />;
          case 'within':
            return (
              <>
                {one.pattern} <span class="dim">{t('transcript.inFolder')}</span> {shortPath(one.path, services.cwd?.())}
              </>
            );
          case 'tool':
            return (
              <>
                <span class="sans">{one.server}</span> › {one.tool}
              </>
            );
        }
      })()}
    </span>
  );
}

/** Number of the newest subagent steps that are shown initially. */
const INITIAL_STEPS = 30;
/** Nesting depth up to which steps are shown at once. */
const MAX_DEPTH = 3;

function AgentBody(props: { cell: Cell; call: ToolCall; agent: Subagent; depth: number }): JSX.Element {
  const services = useServices();
  const [all, setAll] = createSignal(false);
  const [deep, setDeep] = createSignal(props.depth < MAX_DEPTH);
  const children = (): readonly Cell[] => props.cell.children;
  const hidden = () => (all() ? 0 : Math.max(0, children().length - INITIAL_STEPS));
  /** The report, unless the steps show the same text. */
  const report = () => {
    const text = textOf(props.agent.report) || (props.cell.item.status === 'done' ? (props.call.task?.summary ?? '') : '');
    return children().some((child) => textOf(child.as('text')?.text).trim() === text.trim()) ? '' : text;
  };
  return (
    <div class="sub">
      <Show when={textOf(props.agent.prompt)}>
        {(text) => (
          <details class="told">
            <summary>
              <Icon name="chevron" class="chev" />
              {t('transcript.prompt')}
            </summary>
            <div class="prose">{<Markdown text={text()} services={services} />}</div>
          </details>
        )}
      </Show>
      <Show
        when={deep()}
        fallback={
          <p class="cutnote">
            <LinkButton onClick={() => setDeep(true)}>{t('ui.showAll')}</LinkButton>
          </p>
        }
      >
        <Show when={hidden() > 0}>
          <p class="cutnote">
            <LinkButton onClick={() => setAll(true)}>{t('transcript.earlier', { n: hidden() })}</LinkButton>
          </p>
        </Show>
        <For each={hidden() > 0 ? children().slice(hidden()) : children()}>{(child) => <ItemView cell={child} depth={props.depth + 1} />}</For>
      </Show>
      <Show when={report()}>{(text) => <Markdown text={text()} services={services} />}</Show>
      <Show when={props.cell.item.status === 'failed' || props.cell.item.status === 'denied'}>
        <Suspense>
          <CallBody cell={props.cell} call={props.call} />
        </Suspense>
      </Show>
    </div>
  );
}

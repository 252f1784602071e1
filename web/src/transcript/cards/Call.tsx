import { createMemo, createSignal, For, Show, Suspense, type JSX } from 'solid-js';
import { Counts } from '../../diff/Counts';
import { Markdown } from '../../markdown/Markdown';
import { t } from '../../text';
import { Icon, LinkButton, Path } from '../../ui';
import { lazy } from '../../ui/part';
import { fields, heavy, list, str, textOf, type CallItem, type Item } from '../model';
import { observe, shortPath, useFolds, useNow, useServices } from '../services';
import { ItemView } from '../items';
import { isAgent, summarise, timeOf, type Target } from './describe';

/** Few rows are open initially, so their bodies are loaded afterwards. */
const CallBody = lazy(() => import('./bodies'));
/** Resolves when the bodies of open rows are loaded. */
export const bodiesThere = (): Promise<unknown> => CallBody.preload();

export interface CallProps {
  item: CallItem;
  /** Nesting depth below the main agent. */
  depth?: number | undefined;
}

/** True for calls that are open by default: failed ones, running subagents, plans. */
function opensByDefault(call: CallItem, waiting: boolean): boolean {
  if (call.state === 'failed') return call.name === 'Bash' || call.name === 'PowerShell';
  if (isAgent(call.name)) return call.state === 'running' || call.state === 'background';
  return call.name === 'ExitPlanMode' && (waiting || call.state === 'running');
}

export function Call(props: CallProps): JSX.Element {
  const services = useServices();
  const folds = useFolds();
  const call = observe(props.item);
  const waiting = () => services.waiting?.().has(call().id) === true;
  const summary = createMemo(() => summarise(call(), waiting(), services.device?.()));
  const key = () => `call:${props.item.id}`;
  const open = () => folds.isOpen(key(), opensByDefault(call(), waiting()));
  return (
    <details
      class="call"
      classList={{ run: summary().tone === 'run', err: summary().tone === 'err', ask: summary().tone === 'ask', other: summary().other === true }}
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
          <Outcome call={call()} summary={summary()} />
        </span>
        <Icon name="chevron" class="chev" />
      </summary>
      <Show when={open()}>
        <Show
          when={isAgent(call().name)}
          fallback={
            <div class="body">
              <Suspense>
                <CallBody call={call()} />
              </Suspense>
            </div>
          }
        >
          <AgentBody call={call()} depth={props.depth ?? 0} />
        </Show>
      </Show>
    </details>
  );
}

function Outcome(props: { call: CallItem; summary: ReturnType<typeof summarise> }): JSX.Element {
  const ticking = () => props.call.state === 'running' || props.call.state === 'background';
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
        when={ticking()}
        fallback={
          <Time
            text={timeOf(props.call, 0)}
            after={props.summary.outcome !== '' || props.summary.counts !== undefined || props.summary.by !== undefined}
            quiet={/^(Edit|Write|MultiEdit|NotebookEdit|Read|AskUserQuestion|ExitPlanMode|Todo|Task)/.test(props.call.name) && props.call.name !== 'Task'}
          />
        }
      >
        <Ticking call={props.call} after={props.summary.outcome !== ''} />
      </Show>
    </>
  );
}

function Time(props: { text: string; after: boolean; quiet: boolean }): JSX.Element {
  return (
    <Show when={props.text && !props.quiet}>
      {props.after ? ' · ' : ''}
      {props.text}
    </Show>
  );
}

function Ticking(props: { call: CallItem; after: boolean }): JSX.Element {
  const now = useNow();
  const n = () => props.call.children.filter((child) => child.kind === 'call').length;
  return (
    <>
      {props.after ? ' · ' : ''}
      <Show when={isAgent(props.call.name) && n() > 0}>{t('transcript.calls', { n: n() })} · </Show>
      {timeOf(props.call, now())}
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
const MAX_DEPTH = 3;

function AgentBody(props: { call: CallItem; depth: number }): JSX.Element {
  const services = useServices();
  const [all, setAll] = createSignal(false);
  const children = (): readonly Item[] => props.call.children;
  const hidden = () => (all() ? 0 : Math.max(0, children().length - INITIAL_STEPS));
  const answer = () => {
    const content = list(fields(props.call.structured)['content'])
      .map((block) => str(fields(block)['text']) ?? '')
      .join('\n\n');
    if (content) return children().some((child) => child.kind === 'text' && child.text.trim() === content.trim()) ? '' : content;
    return props.call.task?.status === 'completed' ? (props.call.task.summary ?? '') : '';
  };
  const hasText = () => children().some((child) => child.kind === 'text');
  return (
    <div class="sub">
      <Show when={textOf(heavy(props.call.input['prompt']))}>
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
        when={props.depth < MAX_DEPTH}
        fallback={
          <p class="cutnote">
            <LinkButton onClick={() => services.openAgent?.(props.call)}>{t('transcript.ownView')}</LinkButton>
          </p>
        }
      >
        <Show when={hidden() > 0}>
          <p class="cutnote">
            <LinkButton onClick={() => setAll(true)}>{t('transcript.earlier', { n: hidden() })}</LinkButton>
          </p>
        </Show>
        <For each={hidden() > 0 ? children().slice(hidden()) : children()}>{(child) => <ItemView item={child} depth={props.depth + 1} />}</For>
      </Show>
      <Show when={answer() && !(hasText() && props.call.state === 'done' && answer() === '')}>
        <Markdown text={answer()} services={services} />
      </Show>
      <Show when={props.call.state === 'failed' || props.call.state === 'denied'}>
        <Suspense>
          <CallBody call={props.call} />
        </Suspense>
      </Show>
    </div>
  );
}

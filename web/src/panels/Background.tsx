import { createSignal, For, Show, type JSX } from 'solid-js';
import type { SessionState, TaskInfo } from '../api/types';
import { Button, Icon, IconButton, type IconName } from '../ui';
import { t } from '../text';
import { bytes, duration, tokens } from '../text/format';
import { createAsked } from '../screens/asked';
import { may, now, request } from '../screens/link';
import { act } from '../screens/act';
import { Asked, Pane } from './Pane';

const icon = (kind: string): IconName =>
  /agent|subagent/.test(kind) ? 'agent' : /bash|shell/.test(kind) ? 'bash' : /wake|cron|monitor/.test(kind) ? 'clock' : 'task';
const kindWord = (kind: string): string =>
  /agent/.test(kind) ? t('panels.agent') : /bash|shell/.test(kind) ? t('panels.shell') : /wake|cron/.test(kind) ? t('panels.wake') : t('panels.job');

function stateWord(task: TaskInfo): string | null {
  switch (task.state) {
    case 'running':
      return null;
    case 'completed':
      return t('panels.jobCompleted');
    case 'failed':
      return t('panels.jobFailed');
    case 'stopped':
    case 'killed':
      return t('panels.jobStopped');
    case 'gone':
      return t('panels.jobGone');
    default:
      return task.state;
  }
}

/** Background shells and agents, newest first. Those that ended are shown until the next turn. */
export function Background(props: { id: string; state: SessionState | undefined }): JSX.Element {
  const jobs = () => (props.state?.tasks ?? []).filter((task) => task.background || task.state === 'running').toReversed();
  const running = () => jobs().filter((task) => task.state === 'running').length;
  return (
    <Pane
      name="background"
      title={t('panels.background')}
      open
      figure={running() ? t('panels.backgroundRunning', { n: running() }) : jobs().length || undefined}
    >
      <Show when={jobs().length} fallback={<p class="dim">{t('panels.backgroundNone')}</p>}>
        <ul class="jobs">
          <For each={jobs()}>{(task) => <Job id={props.id} task={task} />}</For>
        </ul>
      </Show>
    </Pane>
  );
}

function Job(props: { id: string; task: TaskInfo }): JSX.Element {
  const [shown, setShown] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const facts = () =>
    [
      kindWord(props.task.kind),
      duration((props.task.ended ?? now()) - props.task.began),
      stateWord(props.task),
      props.task.calls ? t('panels.jobCalls', { n: props.task.calls }) : null,
      props.task.tokens ? t('panels.jobTokens', { n: tokens(props.task.tokens) }) : null,
      props.task.summary ?? props.task.lastTool,
    ]
      .filter(Boolean)
      .join(' · ');
  const stop = () => act(() => request({ type: 'stop_task', sessionId: props.id, task: props.task.id }), setBusy);
  return (
    <li>
      <Icon name={icon(props.task.kind)} class="dim" />
      <span class="trunc" classList={{ mono: /bash|shell/.test(props.task.kind) }} title={props.task.description}>
        {props.task.description}
      </span>
      <span class="line2">{facts()}</span>
      <span class="acts">
        <IconButton small icon="read" label={shown() ? t('panels.hideOutput') : t('panels.output')} pressed={shown()} onClick={() => setShown(!shown())} />
        <Show when={props.task.state === 'running' && may('operate')}>
          <Button small disabled={busy()} onClick={() => void stop()}>
            {busy() ? t('panels.stopping') : t('panels.stop')}
          </Button>
        </Show>
      </span>
      <Show when={shown()}>
        <div class="output">
          <Output id={props.id} task={props.task} />
        </div>
      </Show>
    </li>
  );
}

function Output(props: { id: string; task: TaskInfo }): JSX.Element {
  const [output, { refetch }] = createAsked(
    () => [props.id, props.task.id, props.task.state] as const,
    ([id, task]) => request({ type: 'task_output', sessionId: id, task }),
  );
  return (
    <Asked of={output} again={() => void refetch()}>
      <pre class="well" tabIndex={0} role="group" aria-label={t('panels.outputOf', { job: props.task.description })}>
        {output.latest?.output || t('panels.outputNone')}
      </pre>
      <p class="row small dim">
        <span class="grow">
          <Show when={output.latest?.truncated}>{t('panels.outputCut', { bytes: bytes(output.latest?.total_bytes ?? 0) })}</Show>
        </span>
        <Button small look="bare" icon="retry" onClick={() => void refetch()}>
          {t('panels.refresh')}
        </Button>
      </p>
    </Asked>
  );
}

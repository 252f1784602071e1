// Details below the line of the gate in case of trouble: a stalled turn, a crash, an interrupt without effect.
import '../text/forms';
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import { imageOf, lastPrompt, type Client, type SessionView } from '../protocol';
import { t } from '../text';
import { seconds, when } from '../text/format';
import { Button, copyText, Problem } from '../ui';
import { createAct } from './act';
import { exitWords } from './standing';

/** Interrupt, stop what it waits for, restart: all steps are shown, each with its result and time. */
export function Stalled(props: { client: Client; session: SessionView; now: number; interrupt: () => void }): JSX.Element {
  const id = () => props.session.store.id;
  const state = () => props.session.state();
  const [done, setDone] = createSignal<Record<string, number>>({});
  const note = (rung: string) => setDone((all) => ({ ...all, [rung]: Date.now() }));
  const call = createMemo(() => state()?.calls.at(-1));
  const task = createMemo(() => state()?.tasks.find((one) => one.state === 'running' && (one.toolUseId === call()?.id || one.kind === 'local_bash')));
  const stopShell = createAct(async () => {
    const waits = task();
    if (waits) await props.client.commands.send({ type: 'stop_task', sessionId: id(), task: waits.id });
    else await props.client.commands.send({ type: 'background', sessionId: id(), toolUseId: call()?.id ?? null });
    note('shell');
  });
  const restart = createAct(async () => {
    await props.client.commands.send({ type: 'stop_session', sessionId: id() });
    await props.client.commands.send({ type: 'resume_session', sessionId: id() });
    note('restart');
  });
  const did = (rung: string) => {
    const at = done()[rung];
    return at === undefined ? null : t('forms.doneAt', { time: seconds(at) });
  };
  const last = () => state()?.info.lastSign ?? state()?.info.since ?? props.now;
  return (
    <div class="gatebody">
      <p>
        {t('forms.stalledHow', { time: seconds(last()) })}
        <Show when={call()}>{(one) => <> {t('forms.waitsFor', { what: one().name })}</>}</Show>
      </p>
      <ol class="ladder">
        <li>
          <b>1</b>
          <span>{t('forms.rungInterrupt')}</span>
          <Button look="primary" hotkey="Esc" onClick={() => props.interrupt()}>
            {t('forms.interrupt')}
          </Button>
        </li>
        <Show when={task() ?? call()}>
          <li>
            <b>2</b>
            <span>{did('shell') ?? (task() ? t('forms.rungShell') : t('forms.rungBackground'))}</span>
            <Button disabled={stopShell.busy()} onClick={() => void stopShell.run()}>
              {task() ? t('forms.stopShell') : t('forms.toBackground')}
            </Button>
          </li>
        </Show>
        <li>
          <b>{(task() ?? call()) ? 3 : 2}</b>
          <span>{did('restart') ?? t('forms.rungRestart')}</span>
          <Button disabled={restart.busy()} onClick={() => void restart.run()}>
            {restart.shown() ? t('forms.restarting') : t('forms.restart')}
          </Button>
        </li>
      </ol>
      <Problem why={stopShell.problem() ?? restart.problem()} />
    </div>
  );
}

interface CrashProps {
  client: Client;
  session: SessionView;
  now: number;
  queued: boolean;
  onSession?: ((sessionId: string) => void) | undefined;
}

/** The likely cause of an exit by a signal. */
function causeOf(signal: number | null): string {
  if (signal === 9) return t('forms.causeMemory');
  if (signal === 15 || signal === 2) return t('forms.causeEnded');
  if (signal === 11 || signal === 6 || signal === 4) return t('forms.causeBug');
  return t('forms.causeUnknown');
}

/** Ways to continue after a crash: as it was, with the last prompt again, without the broken turn, or in a copy before it. */
function createRecovery(props: CrashProps) {
  const id = () => props.session.store.id;
  const prompt = createMemo(() => lastPrompt(props.session.items()));
  const last = () => prompt()?.body;
  const broken = () => {
    const one = prompt();
    return one?.body.uuid ? { turn: (one.item.turn ?? 0) + 1, prompt: one.body.uuid } : null;
  };
  const resume = createAct(() => props.client.commands.send({ type: 'resume_session', sessionId: id() }));
  const without = createAct(async () => {
    const at = broken();
    if (!at) return;
    const made = await props.client.commands.send({ type: 'rewind', sessionId: id(), prompt: at.prompt, files: false, conversation: true });
    const next = made.sessionId ?? id();
    await props.client.commands.send({ type: 'resume_session', sessionId: next });
    if (next !== id()) props.onSession?.(next);
  });
  const fork = createAct(async () => {
    const made = await props.client.commands.send({ type: 'fork', sessionId: id(), at: broken()?.prompt ?? null });
    props.onSession?.(made.sessionId);
  });
  const retry = createAct(async () => {
    const message = last();
    if (typeof message?.text !== 'string') return;
    await props.client.commands.send({ type: 'resume_session', sessionId: id() });
    await props.client.outbox.keep({ sessionId: id(), text: message.text, images: message.images.map(imageOf) });
  });
  const busy = () => resume.busy() || without.busy() || fork.busy() || retry.busy();
  return { broken, last, resume, without, fork, retry, busy };
}

/** The likely cause, what is saved, the last error output, and how to continue. */
export function Crashed(props: CrashProps): JSX.Element {
  const process = () => props.session.state()?.process;
  const { broken, last, resume, without, fork, retry, busy } = createRecovery(props);
  const saved = () => {
    const at = props.session.items().at(-1)?.at;
    return at === undefined ? '' : t('forms.savedUpTo', { time: seconds(at) });
  };
  const ended = () => props.session.state()?.tasks.filter((task) => task.state === 'gone').length ?? 0;
  return (
    <div class="gatebody crash" role="group" aria-label={t('asks.exited')}>
      <p>
        {causeOf(process()?.signal ?? null)} {saved()}
        <Show when={ended() > 0}> {t('forms.endedWith', { n: ended() })}</Show>
      </p>
      <Stderr lines={process()?.stderr ?? []} />
      <Show when={props.queued}>
        <p class="dim">{t('forms.queuedAfterResume')}</p>
      </Show>
      <Show when={props.client.may('operate')} fallback={<p class="dim">{t('forms.lookOnly')}</p>}>
        <div class="row wrap">
          <Button look="primary" disabled={busy()} onClick={() => void resume.run()}>
            {resume.shown() ? t('asks.resuming') : t('forms.resumeWhere')}
          </Button>
          <Show when={typeof last()?.text === 'string'}>
            <Button icon="retry" disabled={busy()} onClick={() => void retry.run()}>
              {t('forms.resumeRetry')}
            </Button>
          </Show>
          <Show when={broken()}>
            {(at) => (
              <>
                <Button disabled={busy()} onClick={() => void without.run()}>
                  {t('forms.resumeWithout', { n: at().turn })}
                </Button>
                <Show when={at().turn > 1}>
                  <Button icon="fork" disabled={busy()} onClick={() => void fork.run()}>
                    {t('forms.forkFrom', { n: at().turn - 1 })}
                  </Button>
                </Show>
              </>
            )}
          </Show>
        </div>
      </Show>
      <Problem why={resume.problem() ?? retry.problem() ?? without.problem() ?? fork.problem()} />
    </div>
  );
}

/** The last error output. */
function Stderr(props: { lines: readonly string[] }): JSX.Element {
  return (
    <Show when={props.lines.length > 0}>
      <div class="box">
        <pre class="term" tabIndex={0} aria-label={t('forms.stderr')}>
          <span class="dim">
            {t('forms.stderrLast', { n: props.lines.length })}
            {'\n'}
          </span>
          <For each={props.lines}>
            {(line) => (
              <>
                {line}
                {'\n'}
              </>
            )}
          </For>
        </pre>
      </div>
    </Show>
  );
}

/** Copies a report for the maintainers of the agent. */
export function CopyReport(props: { session: SessionView }): JSX.Element {
  const process = () => props.session.state()?.process;
  const report = () =>
    [
      `${t('asks.exited')}: ${exitWords(process()?.signal ?? null, process()?.code ?? null) ?? ''}`,
      `session ${props.session.store.id}`,
      `agent ${process()?.version ?? ''}`,
      when(process()?.since ?? 0),
      '',
      ...(process()?.stderr ?? []),
    ].join('\n');
  return (
    <Button small look="bare" icon="copy" onClick={() => void copyText(report())}>
      {t('forms.copyReport')}
    </Button>
  );
}

/** Offers to end the process if an interrupt had no effect for ten seconds; the session is kept. */
export function Forced(props: { client: Client; sessionId: string; onClose: () => void }): JSX.Element {
  const end = createAct(() => props.client.commands.send({ type: 'stop_session', sessionId: props.sessionId }));
  return (
    <div class="gatebody">
      <p>{t('forms.forceHow')}</p>
      <div class="row wrap">
        <Button
          tone="bad"
          disabled={end.busy()}
          onClick={() =>
            void end.run().then((done) => {
              if (done) props.onClose();
            })
          }
        >
          {end.shown() ? t('forms.ending') : t('forms.endAgent')}
        </Button>
        <Button look="bare" onClick={() => props.onClose()}>
          {t('asks.keepWaiting')}
        </Button>
      </div>
      <Problem why={end.problem()} />
    </div>
  );
}

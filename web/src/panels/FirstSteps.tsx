// The checklist of a first visit. A step is done when the session shows it, not when it is clicked.
import '../text/onboarding';
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { Checked, Item, SessionState } from '../api/types';
import { bodyOf } from '../protocol';
import { Button, Field, Icon, Input } from '../ui';
import { t, type Key } from '../text';
import { go } from '../route/route';
import { createAsked } from '../screens/asked';
import { itemsOf, may, request, reasonOf, welcome } from '../screens/link';
import { setNewAgent } from '../screens/prefs';
import { Pane } from './Pane';

type Step = { key: Key & `onboarding.${string}`; done: boolean };

/** The steps of the tour in order, and whether each is done. */
export function steps(items: readonly Item[], state: SessionState | undefined, devices: number): Step[] {
  const calls = items.flatMap((item) => bodyOf(item, 'tool_call') ?? []);
  const answered = (question: boolean) =>
    calls.some(
      (call) =>
        (call.permission?.outcome === 'allowed' || call.permission?.outcome === 'denied') &&
        call.permission.request !== null &&
        (call.card.verb === 'ask') === question,
    );
  return [
    { key: 'onboarding.send', done: items.some((item) => item.body.type === 'prompt') },
    { key: 'onboarding.watch', done: items.some((item) => item.body.type === 'text' || item.body.type === 'tool_call') },
    { key: 'onboarding.tasks', done: (state?.todos.length ?? 0) > 0 },
    { key: 'onboarding.decide', done: answered(false) },
    { key: 'onboarding.answer', done: answered(true) },
    { key: 'onboarding.failure', done: items.some((item) => item.body.type === 'tool_call' && item.status === 'failed') },
    { key: 'onboarding.phone', done: devices > 1 },
  ];
}

export function FirstSteps(props: { id: string; state: SessionState | undefined }): JSX.Element {
  const [devices] = createAsked(
    () => (may('admin') ? (props.state?.info.finishedAt ?? 0) : null),
    async () => (await request({ type: 'devices' })).devices.length,
  );
  const list = createMemo(() => steps(itemsOf(props.id), props.state, devices.latest ?? 1));
  const done = () => list().filter((step) => step.done).length;
  const next = () => list().find((step) => !step.done);
  return (
    <Pane name="first" title={t('onboarding.title')} open figure={t('onboarding.of', { done: done(), all: list().length })}>
      <ul class="tasks">
        <For each={list()}>
          {(step) => (
            <li class={step.done ? 'done' : step === next() ? 'active' : ''}>
              <Icon name={step.done ? 'done' : step === next() ? 'half' : 'circle'} />
              <span>
                <span class="vh">{step.done ? t('onboarding.stepDone') : step === next() ? t('onboarding.stepNext') : t('onboarding.stepOpen')}: </span>
                {(t as (key: Key) => string)(step.key)}
              </span>
              <Show when={step.key === 'onboarding.phone' && !step.done}>
                <Button small onClick={() => go('#/settings/devices')}>
                  {t('onboarding.goPhone')}
                </Button>
              </Show>
            </li>
          )}
        </For>
      </ul>
    </Pane>
  );
}

/** The section about using your own model, folded unless `open`. */
export function BringPane(props: { open: boolean }): JSX.Element {
  return (
    <Pane name="bring" title={t('onboarding.bring')} open={props.open}>
      <Bring />
    </Pane>
  );
}

/** Ways to use your own model, each with a button that tests it. */
export function Bring(): JSX.Element {
  const claude = () => welcome()?.agents.find((agent) => /claude/.test(agent.name) || /claude/.test(agent.command));
  const [address, setAddress] = createSignal('http://127.0.0.1:11434');
  return (
    <div class="bring">
      <section>
        <h3>{t('onboarding.key')}</h3>
        <pre class="well" tabIndex={0} role="group" aria-label={t('onboarding.key')}>
          {'export ANTHROPIC_API_KEY=…\nsluice serve'}
        </pre>
        <p>{t('onboarding.keyWords')}</p>
        <Check what="key" label={t('onboarding.keyCheck')} />
      </section>
      <section>
        <h3>{t('onboarding.server')}</h3>
        <pre class="well" tabIndex={0} role="group" aria-label={t('onboarding.server')}>{`export ANTHROPIC_BASE_URL=${address()}\nsluice serve`}</pre>
        <p>{t('onboarding.serverWords')}</p>
        <Field label={t('onboarding.serverAddress')}>
          {(attributes) => <Input {...attributes} mono inputmode="url" value={address()} onInput={(event) => setAddress(event.currentTarget.value)} />}
        </Field>
        <Check what="server" value={address()} label={t('onboarding.serverCheck')} />
      </section>
      <section>
        <h3>{t('onboarding.claude', { name: 'claude' })}</h3>
        <p>
          {claude()?.available ? t('onboarding.claudeFound', { version: claude()?.version ?? '?' }) : t('onboarding.claudeMissing')}{' '}
          {t('onboarding.claudeWords')}
        </p>
        <Check what="agent" value={claude()?.name ?? 'claude'} label={t('onboarding.claudeCheck')}>
          <Show when={claude()?.available && claude()}>
            {(agent) => (
              <Button
                small
                onClick={() => {
                  setNewAgent(agent().name);
                  go('#/new');
                }}
              >
                {t('onboarding.claudeUse')}
              </Button>
            )}
          </Show>
        </Check>
      </section>
    </div>
  );
}

function Check(props: { what: 'key' | 'server' | 'agent'; value?: string; label: string; children?: JSX.Element }): JSX.Element {
  const [answer, setAnswer] = createSignal<Checked | null>(null);
  const [busy, setBusy] = createSignal(false);
  const check = async () => {
    setBusy(true);
    setAnswer(null);
    try {
      setAnswer(await request({ type: 'check', what: props.what, value: props.value ?? null }));
    } catch (error) {
      setAnswer({ ok: false, message: reasonOf(error), hint: null });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div class="row wrap">
        <Button small icon="check" disabled={busy() || !may('admin')} onClick={() => void check()}>
          {busy() ? t('onboarding.checking') : props.label}
        </Button>
        {props.children}
      </div>
      <div role="status">
        <Show when={answer()}>
          {(one) => (
            <p class={one().ok ? 't-ok' : 't-bad'}>
              {one().ok ? t('onboarding.works', { message: one().message }) : t('onboarding.fails', { message: one().message })}
              <Show when={one().hint}> · {one().hint}</Show>
            </p>
          )}
        </Show>
      </div>
    </>
  );
}

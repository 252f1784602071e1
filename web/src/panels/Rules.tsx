import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { SessionState } from '../api/types';
import { Button, Field, IconButton, Input, Select, toast } from '../ui';
import { t } from '../text';
import { createAsked } from '../screens/asked';
import { infoOf, may, request } from '../screens/link';
import { done } from '../screens/act';
import { Asked, Pane } from './Pane';
import { DESTINATIONS, isListed, rulesBySource, shownRules, type Destination, type ShownRule } from './rules';

type Rule = Pick<ShownRule, 'behavior' | 'rule'>;

export function scopeWord(source: string): string {
  switch (source) {
    case 'session':
    case 'command':
      return t('panels.scopeSession');
    case 'localSettings':
      return t('panels.scopeLocal');
    case 'projectSettings':
      return t('panels.scopeProject');
    case 'userSettings':
      return t('panels.scopeUser');
    case 'policySettings':
      return t('panels.scopePolicy');
    default:
      return t('panels.scopeOther', { source });
  }
}
const FILES: Readonly<Record<string, string>> = {
  localSettings: '.claude/settings.local.json',
  projectSettings: '.claude/settings.json',
  userSettings: '~/.claude/settings.json',
};
const place = (source: string): string => (source === 'session' ? t('panels.scopeSessionWhere') : (FILES[source] ?? ''));
const behaviour = (word: string): string => (word === 'allow' ? t('panels.allow') : word === 'deny' ? t('panels.deny') : t('panels.ask'));
const tone = (word: string): string => (word === 'allow' ? 't-ok' : word === 'deny' ? 't-bad' : 't-ask');

/** Fetches the rules that the agent applies, and the stored ones that are not applied. */
async function readRules(id: string): Promise<ShownRule[]> {
  const listed = await request({ type: 'rules', sessionId: id });
  return shownRules(listed.rules ?? listed.state?.rules ?? []);
}

/** The permission rules of a session, by source. Changes are shown once the agent has confirmed them. */
export function Rules(props: { id: string; state: SessionState | undefined }): JSX.Element {
  const key = () => (props.state ? `${props.id} ${props.state.process.state} ${props.state.info.finishedAt ?? 0} ${props.state.asks.length}` : null);
  const [asked, { refetch }] = createAsked(key, () => readRules(props.id));
  const rules = createMemo(() => asked.latest ?? []);
  const change = (op: 'add' | 'remove', rule: Rule, destination: string) =>
    request({ type: 'change_rule', sessionId: props.id, op, behavior: rule.behavior, rule: rule.rule, destination });
  const restart = () =>
    done(async () => {
      await request({ type: 'stop_session', sessionId: props.id });
      await request({ type: 'resume_session', sessionId: props.id });
    });
  const remove = async (rule: ShownRule) => {
    if (!(await done(() => change('remove', rule, rule.source)))) return;
    await refetch();
    // If the request failed, the old list is shown with the error.
    if (asked.error) return;
    if (!isListed(rules(), rule)) {
      toast(t('panels.removed', { rule: rule.rule }), { action: { label: t('ui.undo'), run: () => void add(rule, rule.source) } });
      return;
    }
    const idle = infoOf(props.id)?.standing === 'idle' && may('operate');
    toast(t('panels.notRemoved', { rule: rule.rule }), {
      seconds: 12,
      action: idle ? { label: t('panels.restartAgent'), run: () => void restart() } : undefined,
    });
  };
  const add = async (rule: Rule, to: string): Promise<boolean> => {
    if (!(await done(() => change('add', rule, to)))) return false;
    await refetch();
    const now = rules().find((one) => one.source === to && one.behavior === rule.behavior && one.rule === rule.rule);
    if (now?.effect === 'saved') toast(t('panels.savedOnly', { file: FILES[to] ?? '' }));
    else if (!now && !asked.error) toast(t('panels.notAdded', { rule: rule.rule }));
    return true;
  };
  const effect = (rule: ShownRule): string | null => (rule.effect === 'saved' ? t('panels.notInEffect') : null);
  return (
    <Pane name="rules" title={t('panels.rules')} figure={rules().length || undefined}>
      <Asked of={asked} again={() => void refetch()}>
        <div class="rules">
          <Show when={rules().length === 0}>
            <p class="dim">{t('panels.rulesNone')}</p>
          </Show>
          <For each={rulesBySource(rules())}>
            {([source, list]) => (
              <>
                <h3>
                  {scopeWord(source)} <span>{place(source)}</span>
                </h3>
                <ul>
                  <For each={list}>
                    {(rule) => (
                      <li classList={{ void: rule.effect === 'saved' }}>
                        <b class={tone(rule.behavior)}>{behaviour(rule.behavior)}</b>
                        <span>
                          <code>{rule.rule}</code>
                          <Show when={effect(rule)}>{(words) => <span class="small dim"> · {words()}</span>}</Show>
                        </span>
                        <Show when={may('admin') && rule.removable}>
                          <IconButton small icon="x" label={t('panels.removeRule', { rule: rule.rule })} onClick={() => void remove(rule)} />
                        </Show>
                      </li>
                    )}
                  </For>
                </ul>
              </>
            )}
          </For>
          <Show when={may('admin')}>
            <AddRule add={add} />
          </Show>
        </div>
      </Asked>
    </Pane>
  );
}

function AddRule(props: { add: (rule: Rule, to: Destination) => Promise<boolean> }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const [text, setText] = createSignal('');
  const [what, setWhat] = createSignal<'allow' | 'ask' | 'deny'>('allow');
  const [to, setTo] = createSignal<Destination>('session');
  const [busy, setBusy] = createSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!text().trim()) return;
    setBusy(true);
    if (await props.add({ behavior: what(), rule: text().trim() }, to())) {
      setText('');
      setOpen(false);
    }
    setBusy(false);
  };
  return (
    <Show
      when={open()}
      fallback={
        <p>
          <Button small icon="plus" onClick={() => setOpen(true)}>
            {t('panels.addRule')}
          </Button>
        </p>
      }
    >
      <form class="addrule" onSubmit={(event) => void submit(event)}>
        <div class="pair2">
          <Field label={t('panels.ruleWhat')}>
            {(attributes) => (
              <Select
                {...attributes}
                value={what()}
                onChange={setWhat}
                options={[
                  { value: 'allow', label: t('panels.allow') },
                  { value: 'ask', label: t('panels.ask') },
                  { value: 'deny', label: t('panels.deny') },
                ]}
              />
            )}
          </Field>
          <Field label={t('panels.ruleWhere')}>
            {(attributes) => (
              <Select {...attributes} value={to()} onChange={setTo} options={DESTINATIONS.map((value) => ({ value, label: scopeWord(value) }))} />
            )}
          </Field>
        </div>
        <Field label={t('panels.ruleText')} hint={t('panels.ruleHint')}>
          {(attributes) => (
            <Input {...attributes} mono value={text()} autocomplete="off" spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
          )}
        </Field>
        <div class="row">
          <Button type="submit" small look="primary" disabled={busy() || !text().trim()}>
            {busy() ? t('panels.adding') : t('panels.addDo')}
          </Button>
          <Button small look="bare" onClick={() => setOpen(false)}>
            {t('ui.cancel')}
          </Button>
        </div>
      </form>
    </Show>
  );
}

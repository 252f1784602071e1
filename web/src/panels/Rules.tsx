import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { SessionState } from '../api/types';
import { Button, Field, IconButton, Input, Select, toast } from '../ui';
import { t } from '../text';
import { createAsked } from '../screens/asked';
import { may, request } from '../screens/link';
import { done } from '../screens/act';
import { Asked, Pane } from './Pane';

type Rule = { behavior: string; rule: string; source?: string; destination?: string; editability?: string; notInEffect?: boolean };
type Answer = { rules?: Rule[]; state?: { rules?: Rule[] } };
type Destination = 'session' | 'localSettings' | 'projectSettings' | 'userSettings';
const DESTINATIONS: readonly Destination[] = ['session', 'localSettings', 'projectSettings', 'userSettings'];

export function scopeWord(source: string): string {
  switch (source) {
    case 'session': case 'command': return t('panels.scopeSession');
    case 'localSettings': return t('panels.scopeLocal');
    case 'projectSettings': return t('panels.scopeProject');
    case 'userSettings': return t('panels.scopeUser');
    case 'policySettings': return t('panels.scopePolicy');
    default: return t('panels.scopeOther', { source });
  }
}
const FILES: Readonly<Record<string, string>> = { localSettings: '.claude/settings.local.json', projectSettings: '.claude/settings.json', userSettings: '~/.claude/settings.json' };
const place = (source: string): string => (source === 'session' ? t('panels.scopeSessionWhere') : (FILES[source] ?? ''));
const behaviour = (word: string): string => (word === 'allow' ? t('panels.allow') : word === 'deny' ? t('panels.deny') : t('panels.ask'));
const tone = (word: string): string => (word === 'allow' ? 't-ok' : word === 'deny' ? 't-bad' : 't-ask');

/** The permission rules that hold, by where they are kept. */
export function Rules(props: { id: string; state: SessionState | undefined }): JSX.Element {
  const key = () => (props.state ? `${props.id} ${props.state.process.state} ${props.state.info.finishedAt ?? 0} ${props.state.asks.length}` : null);
  const [asked, { refetch }] = createAsked(key, () => request<Answer>({ type: 'rules', sessionId: props.id }));
  const rules = createMemo(() => (asked.error ? [] : (asked.latest?.rules ?? asked.latest?.state?.rules ?? [])));
  const groups = createMemo(() => {
    const by = new Map<string, Rule[]>();
    for (const rule of rules()) {
      const told = rule.source ?? rule.destination ?? 'session';
      // What a host sets while a session lives ends with it.
      const source = told === 'flagSettings' || told === 'cliArg' ? 'session' : told;
      by.set(source, [...(by.get(source) ?? []), rule]);
    }
    const rank = (source: string) => { const at = DESTINATIONS.indexOf(source as Destination); return at < 0 ? 9 : at; };
    return [...by].sort(([a], [b]) => rank(a) - rank(b));
  });
  const change = (op: 'add' | 'remove', rule: Pick<Rule, 'behavior' | 'rule'>, destination: string) =>
    request({ type: 'change_rule', sessionId: props.id, op, behavior: rule.behavior, rule: rule.rule, destination });
  const remove = async (rule: Rule, source: string) => {
    if (!(await done(() => change('remove', rule, source)))) return;
    void refetch();
    toast(t('panels.removed', { rule: rule.rule }), { action: { label: t('ui.undo'), run: () => void done(() => change('add', rule, source)).then(() => refetch()) } });
  };
  const removable = (rule: Rule, source: string) => may('admin') && DESTINATIONS.includes(source as Destination) && (rule.source === 'flagSettings' || rule.editability !== 'readonly');
  return (
    <Pane name="rules" title={t('panels.rules')} figure={rules().length || undefined}>
      <Asked of={asked} again={() => void refetch()}>{() => (
        <div class="rules">
          <Show when={rules().length === 0}><p class="dim">{t('panels.rulesNone')}</p></Show>
          <For each={groups()}>{([source, list]) => (
            <>
              <h3>{scopeWord(source)} <span>{place(source)}</span></h3>
              <ul>
                <For each={list}>{(rule) => (
                  <li classList={{ void: rule.notInEffect === true }}>
                    <b class={tone(rule.behavior)}>{behaviour(rule.behavior)}</b>
                    <span><code>{rule.rule}</code><Show when={rule.notInEffect}><span class="small dim"> · {t('panels.notInEffect')}</span></Show></span>
                    <Show when={removable(rule, source)}><IconButton small icon="x" label={t('panels.removeRule', { rule: rule.rule })} onClick={() => void remove(rule, source)} /></Show>
                  </li>
                )}</For>
              </ul>
            </>
          )}</For>
          <Show when={may('admin')}><AddRule add={async (rule, to) => (await done(() => change('add', rule, to))) && (void refetch(), true)} /></Show>
        </div>
      )}</Asked>
    </Pane>
  );
}

function AddRule(props: { add: (rule: Pick<Rule, 'behavior' | 'rule'>, to: Destination) => Promise<boolean> }): JSX.Element {
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
    <Show when={open()} fallback={<p><Button small icon="plus" onClick={() => setOpen(true)}>{t('panels.addRule')}</Button></p>}>
      <form class="addrule" onSubmit={(event) => void submit(event)}>
        <div class="pair2">
          <Field label={t('panels.ruleWhat')}>{(attributes) => <Select {...attributes} value={what()} onChange={setWhat} options={[{ value: 'allow', label: t('panels.allow') }, { value: 'ask', label: t('panels.ask') }, { value: 'deny', label: t('panels.deny') }]} />}</Field>
          <Field label={t('panels.ruleWhere')}>{(attributes) => <Select {...attributes} value={to()} onChange={setTo} options={DESTINATIONS.map((value) => ({ value, label: scopeWord(value) }))} />}</Field>
        </div>
        <Field label={t('panels.ruleText')} hint={t('panels.ruleHint')}>{(attributes) => <Input {...attributes} mono value={text()} autocomplete="off" spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />}</Field>
        <div class="row">
          <Button type="submit" small look="primary" disabled={busy() || !text().trim()}>{busy() ? t('panels.adding') : t('panels.addDo')}</Button>
          <Button small look="bare" onClick={() => setOpen(false)}>{t('ui.cancel')}</Button>
        </div>
      </form>
    </Show>
  );
}

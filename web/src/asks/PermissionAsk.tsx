// Permission request for a tool: a summary, the reason, the whole change or command, and the answers.
import { createEffect, createMemo, createResource, createSignal, For, Match, on, onCleanup, Show, Suspense, Switch, type JSX } from 'solid-js';
import { lazy } from '../ui/part';
import type { Diff, JsonValue } from '../api/types';
import { DiffView } from '../diff/DiffView';
import { toolWords } from '../gate/standing';
import { around, t } from '../text';
import { Button, Icon, IconButton, Menu } from '../ui';
import type { AskContext } from './context';
import { asJson, changedLines, changesFile, editKind, inputOf, mainText, sameInput, shortPath, type Input } from './inputs';
import { CommandText, Revealed } from './Revealed';
import { denyRule, suggestionsOf } from './suggestions';
import { folderName } from '../text/paths';

const EditInput = lazy(async () => ({ default: (await import('./kinds')).EditInput }));

interface Form {
  message: string;
  editing: boolean;
  input: Input | null;
  json: string | null;
}
const EMPTY: Form = { message: '', editing: false, input: null, json: null };

export function PermissionAsk(props: { context: AskContext }): JSX.Element {
  const context = props.context;
  const { ask } = context;
  const request = ask.request;
  const original = inputOf(request);
  const kind = editKind(ask.toolName, original);
  const [form, setForm] = createSignal<Form>(context.forms.get(ask.ask, EMPTY));
  const change = (over: Partial<Form>) => {
    setForm({ ...form(), ...over });
    context.forms.set(ask.ask, form());
  };
  context.setLeftover(() => form().message);

  const input = () => form().input ?? original;
  const changed = () => form().input !== null && !sameInput(input(), original);
  const wrong = () => form().json !== null && form().input === null && form().json !== asJson(original);
  const suggestions = suggestionsOf(request);
  const rule = denyRule(ask.toolName, request);
  const defaultNo = request['default_to_no'] === true;
  const [saying, setSaying] = createSignal(form().message !== '');

  // The diff of the change; while the input is edited, of the edited input.
  const [wanted, setWanted] = createSignal<{ input: Input | null }>({ input: changed() ? input() : null });
  createEffect(
    on(
      input,
      (next) => {
        const timer = setTimeout(() => setWanted({ input: changed() ? next : null }), changed() ? 250 : 0);
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );
  const [diff] = createResource(
    () => (changesFile(ask.toolName) ? wanted() : false),
    async (which) => {
      try {
        return await context.diffOf(ask, which.input as JsonValue | null);
      } catch (error) {
        return { problem: error instanceof Error ? error.message : String(error) };
      }
    },
  );
  const shown = createMemo((last: Diff | { problem: string } | undefined) => (diff.state === 'ready' ? diff() : last));

  const allow = () => {
    if (wrong()) return;
    if (changed()) void context.answer('change', { decision: 'allow', updatedInput: input() as JsonValue });
    else void context.answer('allow', { decision: 'allow' });
  };
  const deny = (interrupt = false) => void context.answer(interrupt ? 'stop' : 'deny', { decision: 'deny', message: form().message.trim() || null, interrupt });
  const always = () =>
    void context.answer('always', { decision: 'deny', message: form().message.trim() || null }, () =>
      context.client.commands.send({ type: 'change_rule', sessionId: context.sessionId, op: 'add', behavior: 'deny', rule, destination: 'localSettings' }),
    );
  context.setKeys({ primary: () => allow(), dismiss: () => deny(), dismissAndStop: () => deny(true) });

  const off = () => !context.may() || context.act.busy();
  const verb = (which: string, plain: string, running: string) => (context.verb() === which && context.act.shown() ? running : plain);
  return (
    <>
      <div class="asktitle">
        <Title context={context} input={original} counts={shown()} changed={changed() ? changedLines(mainText(kind, original), mainText(kind, input())) : 0} />
        <Why context={context} />
      </div>
      <div class="askbody" classList={{ editing: form().editing }}>
        <Show when={form().editing}>
          <Suspense>
            <EditInput
              kind={kind}
              original={original}
              input={input()}
              json={form().json}
              disabled={off()}
              onInput={(next, json) => change({ input: next, json })}
              onUndo={() => change({ input: null, json: null })}
            />
          </Suspense>
        </Show>
        <Switch>
          <Match when={changesFile(ask.toolName)}>
            <Show when={form().editing}>
              <p class="fieldlab">{t('asks.willBeWritten')}</p>
            </Show>
            <Show
              when={shown()}
              fallback={
                <p class="asknote dim" data-form="loading">
                  {t('asks.diffComes')}
                </p>
              }
            >
              {(one) => (
                <Show
                  when={'hunks' in one() ? (one() as Diff) : null}
                  fallback={
                    <>
                      <p class="asknote t-ask">{t('asks.noDiff', { why: String(one().problem) })}</p>
                      <RawInput input={input()} />
                    </>
                  }
                >
                  {(real) => (
                    <Show
                      when={real().problem === null}
                      fallback={
                        <>
                          <p class="asknote t-ask">{t('asks.noDiff', { why: real().problem ?? '' })}</p>
                          <RawInput input={input()} />
                        </>
                      }
                    >
                      <DiffView diff={real()} wrap />
                    </Show>
                  )}
                </Show>
              )}
            </Show>
          </Match>
          <Match when={kind === 'bash'}>
            <Show when={!form().editing}>
              <CommandText text={String(original['command'])} label={t('asks.command')} />
            </Show>
          </Match>
          <Match when={!form().editing}>
            <RawInput input={original} />
          </Match>
        </Switch>
      </div>
      <Show
        when={context.client.may('approve')}
        fallback={
          <div class="askfoot">
            <span class="lab">{t('asks.waitingForSomeone')}</span>
          </div>
        }
      >
        <Show when={suggestions.length > 0 && !form().editing}>
          <div class="askfoot sug" role="group" aria-label={t('asks.allowRules')}>
            <span class="lab">
              <span class="not-phone">{t('asks.allowRules')}</span>
              <span class="only-phone">{t('asks.always')}</span>
            </span>
            <For each={suggestions}>
              {(one) => (
                <button
                  type="button"
                  class="btn rule"
                  disabled={off()}
                  onClick={() => void context.answer('rule', { decision: 'allow', suggestions: [one.index] })}
                >
                  <span>
                    {one.before}
                    {one.before && one.code ? ' ' : ''}
                    <Show when={one.code}>
                      <code>
                        <Revealed text={one.code ?? ''} />
                      </code>
                    </Show>
                    , {one.scope}
                  </span>
                </button>
              )}
            </For>
          </div>
        </Show>
        <div class="askfoot acts" classList={{ saying: saying() }}>
          <Button class="allow" look={defaultNo ? undefined : 'primary'} hotkey="Ctrl Enter" disabled={off() || wrong()} onClick={allow}>
            {form().editing && changed() ? verb('change', t('asks.allowMine'), t('asks.allowing')) : verb('allow', t('asks.allowOnce'), t('asks.allowing'))}
          </Button>
          <Show
            when={!form().editing}
            fallback={
              <Button class="not-phone" disabled={off()} onClick={() => change({ editing: false, input: null, json: null })}>
                {t('asks.backToAgents')}
              </Button>
            }
          >
            <Button class="change" icon="edit" disabled={off()} onClick={() => change({ editing: true })}>
              {t('asks.changeFirst')}
            </Button>
          </Show>
          <span class="grow" />
          <Show when={form().editing && changed()}>
            <span class="lab not-phone">{t('asks.agentIsTold')}</span>
          </Show>
          <input
            class="input denymsg"
            type="text"
            aria-label={t('asks.denyMessage')}
            placeholder={t('asks.sayInstead')}
            value={form().message}
            disabled={!context.may()}
            onInput={(event) => change({ message: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.isComposing && !event.ctrlKey && !event.metaKey && form().message.trim() !== '') {
                event.preventDefault();
                deny();
              }
            }}
          />
          <Button class="deny" look={defaultNo ? 'primary' : undefined} hotkey="Esc" disabled={off()} onClick={() => deny()}>
            {verb('deny', t('asks.deny'), t('asks.denying'))}
          </Button>
          <Menu
            label={t('asks.moreWays')}
            items={() => [
              {
                label: t('asks.denyWithMessage'),
                onSelect: () => {
                  setSaying(true);
                  queueMicrotask(() => document.querySelector<HTMLInputElement>('.askbox .denymsg')?.focus());
                },
              },
              { label: t('asks.denyStop'), hotkey: 'Shift Esc', disabled: off(), onSelect: () => deny(true) },
              { label: t('asks.denyAlways', { rule }), disabled: off(), onSelect: always },
            ]}
            trigger={(attributes) => <IconButton {...attributes} class="more" icon="dots" label={t('asks.moreWays')} disabled={off()} />}
          />
        </div>
      </Show>
    </>
  );
}

function RawInput(props: { input: Input }): JSX.Element {
  const entries = () => Object.entries(props.input);
  return (
    <Show when={entries().length > 0} fallback={<p class="asknote dim">{t('asks.noInput')}</p>}>
      <dl class="rawinput" tabIndex={0} aria-label={t('asks.input')}>
        <For each={entries()}>
          {([key, value]) => (
            <>
              <dt>{key}</dt>
              <dd>
                <Revealed text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
              </dd>
            </>
          )}
        </For>
      </dl>
    </Show>
  );
}

/** The title: "Edit path", "Run a command in tidepool". */
function Title(props: { context: AskContext; input: Input; counts: Diff | { problem: string } | undefined; changed: number }): JSX.Element {
  const { ask, project } = props.context;
  const text = (key: string) => (typeof props.input[key] === 'string' ? (props.input[key] as string) : null);
  const path = text('file_path') ?? text('notebook_path') ?? text('path');
  const diff = () => (props.counts && 'hunks' in props.counts ? props.counts : null);
  const act = (): [string, string, string] => {
    const hole = (
      key: 'asks.actEdit' | 'asks.actWrite' | 'asks.actRead' | 'asks.actRun' | 'asks.actFetch' | 'asks.actMcp' | 'asks.actUse',
      code: string,
      params: { [name: string]: string } = {},
    ): [string, string, string] => {
      const [before, after] = around(key, 'what', params);
      return [before, code, after];
    };
    const mcp = /^mcp__(.+?)__(.+)$/.exec(ask.toolName);
    if (ask.toolName === 'Bash') return hole('asks.actRun', folderName(project));
    if (ask.toolName === 'Write' && path) return hole('asks.actWrite', shortPath(path, project));
    if (changesFile(ask.toolName) && path) return hole('asks.actEdit', shortPath(path, project));
    if (ask.toolName === 'Read' && path) return hole('asks.actRead', shortPath(path, project));
    if (ask.toolName === 'WebFetch' && text('url')) return hole('asks.actFetch', text('url') ?? '');
    if (mcp) return hole('asks.actMcp', mcp[2] ?? '', { server: mcp[1] ?? '' });
    return hole('asks.actUse', toolWords(ask.toolName));
  };
  return (
    <h2 id={`ask-title-${ask.ask}`}>
      {act()[0]}
      <code>
        <Revealed text={act()[1]} />
      </code>
      {act()[2]}
      <Show when={props.changed === 0 && diff()}>
        {(one) => (
          <>
            {' '}
            <span class="pm">
              <b>+{one().added}</b> <i>−{one().removed}</i>
            </span>
            <Show when={one().kind === 'new'}>
              {' '}
              <span class="chip">{t('asks.newFile')}</span>
            </Show>
          </>
        )}
      </Show>
      <Show when={props.changed > 0}>
        {' '}
        <span class="chip run">{t('asks.changedByYou', { n: props.changed })}</span>
      </Show>
    </h2>
  );
}

/** The reason for the request, the path it concerns, and the subagent that sent it. */
function Why(props: { context: AskContext }): JSX.Element {
  const { ask } = props.context;
  const text = (key: string) => {
    const value = ask.request[key];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const input = inputOf(ask.request);
  const purpose = text('description') ?? (typeof input['description'] === 'string' ? input['description'] : null);
  // The title contains the path already.
  const repeats = ['file_path', 'notebook_path', 'path'].some(
    (key) => typeof input[key] === 'string' && purpose !== null && (input[key] === purpose || (input[key] as string).endsWith(`/${purpose}`)),
  );
  const description = repeats ? null : purpose;
  const why = text('decision_reason');
  // If the agent gives no reason, the permission mode is the reason: it asks before every edit.
  const path = ['file_path', 'notebook_path'].map((key) => input[key]).find((one) => typeof one === 'string');
  const byMode = () => {
    if (!changesFile(ask.toolName) || props.context.client.list.get(props.context.sessionId)?.permissionMode !== 'default') return null;
    const inside = typeof path === 'string' && path.startsWith(`${props.context.project}/`);
    return `${t('asks.whyMode')} ${inside ? t('asks.whyInside', { folder: folderName(props.context.project) }) : t('asks.whyOutside', { folder: folderName(props.context.project) })}`;
  };
  const outside = (path: string) => path.startsWith('/') && path !== props.context.project && !path.startsWith(`${props.context.project}/`);
  const matched = () => {
    const rule = ask.request['matched_ask_rule'];
    return typeof rule === 'object' && rule !== null ? (rule as { tool_name?: string; rule_content?: string; source?: string }) : null;
  };
  return (
    <div id={`ask-why-${ask.ask}`}>
      <Show when={description ?? why ?? byMode()}>
        {(first) => (
          <p>
            <Revealed prose text={first()} />
          </p>
        )}
      </Show>
      <Show when={(description !== null && why !== null) || text('blocked_path') !== null || ask.agent !== null || matched() !== null}>
        <dl class="why">
          <Show when={description !== null && why}>
            {(one) => (
              <>
                <dt>{t('asks.because')}</dt>
                <dd>
                  <Revealed prose text={one()} />
                </dd>
              </>
            )}
          </Show>
          <Show when={matched()}>
            {(rule) => (
              <>
                <dt>{t('asks.rule')}</dt>
                <dd class="mono">
                  {rule().tool_name}
                  {rule().rule_content ? `(${rule().rule_content})` : ''}
                </dd>
              </>
            )}
          </Show>
          <Show when={text('blocked_path')}>
            {(one) => (
              <>
                <dt>{t('asks.path')}</dt>
                <dd>
                  <span class="mono">
                    <Revealed text={shortPath(one(), props.context.project)} />
                  </span>
                  <Show when={outside(one())}>
                    {' '}
                    <span class="dim">{t('asks.pathOutside', { folder: folderName(props.context.project) })}</span>
                  </Show>
                </dd>
              </>
            )}
          </Show>
          <Show when={ask.agent}>
            {(one) => (
              <>
                <dt>{t('asks.from')}</dt>
                <dd class="t-other">
                  <Icon name="agent" /> {one()}
                </dd>
              </>
            )}
          </Show>
        </dl>
      </Show>
    </div>
  );
}

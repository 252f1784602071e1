// Permission request for a tool: a summary, the reason, the whole change or command, and the answers.
import { createSignal, For, Match, Show, Switch, type JSX } from 'solid-js';
import { DiffView } from '../diff/DiffView';
import { t } from '../text';
import { Button, IconButton, Menu } from '../ui';
import { Answers, DenyMessage } from './Answers';
import { AskTitle } from './AskTitle';
import { AskWhy } from './AskWhy';
import type { AskContext } from './context';
import { EditInput } from './EditInput';
import { changedLines, changesFile, mainText, type Input } from './inputs';
import { createPermission, isDiff, type Permission, type Preview } from './permission';
import { CommandText, Revealed } from './Revealed';
import { suggestionsOf } from './suggestions';

export function PermissionAsk(props: { context: AskContext }): JSX.Element {
  const permission = createPermission(props.context);
  const { context, form, input, kind, original } = permission;
  const changed = () => (permission.changed() ? changedLines(mainText(kind, original), mainText(kind, input())) : 0);
  return (
    <>
      <div class="asktitle">
        <AskTitle context={context} counts={permission.preview()} changed={changed()} />
        <AskWhy context={context} />
      </div>
      <div class="askbody" classList={{ editing: form().editing }}>
        <Show when={form().editing}>
          <EditInput
            kind={kind}
            original={original}
            input={input()}
            json={form().json}
            disabled={context.off()}
            onInput={(next, json) => permission.change({ input: next, json })}
            onUndo={() => permission.change({ input: null, json: null })}
          />
        </Show>
        <Proposal permission={permission} />
      </div>
      <Answers context={context}>
        <Rules permission={permission} />
        <Decision permission={permission} />
      </Answers>
    </>
  );
}

/** What the agent wants to do: the diff, the command, or the input. */
function Proposal(props: { permission: Permission }): JSX.Element {
  const { context, form, input, kind, original, preview } = props.permission;
  return (
    <Switch>
      <Match when={changesFile(context.ask.card)}>
        <Show when={form().editing}>
          <p class="fieldlab">{t('asks.willBeWritten')}</p>
        </Show>
        <Show
          when={preview()}
          fallback={
            <p class="asknote dim" data-form="loading">
              {t('asks.diffComes')}
            </p>
          }
        >
          {(one) => <Change preview={one()} input={input()} />}
        </Show>
      </Match>
      <Match when={form().editing}>{null}</Match>
      <Match when={kind === 'bash'}>
        <CommandText text={String(original['command'])} label={t('asks.command')} />
      </Match>
      <Match when={true}>
        <RawInput input={original} />
      </Match>
    </Switch>
  );
}

/** The diff of a change to a file, or its input where there is no diff. */
function Change(props: { preview: Preview; input: Input }): JSX.Element {
  const diff = () => (isDiff(props.preview) && props.preview.problem === null ? props.preview : null);
  return (
    <Show
      when={diff()}
      fallback={
        <>
          <p class="asknote t-ask">{t('asks.noDiff', { why: props.preview.problem ?? '' })}</p>
          <RawInput input={props.input} />
        </>
      }
    >
      {(one) => <DiffView diff={one()} wrap />}
    </Show>
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

/** Buttons that allow the call and add a rule. */
function Rules(props: { permission: Permission }): JSX.Element {
  const { context, form } = props.permission;
  const suggestions = suggestionsOf(context.ask);
  return (
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
              disabled={context.off()}
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
  );
}

/** Allow, edit first, and deny. */
function Decision(props: { permission: Permission }): JSX.Element {
  const { permission } = props;
  const { context, form, change, changed, deny, rule } = permission;
  const { off } = context;
  const defaultNo = context.ask.request['default_to_no'] === true;
  const [saying, setSaying] = createSignal(form().message !== '');
  const mine = () => form().editing && changed();
  const say = () => {
    setSaying(true);
    queueMicrotask(() => document.querySelector<HTMLInputElement>('.askbox .denymsg')?.focus());
  };
  return (
    <div class="askfoot acts" classList={{ saying: saying() }}>
      <Button class="allow" look={defaultNo ? undefined : 'primary'} hotkey="Ctrl Enter" disabled={off() || permission.wrong()} onClick={permission.allow}>
        {mine() ? context.label('change', t('asks.allowMine'), t('asks.allowing')) : context.label('allow', t('asks.allowOnce'), t('asks.allowing'))}
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
      <Show when={mine()}>
        <span class="lab not-phone">{t('asks.agentIsTold')}</span>
      </Show>
      <DenyMessage
        context={context}
        class="denymsg"
        label={t('asks.denyMessage')}
        hint={t('asks.sayInstead')}
        value={form().message}
        onInput={(message) => change({ message })}
        onSend={deny}
      />
      <Button class="deny" look={defaultNo ? 'primary' : undefined} hotkey="Esc" disabled={off()} onClick={() => deny()}>
        {context.label('deny', t('asks.deny'), t('asks.denying'))}
      </Button>
      <Menu
        label={t('asks.moreWays')}
        items={() => [
          { label: t('asks.denyWithMessage'), onSelect: say },
          { label: t('asks.denyStop'), hotkey: 'Shift Esc', disabled: off(), onSelect: () => deny(true) },
          { label: t('asks.denyAlways', { rule }), disabled: off(), onSelect: permission.denyAlways },
        ]}
        trigger={(attributes) => <IconButton {...attributes} class="more" icon="dots" label={t('asks.moreWays')} disabled={off()} />}
      />
    </div>
  );
}

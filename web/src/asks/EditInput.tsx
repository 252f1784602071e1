import { createSignal, Match, Show, Switch, type JSX } from 'solid-js';
import { t } from '../text';
import { Button, Checkbox } from '../ui';
import { asJson, fromJson, sameInput, type EditKind, type Input } from './inputs';

interface EditInputProps {
  kind: EditKind;
  original: Input;
  input: Input;
  json: string | null;
  disabled: boolean;
  onInput: (input: Input | null, json: string | null) => void;
  onUndo: () => void;
}

/** Form for the input of a tool call: replacement text, content, command and timeout, or JSON. */
export function EditInput(props: EditInputProps): JSX.Element {
  const [raw, setRaw] = createSignal(props.kind === 'json' || props.json !== null);
  const put = (over: Input) => props.onInput({ ...props.input, ...over }, null);
  const text = () => props.json ?? asJson(props.input);
  const bad = () => raw() && fromJson(text()) === null;
  const area = (label: string, key: string, mono = true) => (
    <label class="fieldlab">
      {label}
      <textarea
        class="input codefield"
        classList={{ mono }}
        spellcheck={false}
        autocomplete="off"
        disabled={props.disabled}
        value={String(props.input[key] ?? '')}
        onInput={(event) => put({ [key]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <div class="editinput">
      <Switch>
        <Match when={raw()}>
          <JsonField {...props} text={text()} bad={bad()} />
        </Match>
        <Match when={props.kind === 'edit'}>{area(t('asks.newText'), 'new_string')}</Match>
        <Match when={props.kind === 'write'}>{area(t('asks.content'), 'content')}</Match>
        <Match when={props.kind === 'bash'}>{area(t('asks.command'), 'command')}</Match>
      </Switch>
      <div class="inputrow">
        <Show when={!raw() && props.kind === 'edit'}>
          <Checkbox checked={props.input['replace_all'] === true} disabled={props.disabled} onChange={(on) => put({ replace_all: on })}>
            {t('asks.replaceAll')}
          </Checkbox>
        </Show>
        <Show when={!raw() && props.kind === 'bash'}>
          <Timeout {...props} />
        </Show>
        <span class="grow" />
        <Show when={props.kind !== 'json'}>
          <Button
            small
            look="bare"
            onClick={() => {
              if (raw() && bad()) return;
              setRaw(!raw());
              props.onInput(sameInput(props.input, props.original) ? null : props.input, null);
            }}
          >
            {raw() ? t('asks.asForm') : t('asks.asJson')}
          </Button>
        </Show>
        <Button small look="bare" icon="undo" disabled={props.disabled} onClick={() => props.onUndo()}>
          {t('asks.undoMine')}
        </Button>
      </div>
    </div>
  );
}

function JsonField(props: EditInputProps & { text: string; bad: boolean }): JSX.Element {
  return (
    <>
      <label class="fieldlab">
        {t('asks.inputJson')}
        <textarea
          class="input codefield mono"
          spellcheck={false}
          aria-invalid={props.bad ? true : undefined}
          disabled={props.disabled}
          value={props.text}
          onInput={(event) => props.onInput(fromJson(event.currentTarget.value), event.currentTarget.value)}
        />
      </label>
      <Show when={props.bad}>
        <p class="t-bad" role="alert">
          {t('asks.notJson')}
        </p>
      </Show>
    </>
  );
}

/** The timeout of a command, in seconds; stored in milliseconds. */
function Timeout(props: EditInputProps): JSX.Element {
  return (
    <label class="row">
      {t('asks.timeout')}{' '}
      <input
        class="input short"
        type="number"
        min="1"
        step="1"
        disabled={props.disabled}
        value={typeof props.input['timeout'] === 'number' ? Math.round(props.input['timeout'] / 1000) : ''}
        onInput={(event) => {
          const seconds = Number(event.currentTarget.value);
          const { timeout: _, ...rest } = props.input;
          props.onInput(seconds > 0 ? { ...rest, timeout: seconds * 1000 } : rest, null);
        }}
      />{' '}
      s
    </label>
  );
}

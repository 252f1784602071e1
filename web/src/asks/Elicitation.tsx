// A form or a link that an MCP server requests. The values are sent to the server, not to the model.
import { createMemo, createSignal, createUniqueId, For, Match, Show, Switch, type JSX } from 'solid-js';
import type { JsonValue } from '../api/types';
import { around, t } from '../text';
import { Button, Checkbox, Select, Switch as Toggle } from '../ui';
import type { AskContext } from './context';
import { Revealed } from './Revealed';
import { contentOf, fieldsOf, initialValues, problemOf, type FormField, type FormValue, type FormValues } from './schema';

interface Form {
  values: FormValues;
  touched: string[];
  opened: boolean;
}

/** Returns the URL if it is an http(s) address; only these become links. */
function webAddress(value: unknown): URL | null {
  try {
    const url = new URL(String(value));
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

export function Elicitation(props: { context: AskContext }): JSX.Element {
  const context = props.context;
  const { ask } = context;
  const server = String(ask.request['mcp_server_name'] ?? ask.toolName);
  const isLink = ask.request['mode'] === 'url';
  const link = webAddress(ask.request['url']);
  const fields = isLink ? [] : fieldsOf(ask.request);
  const [form, setForm] = createSignal<Form>(context.forms.get<Form>(ask.ask, { values: initialValues(fields), touched: [], opened: false }));
  const change = (over: Partial<Form>) => {
    setForm({ ...form(), ...over });
    context.forms.set(ask.ask, form());
  };
  const problems = createMemo(() => new Map(fields.map((field) => [field.key, problemOf(field, form().values[field.key])])));
  const wrong = createMemo(() => fields.filter((field) => problems().get(field.key) !== null));
  let body!: HTMLDivElement;

  const send = () => {
    if (isLink) {
      void context.answer('send', { decision: 'accept' });
      return;
    }
    const [first] = wrong();
    if (first) {
      change({ touched: fields.map((field) => field.key) });
      body.querySelector<HTMLElement>(`[data-field="${CSS.escape(first.key)}"]`)?.focus();
      return;
    }
    void context.answer('send', { decision: 'accept', content: contentOf(fields, form().values) as JsonValue });
  };
  const cancel = (interrupt = false) => void context.answer('cancel', { decision: 'cancel', interrupt });
  context.setKeys({ primary: send, dismiss: () => cancel(), dismissAndStop: () => cancel(true) });
  const off = () => !context.may() || context.act.busy();
  const destination = around('forms.goesToServer', 'server');
  return (
    <>
      <div class="asktitle">
        <h2 id={`ask-title-${ask.ask}`}>
          <Revealed prose text={String(ask.request['message'] ?? ask.request['title'] ?? server)} />
        </h2>
        <p id={`ask-why-${ask.ask}`}>
          {destination[0]}
          <code>{server}</code>
          {destination[1]}
        </p>
      </div>
      <div class="askbody" ref={body}>
        <Show
          when={isLink}
          fallback={
            <div class="elf">
              <For each={fields}>
                {(field) => (
                  <FieldRow
                    field={field}
                    value={form().values[field.key]}
                    disabled={!context.may()}
                    problem={form().touched.includes(field.key) ? (problems().get(field.key) ?? null) : null}
                    onChange={(value) => change({ values: { ...form().values, [field.key]: value } })}
                    onTouch={() => {
                      if (!form().touched.includes(field.key)) change({ touched: [...form().touched, field.key] });
                    }}
                  />
                )}
              </For>
            </div>
          }
        >
          <div class="linkask">
            <p>{t('forms.linkWhole')}</p>
            <p class="mono whole">
              <Show when={link} fallback={<Revealed text={String(ask.request['url'] ?? '')} />}>
                {(url) => (
                  <>
                    {`${url().protocol}//`}
                    <b>{url().host}</b>
                    <Revealed text={url().href.slice(url().origin.length)} />
                  </>
                )}
              </Show>
            </p>
            <Show when={link} fallback={<p class="t-bad">{t('forms.notWeb')}</p>}>
              {(url) => (
                <a class="btn" href={url().href} target="_blank" rel="noopener noreferrer" onClick={() => change({ opened: true })}>
                  <span>{t('forms.openLink', { host: url().host })}</span>
                </a>
              )}
            </Show>
          </div>
        </Show>
      </div>
      <Show
        when={context.client.may('approve')}
        fallback={
          <div class="askfoot">
            <span class="lab">{t('asks.waitingForSomeone')}</span>
          </div>
        }
      >
        <div class="askfoot acts three">
          <Button look="primary" hotkey="Ctrl Enter" disabled={off() || (isLink && link === null)} onClick={send}>
            {context.verb() === 'send' && context.act.shown() ? t('forms.sending') : isLink ? t('forms.linkDone') : t('forms.send')}
          </Button>
          <span class="grow" />
          <Button disabled={off()} onClick={() => void context.answer('decline', { decision: 'decline' })}>
            {t('forms.decline')}
          </Button>
          <Button look="bare" hotkey="Esc" disabled={off()} onClick={() => cancel()}>
            {t('forms.cancelForm')}
          </Button>
        </div>
      </Show>
    </>
  );
}

function FieldRow(props: {
  field: FormField;
  value: FormValue | undefined;
  problem: string | null;
  disabled: boolean;
  onChange: (value: FormValue) => void;
  onTouch: () => void;
}): JSX.Element {
  const id = createUniqueId();
  const field = props.field;
  const described = () => [props.problem ? `${id}-e` : '', field.description ? `${id}-h` : ''].filter(Boolean).join(' ') || undefined;
  const text = () => (typeof props.value === 'string' ? props.value : '');
  const common = {
    id,
    'data-field': field.key,
    get disabled() {
      return props.disabled;
    },
    get 'aria-describedby'() {
      return described();
    },
    get 'aria-invalid'() {
      return props.problem ? true : undefined;
    },
    'aria-required': field.required,
    onBlur: () => props.onTouch(),
  } as const;
  const many = () => (Array.isArray(props.value) ? props.value : []);
  return (
    <>
      <label class="ellab" for={id} id={`${id}-l`}>
        <Revealed prose text={field.label} />
        <Show when={field.required}>
          <span class="req">{t('ui.required')}</span>
        </Show>
      </label>
      <div>
        <Switch>
          <Match when={field.kind === 'text' && field.format === null && (field.max === null || field.max > 80) && field}>
            <textarea {...common} class="input" rows="1" value={text()} onInput={(event) => props.onChange(event.currentTarget.value)} />
          </Match>
          <Match when={field.kind === 'text' && field}>
            {(one) => (
              <input
                {...common}
                class="input"
                type={
                  one().format === 'email'
                    ? 'email'
                    : one().format === 'uri'
                      ? 'url'
                      : one().format === 'date'
                        ? 'date'
                        : one().format === 'date-time'
                          ? 'datetime-local'
                          : 'text'
                }
                value={text()}
                onInput={(event) => props.onChange(event.currentTarget.value)}
              />
            )}
          </Match>
          <Match when={field.kind === 'number' && field}>
            {(one) => (
              <input
                {...common}
                class="input short"
                type="text"
                inputmode={one().whole ? 'numeric' : 'decimal'}
                value={text()}
                onInput={(event) => props.onChange(event.currentTarget.value)}
              />
            )}
          </Match>
          <Match when={field.kind === 'switch'}>
            <Toggle id={id} label={field.label} checked={props.value === true} disabled={props.disabled} onChange={(on) => props.onChange(on)} />
          </Match>
          <Match when={field.kind === 'one' && field}>
            {(one) => (
              <Select
                {...common}
                value={text()}
                options={[
                  ...(one().required && text() !== '' ? [] : [{ value: '', label: t('forms.nothingChosen') }]),
                  ...one().options.map(({ value, label }) => ({ value, label })),
                ]}
                onChange={(value) => props.onChange(value)}
              />
            )}
          </Match>
          <Match when={field.kind === 'many' && field}>
            {(one) => (
              <div class="many" role="group" aria-labelledby={`${id}-l`} id={id} data-field={field.key} tabIndex={-1}>
                <For each={one().options}>
                  {(option) => (
                    <Checkbox
                      checked={many().includes(option.value)}
                      disabled={props.disabled}
                      onChange={(on) => {
                        props.onTouch();
                        props.onChange(on ? [...many(), option.value] : many().filter((value) => value !== option.value));
                      }}
                    >
                      {option.label}
                    </Checkbox>
                  )}
                </For>
              </div>
            )}
          </Match>
          <Match when={field.kind === 'json'}>
            <textarea
              {...common}
              class="input mono"
              rows="2"
              spellcheck={false}
              value={text()}
              onInput={(event) => props.onChange(event.currentTarget.value)}
            />
          </Match>
        </Switch>
        <Show when={field.description}>
          <p class="elhint" id={`${id}-h`}>
            <Revealed prose text={field.description ?? ''} />
          </p>
        </Show>
        <Show when={props.problem}>
          <p class="elerr t-bad" id={`${id}-e`}>
            {props.problem}
          </p>
        </Show>
      </div>
    </>
  );
}

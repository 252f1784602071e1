// A form or a link that an MCP server requests. The values are sent to the server, not to the model.
import { createMemo, For, Show, type JSX } from 'solid-js';
import type { AskInfo, JsonValue } from '../api/types';
import { around, t } from '../text';
import { Button } from '../ui';
import { Answers } from './Answers';
import { createForm, type AskContext } from './context';
import { Revealed } from './Revealed';
import { FieldRow } from './FieldRow';
import { contentOf, fieldsOf, initialValues, problemOf, type FormValues } from './schema';

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
  const [form, change] = createForm<Form>(context, { values: initialValues(fields), touched: [], opened: false });
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
  const { off } = context;
  return (
    <>
      <Heading ask={ask} server={server} />
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
          <Link url={ask.request['url']} link={link} onOpened={() => change({ opened: true })} />
        </Show>
      </div>
      <Answers context={context}>
        <div class="askfoot acts three">
          <Button look="primary" hotkey="Ctrl Enter" disabled={off() || (isLink && link === null)} onClick={send}>
            {context.label('send', isLink ? t('forms.linkDone') : t('forms.send'), t('forms.sending'))}
          </Button>
          <span class="grow" />
          <Button disabled={off()} onClick={() => void context.answer('decline', { decision: 'decline' })}>
            {t('forms.decline')}
          </Button>
          <Button look="bare" hotkey="Esc" disabled={off()} onClick={() => cancel()}>
            {t('forms.cancelForm')}
          </Button>
        </div>
      </Answers>
    </>
  );
}

/** A link, shown in full before it is opened. */
function Link(props: { url: unknown; link: URL | null; onOpened: () => void }): JSX.Element {
  return (
    <div class="linkask">
      <p>{t('forms.linkWhole')}</p>
      <p class="mono whole">
        <Show when={props.link} fallback={<Revealed text={String(props.url ?? '')} />}>
          {(url) => (
            <>
              {`${url().protocol}//`}
              <b>{url().host}</b>
              <Revealed text={url().href.slice(url().origin.length)} />
            </>
          )}
        </Show>
      </p>
      <Show when={props.link} fallback={<p class="t-bad">{t('forms.notWeb')}</p>}>
        {(url) => (
          <a class="btn" href={url().href} target="_blank" rel="noopener noreferrer" onClick={() => props.onOpened()}>
            <span>{t('forms.openLink', { host: url().host })}</span>
          </a>
        )}
      </Show>
    </div>
  );
}

/** The message of the server, and where the answer goes. */
function Heading(props: { ask: AskInfo; server: string }): JSX.Element {
  const destination = around('forms.goesToServer', 'server');
  return (
    <div class="asktitle">
      <h2 id={`ask-title-${props.ask.ask}`}>
        <Revealed prose text={String(props.ask.request['message'] ?? props.ask.request['title'] ?? props.server)} />
      </h2>
      <p id={`ask-why-${props.ask.ask}`}>
        {destination[0]}
        <code>{props.server}</code>
        {destination[1]}
      </p>
    </div>
  );
}

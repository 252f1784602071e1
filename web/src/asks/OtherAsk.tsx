// A request of an unknown kind: shown as JSON; it can be answered with JSON or cancelled.
import { Show, type JSX } from 'solid-js';
import type { JsonValue } from '../api/types';
import { isObject } from '../protocol/storage';
import { t } from '../text';
import { Button } from '../ui';
import { Answers } from './Answers';
import { createForm, type AskContext } from './context';
import { CommandText } from './Revealed';

export function OtherAsk(props: { context: AskContext }): JSX.Element {
  const context = props.context;
  const { ask } = context;
  const [form, change] = createForm<{ json: string | null }>(context, { json: null });
  const parsed = (): JsonValue | undefined => {
    try {
      return JSON.parse(form().json ?? '') as JsonValue;
    } catch {
      return undefined;
    }
  };
  const payload = isObject(ask.request['payload']) ? ask.request['payload'] : ask.request;
  const cancel = (interrupt = false) => void context.answer('cancel', { decision: 'cancel', interrupt });
  const send = () => {
    const value = parsed();
    if (value !== undefined) void context.answer('send', { decision: 'accept', content: value });
  };
  context.setKeys({ primary: send, dismiss: () => cancel(), dismissAndStop: () => cancel(true) });
  const { off } = context;
  return (
    <>
      <div class="asktitle">
        <h2 id={`ask-title-${ask.ask}`}>{t('forms.unknownDialog', { kind: String(ask.request['dialog_kind'] ?? ask.toolName) })}</h2>
        <p id={`ask-why-${ask.ask}`}>{t('forms.unknownDialogHow')}</p>
      </div>
      <div class="askbody">
        <CommandText text={JSON.stringify(payload, null, 2)} label={t('asks.input')} />
        <Show when={form().json !== null}>
          <label class="fieldlab">
            {t('forms.answerJson')}
            <textarea
              class="input mono codefield"
              spellcheck={false}
              value={form().json ?? ''}
              disabled={off()}
              aria-invalid={form().json !== '' && parsed() === undefined ? true : undefined}
              onInput={(event) => change({ json: event.currentTarget.value })}
            />
          </label>
        </Show>
      </div>
      <Answers context={context}>
        <div class="askfoot acts three">
          <Show
            when={form().json !== null}
            fallback={
              <Button disabled={off()} onClick={() => change({ json: '{}' })}>
                {t('forms.answerWithJson')}
              </Button>
            }
          >
            <Button hotkey="Ctrl Enter" disabled={off() || parsed() === undefined} onClick={send}>
              {t('forms.send')}
            </Button>
          </Show>
          <span class="grow" />
          <Button look="primary" hotkey="Esc" disabled={off()} onClick={() => cancel()}>
            {t('forms.cancelForm')}
          </Button>
        </div>
      </Answers>
    </>
  );
}

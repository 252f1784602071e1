// What the forms of several kinds of requests render alike.
import { Show, type JSX } from 'solid-js';
import { t } from '../text';
import type { AskContext } from './context';

/** The answers of a request, or a note on devices that may only look. */
export function Answers(props: { context: AskContext; children: JSX.Element }): JSX.Element {
  return (
    <Show
      when={props.context.client.may('approve')}
      fallback={
        <div class="askfoot">
          <span class="lab">{t('asks.waitingForSomeone')}</span>
        </div>
      }
    >
      {props.children}
    </Show>
  );
}

/** A message that goes to the agent with a denial. Enter sends it. */
export function DenyMessage(props: {
  context: AskContext;
  class?: string;
  label: string;
  hint: string;
  value: string;
  onInput: (text: string) => void;
  onSend: () => void;
}): JSX.Element {
  return (
    <input
      class={`input ${props.class ?? ''}`}
      type="text"
      aria-label={props.label}
      placeholder={props.hint}
      value={props.value}
      disabled={!props.context.may()}
      onInput={(event) => props.onInput(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.isComposing && !event.ctrlKey && !event.metaKey && props.value.trim() !== '') {
          event.preventDefault();
          props.onSend();
        }
      }}
    />
  );
}

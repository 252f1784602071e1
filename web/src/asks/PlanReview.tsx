// Review of a plan, which is shown in the transcript: approve it into a mode, edit it, or send it back.
import { Show, type JSX } from 'solid-js';
import type { JsonValue } from '../api/types';
import { t } from '../text';
import { Button } from '../ui';
import { Answers, DenyMessage } from './Answers';
import { createForm, type AskContext } from './context';
import { inputOf } from './inputs';

interface Form {
  message: string;
  plan: string | null;
}

export function PlanReview(props: { context: AskContext }): JSX.Element {
  const context = props.context;
  const { ask } = context;
  const input = inputOf(ask.request);
  const original = typeof input['plan'] === 'string' ? input['plan'] : null;
  const [form, change] = createForm<Form>(context, { message: '', plan: null });
  context.setLeftover(() => form().message);
  const changed = () => form().plan !== null && form().plan !== original;
  const approve = (mode: string) =>
    void context.answer('approve', { decision: 'allow', mode, ...(changed() ? { updatedInput: { ...input, plan: form().plan } as JsonValue } : {}) });
  const keep = (interrupt = false) => void context.answer('planning', { decision: 'deny', message: form().message.trim() || null, interrupt });
  context.setKeys({ primary: () => approve('default'), dismiss: () => keep(), dismissAndStop: () => keep(true) });
  const { off } = context;
  return (
    <>
      <h2 class="vh" id={`ask-title-${ask.ask}`}>
        {t('forms.planReview')}
      </h2>
      <Show when={form().plan !== null}>
        <div class="askbody">
          <label class="fieldlab">
            {t('forms.thePlan')}
            <textarea class="input codefield" value={form().plan ?? ''} disabled={off()} onInput={(event) => change({ plan: event.currentTarget.value })} />
          </label>
        </div>
      </Show>
      <p class="vh" id={`ask-why-${ask.ask}`}>
        {t('forms.planAbove')}
      </p>
      <Answers context={context}>
        <div class="planacts">
          <div class="pa">
            <Button look="primary" hotkey="Ctrl Enter" disabled={off()} onClick={() => approve('default')}>
              {context.label('approve', t('forms.approveAsk'), t('forms.approving'))}
            </Button>
            <Button disabled={off()} onClick={() => approve('acceptEdits')}>
              {t('forms.approveEdits')}
            </Button>
            <Show when={original !== null && form().plan === null}>
              <Button icon="edit" disabled={off()} onClick={() => change({ plan: original })}>
                {t('forms.editPlan')}
              </Button>
            </Show>
            <Show when={form().plan !== null}>
              <Button icon="undo" disabled={off()} onClick={() => change({ plan: null })}>
                {t('asks.undoMine')}
              </Button>
            </Show>
          </div>
          <div class="pk">
            <DenyMessage
              context={context}
              label={t('forms.planChange')}
              hint={t('forms.planChangeHint')}
              value={form().message}
              onInput={(message) => change({ message })}
              onSend={keep}
            />
            <Button hotkey="Esc" disabled={off()} onClick={() => keep()}>
              {context.label('planning', t('forms.keepPlanning'), t('forms.sending'))}
            </Button>
          </div>
        </div>
      </Answers>
    </>
  );
}

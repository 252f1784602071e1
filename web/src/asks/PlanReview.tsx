// Review of a plan, which is shown in the transcript: approve it into a mode, edit it, or send it back.
import { createSignal, Show, type JSX } from 'solid-js';
import type { JsonValue } from '../api/types';
import { t } from '../text';
import { Button } from '../ui';
import type { AskContext } from './context';
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
  const [form, setForm] = createSignal<Form>(context.forms.get<Form>(ask.ask, { message: '', plan: null }));
  const change = (over: Partial<Form>) => {
    setForm({ ...form(), ...over });
    context.forms.set(ask.ask, form());
  };
  context.setLeftover(() => form().message);
  const changed = () => form().plan !== null && form().plan !== original;
  const approve = (mode: string) =>
    void context.answer('approve', { decision: 'allow', mode, ...(changed() ? { updatedInput: { ...input, plan: form().plan } as JsonValue } : {}) });
  const keep = (interrupt = false) => void context.answer('planning', { decision: 'deny', message: form().message.trim() || null, interrupt });
  context.setKeys({ primary: () => approve('default'), dismiss: () => keep(), dismissAndStop: () => keep(true) });
  const off = () => !context.may() || context.act.busy();
  const running = () => context.act.shown();
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
      <Show
        when={context.client.may('approve')}
        fallback={
          <div class="askfoot">
            <span class="lab">{t('asks.waitingForSomeone')}</span>
          </div>
        }
      >
        <div class="planacts">
          <div class="pa">
            <Button look="primary" hotkey="Ctrl Enter" disabled={off()} onClick={() => approve('default')}>
              {context.verb() === 'approve' && running() ? t('forms.approving') : t('forms.approveAsk')}
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
            <input
              class="input"
              type="text"
              aria-label={t('forms.planChange')}
              placeholder={t('forms.planChangeHint')}
              value={form().message}
              disabled={!context.may()}
              onInput={(event) => change({ message: event.currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && !event.isComposing && !event.ctrlKey && !event.metaKey && form().message.trim() !== '') {
                  event.preventDefault();
                  keep();
                }
              }}
            />
            <Button hotkey="Esc" disabled={off()} onClick={() => keep()}>
              {context.verb() === 'planning' && running() ? t('forms.sending') : t('forms.keepPlanning')}
            </Button>
          </div>
        </div>
      </Show>
    </>
  );
}

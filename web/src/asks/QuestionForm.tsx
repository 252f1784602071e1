// One to four questions of the agent as fieldsets. Unsent answers are kept.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, Show, type JSX } from 'solid-js';
import { t } from '../text';
import { Button, Kbd } from '../ui';
import type { AskContext } from './context';
import { answersOf, choose, chooseOwn, emptyChoice, missing, plainLabel, questionsOf, type Choice, type Question } from './questions';
import { Revealed } from './Revealed';

interface Form {
  choices: Choice[];
  words: string | null;
}
/** Sent to the agent if no option was chosen. In English, as for the model. */
const SKIPPED = 'The user skipped the questions.';

export function QuestionForm(props: { context: AskContext }): JSX.Element {
  const context = props.context;
  const { ask } = context;
  const questions = questionsOf(ask.request);
  const [form, setForm] = createSignal<Form>(context.forms.get<Form>(ask.ask, { choices: questions.map(emptyChoice), words: null }));
  const change = (over: Partial<Form>) => {
    setForm({ ...form(), ...over });
    context.forms.set(ask.ask, form());
  };
  const choice = (index: number) => form().choices[index] ?? emptyChoice();
  const put = (index: number, next: Choice) => change({ choices: questions.map((_, at) => (at === index ? next : choice(at))) });
  const lacking = createMemo(() =>
    missing(
      questions,
      questions.map((_, index) => choice(index)),
    ),
  );
  context.setLeftover(() =>
    [
      form().words,
      ...form()
        .choices.filter((one) => one.own)
        .map((one) => one.text),
    ]
      .filter(Boolean)
      .join('\n'),
  );

  const send = () => {
    if (form().words !== null) words();
    else if (lacking().length === 0) void context.answer('send', { decision: 'allow', answers: answersOf(questions, form().choices) });
  };
  const skip = (interrupt = false) => void context.answer('skip', { decision: 'deny', message: SKIPPED, interrupt });
  const words = () => {
    const answer = form().words?.trim();
    if (answer) void context.answer('words', { decision: 'deny', message: answer });
  };
  // The question whose options are chosen with digits: the focused one, a multiple-choice question that was begun, or
  // else the first unanswered one.
  const [focused, setFocused] = createSignal<number | null>(null);
  const [begun, setBegun] = createSignal<number | null>(null);
  const next = createMemo(() => {
    const at = focused() ?? begun();
    if (at !== null) return at;
    const first = lacking()[0];
    return first ? Math.max(0, questions.indexOf(first)) : 0;
  });
  const pick = (index: number, option: number) => {
    const question = questions[index];
    const chosen = question?.options[option];
    if (!question) return;
    if (chosen) put(index, choose(question, choice(index), chosen.label));
    else if (option === question.options.length) put(index, chooseOwn(question, choice(index)));
    else return;
    setBegun(question.multi || choice(index).own ? index : null);
  };
  const digit = (pressed: number) => {
    if (form().words === null) pick(next(), pressed - 1);
  };
  context.setKeys({ primary: send, dismiss: () => skip(), dismissAndStop: () => skip(true), digit });

  const off = () => !context.may() || context.act.busy();
  const verb = (which: string, plain: string, running: string) => (context.verb() === which && context.act.shown() ? running : plain);
  return (
    <>
      <div class="askbody" id={`ask-why-${ask.ask}`}>
        <h2 class="vh" id={`ask-title-${ask.ask}`}>
          {t('forms.questions')}
        </h2>
        <For each={questions}>
          {(question, index) => (
            <Fieldset
              question={question}
              choice={choice(index())}
              disabled={!context.may()}
              next={form().words === null && next() === index()}
              onFocus={(on) => {
                setFocused(on ? index() : null);
                if (on) setBegun(null);
              }}
              onPick={(option) => pick(index(), option)}
              onChange={(changed) => put(index(), changed)}
            />
          )}
        </For>
        <Show when={form().words !== null}>
          <label class="qs wordsfield">
            {t('forms.inWords')}
            <textarea
              class="input"
              rows="2"
              value={form().words ?? ''}
              disabled={!context.may()}
              onInput={(event) => change({ words: event.currentTarget.value })}
            />
          </label>
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
        <div class="askfoot acts">
          <Show
            when={form().words === null}
            fallback={
              <>
                <Button look="primary" hotkey="Ctrl Enter" disabled={off() || form().words?.trim() === ''} onClick={words}>
                  {verb('words', t('forms.sendWords'), t('forms.sending'))}
                </Button>
                <Button disabled={off()} onClick={() => change({ words: null })}>
                  {t('forms.backToQuestions')}
                </Button>
              </>
            }
          >
            <Button look="primary" hotkey="Ctrl Enter" disabled={off() || lacking().length > 0} aria-describedby={`ask-lack-${ask.ask}`} onClick={send}>
              {verb('send', t('forms.sendAnswers'), t('forms.sending'))}
            </Button>
            <Button disabled={off()} onClick={() => change({ words: context.takeBoxText() })}>
              {t('forms.answerInWords')}
            </Button>
          </Show>
          <span class="lab grow trunc" id={`ask-lack-${ask.ask}`}>
            <Show when={form().words === null && lacking()[0]}>{(one) => t('forms.lacking', { what: one().header || one().question })}</Show>
          </span>
          <Button look="bare" hotkey="Esc" disabled={off()} onClick={() => skip()}>
            {verb('skip', t('forms.skip'), t('forms.skipping'))}
          </Button>
        </div>
      </Show>
    </>
  );
}

function Fieldset(props: {
  question: Question;
  choice: Choice;
  disabled: boolean;
  next: boolean;
  onFocus: (on: boolean) => void;
  onPick: (option: number) => void;
  onChange: (choice: Choice) => void;
}): JSX.Element {
  const name = createUniqueId();
  const [near, setNear] = createSignal<string | null>(null);
  let own: HTMLInputElement | undefined;
  createEffect(
    on(
      () => props.choice.own,
      (chosen) => {
        if (chosen) own?.focus();
      },
      { defer: true },
    ),
  );
  const preview = () => {
    const label = near() ?? props.choice.chosen.at(-1) ?? null;
    return props.question.options.find((option) => option.label === label)?.preview ?? null;
  };
  const type = () => (props.question.multi ? 'checkbox' : 'radio');
  return (
    <fieldset
      class="qs"
      classList={{ next: props.next }}
      onFocusIn={() => props.onFocus(true)}
      onFocusOut={() => props.onFocus(false)}
      disabled={props.disabled}
    >
      <legend>
        <span>
          <Revealed prose text={props.question.question} />
        </span>{' '}
        <span class="hd">{[props.question.header, props.question.multi ? t('forms.anyNumber') : ''].filter(Boolean).join(' · ')}</span>
      </legend>
      <For each={props.question.options}>
        {(option, index) => (
          <label
            class="qopt"
            classList={{ on: props.choice.chosen.includes(option.label) }}
            onPointerEnter={() => setNear(option.preview ? option.label : null)}
            onPointerLeave={() => setNear(null)}
          >
            <input
              type={type()}
              name={name}
              checked={props.choice.chosen.includes(option.label)}
              onFocus={() => setNear(option.preview ? option.label : null)}
              onBlur={() => setNear(null)}
              onChange={() => props.onPick(index())}
            />
            <span class="l">
              <Revealed prose text={plainLabel(option.label)} />
              <Show when={option.recommended}>
                {' '}
                <span class="chip">{t('forms.recommended')}</span>
              </Show>
            </span>
            <Show when={index() < 9}>
              <span class="key not-phone">
                <Kbd keys={String(index() + 1)} />
              </span>
            </Show>
            <Show when={option.description}>
              <span class="d">
                <Revealed prose text={option.description} />
              </span>
            </Show>
          </label>
        )}
      </For>
      <div class="qopt" classList={{ on: props.choice.own }}>
        <input type={type()} name={name} id={`${name}-own`} checked={props.choice.own} onChange={() => props.onPick(props.question.options.length)} />
        <label class="l" for={`${name}-own`}>
          {t('forms.somethingElse')}
        </label>
        <Show when={props.question.options.length < 9}>
          <span class="key not-phone">
            <Kbd keys={String(props.question.options.length + 1)} />
          </span>
        </Show>
        <Show when={props.choice.own}>
          <span class="d own">
            <input
              ref={own}
              class="input"
              type="text"
              aria-label={t('forms.ownAnswer')}
              value={props.choice.text}
              onInput={(event) => props.onChange({ ...props.choice, text: event.currentTarget.value })}
            />
          </span>
        </Show>
      </div>
      <Show when={preview()}>
        {(text) => (
          <pre class="qpreview" aria-label={t('forms.preview')}>
            <Revealed text={text()} />
          </pre>
        )}
      </Show>
    </fieldset>
  );
}

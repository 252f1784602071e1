// One to four questions of the agent as fieldsets. Unsent answers are kept.
import { createEffect, createSignal, createUniqueId, For, on, Show, type JSX } from 'solid-js';
import { t } from '../text';
import { Button, Kbd } from '../ui';
import { Answers } from './Answers';
import { createAnswering, type Answering } from './answering';
import type { AskContext } from './context';
import { plainLabel, type Choice, type Question, type QuestionOption } from './questions';
import { Revealed } from './Revealed';

export function QuestionForm(props: { context: AskContext }): JSX.Element {
  const context = props.context;
  const { ask } = context;
  const answering = createAnswering(context);
  const { questions, words, setWords, choice, put, pick, next } = answering;
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
              next={words() === null && next() === index()}
              onFocus={(on) => answering.onFocus(index(), on)}
              onPick={(option) => pick(index(), option)}
              onChange={(changed) => put(index(), changed)}
            />
          )}
        </For>
        <Show when={words() !== null}>
          <label class="qs wordsfield">
            {t('forms.inWords')}
            <textarea class="input" rows="2" value={words() ?? ''} disabled={!context.may()} onInput={(event) => setWords(event.currentTarget.value)} />
          </label>
        </Show>
      </div>
      <Answers context={context}>
        <Actions answering={answering} />
      </Answers>
    </>
  );
}

/** Send or skip, or answer all questions in words. */
function Actions(props: { answering: Answering }): JSX.Element {
  const { answering } = props;
  const { context, words, setWords, lacking } = answering;
  const { off } = context;
  return (
    <div class="askfoot acts">
      <Show
        when={words() === null}
        fallback={
          <>
            <Button look="primary" hotkey="Ctrl Enter" disabled={off() || words()?.trim() === ''} onClick={answering.send}>
              {context.label('words', t('forms.sendWords'), t('forms.sending'))}
            </Button>
            <Button disabled={off()} onClick={() => setWords(null)}>
              {t('forms.backToQuestions')}
            </Button>
          </>
        }
      >
        <Button
          look="primary"
          hotkey="Ctrl Enter"
          disabled={off() || lacking().length > 0}
          aria-describedby={`ask-lack-${context.ask.ask}`}
          onClick={answering.send}
        >
          {context.label('send', t('forms.sendAnswers'), t('forms.sending'))}
        </Button>
        <Button disabled={off()} onClick={() => setWords(context.takeBoxText())}>
          {t('forms.answerInWords')}
        </Button>
      </Show>
      <span class="lab grow trunc" id={`ask-lack-${context.ask.ask}`}>
        <Show when={words() === null && lacking()[0]}>{(one) => t('forms.lacking', { what: one().header || one().question })}</Show>
      </span>
      <Button look="bare" hotkey="Esc" disabled={off()} onClick={answering.skip}>
        {context.label('skip', t('forms.skip'), t('forms.skipping'))}
      </Button>
    </div>
  );
}

interface FieldsetProps {
  question: Question;
  choice: Choice;
  disabled: boolean;
  /** The digit keys act on this question. */
  next: boolean;
  onFocus: (on: boolean) => void;
  onPick: (option: number) => void;
  onChange: (choice: Choice) => void;
}

function Fieldset(props: FieldsetProps): JSX.Element {
  const name = createUniqueId();
  const [near, setNear] = createSignal<string | null>(null);
  const preview = () => {
    const label = near() ?? props.choice.chosen.at(-1) ?? null;
    return props.question.options.find((option) => option.label === label)?.preview ?? null;
  };
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
          <OptionRow {...props} option={option} place={index()} name={name} onNear={(on) => setNear(on && option.preview ? option.label : null)} />
        )}
      </For>
      <OwnAnswer {...props} name={name} />
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

const inputType = (question: Question): 'checkbox' | 'radio' => (question.multi ? 'checkbox' : 'radio');

function OptionRow(props: FieldsetProps & { option: QuestionOption; place: number; name: string; onNear: (on: boolean) => void }): JSX.Element {
  return (
    <label
      class="qopt"
      classList={{ on: props.choice.chosen.includes(props.option.label) }}
      onPointerEnter={() => props.onNear(true)}
      onPointerLeave={() => props.onNear(false)}
    >
      <input
        type={inputType(props.question)}
        name={props.name}
        checked={props.choice.chosen.includes(props.option.label)}
        onFocus={() => props.onNear(true)}
        onBlur={() => props.onNear(false)}
        onChange={() => props.onPick(props.place)}
      />
      <span class="l">
        <Revealed prose text={plainLabel(props.option.label)} />
        <Show when={props.option.recommended}>
          {' '}
          <span class="chip">{t('forms.recommended')}</span>
        </Show>
      </span>
      <Show when={props.place < 9}>
        <span class="key not-phone">
          <Kbd keys={String(props.place + 1)} />
        </span>
      </Show>
      <Show when={props.option.description}>
        <span class="d">
          <Revealed prose text={props.option.description} />
        </span>
      </Show>
    </label>
  );
}

/** The last option: an answer in the person's own words. */
function OwnAnswer(props: FieldsetProps & { name: string }): JSX.Element {
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
  return (
    <div class="qopt" classList={{ on: props.choice.own }}>
      <input
        type={inputType(props.question)}
        name={props.name}
        id={`${props.name}-own`}
        checked={props.choice.own}
        onChange={() => props.onPick(props.question.options.length)}
      />
      <label class="l" for={`${props.name}-own`}>
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
  );
}

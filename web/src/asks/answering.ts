// The state of a question form: the choices, the answer in words, and the question that the digit keys act on.
import { createMemo, createSignal, type Accessor } from 'solid-js';
import { createForm, type AskContext } from './context';
import { answersOf, choose, chooseOwn, emptyChoice, missing, questionsOf, type Choice, type Question } from './questions';

interface Form {
  choices: Choice[];
  words: string | null;
}
/** Sent to the agent if no option was chosen. In English, as for the model. */
const SKIPPED = 'The user skipped the questions.';

export interface Answering {
  readonly context: AskContext;
  readonly questions: Question[];
  /** The answer in words; null while the options are answered. */
  readonly words: Accessor<string | null>;
  readonly setWords: (words: string | null) => void;
  readonly choice: (index: number) => Choice;
  readonly put: (index: number, next: Choice) => void;
  /** Chooses an option by its position; the one after the last is the person's own answer. */
  readonly pick: (index: number, option: number) => void;
  /** The questions without an answer. */
  readonly lacking: Accessor<Question[]>;
  /** The question whose options are chosen with digits. */
  readonly next: Accessor<number>;
  readonly onFocus: (index: number, on: boolean) => void;
  readonly send: () => void;
  readonly skip: () => void;
}

export function createAnswering(context: AskContext): Answering {
  const questions = questionsOf(context.ask.request);
  const [form, change] = createForm<Form>(context, { choices: questions.map(emptyChoice), words: null });
  const words = () => form().words;
  const choice = (index: number) => form().choices[index] ?? emptyChoice();
  const choices = () => questions.map((_, index) => choice(index));
  const put = (index: number, next: Choice) => change({ choices: choices().map((one, at) => (at === index ? next : one)) });
  const lacking = createMemo(() => missing(questions, choices()));
  context.setLeftover(() => {
    const own = form().choices.filter((one) => one.own);
    return [words(), ...own.map((one) => one.text)].filter(Boolean).join('\n');
  });
  const sendWords = () => {
    const answer = words()?.trim();
    if (answer) void context.answer('words', { decision: 'deny', message: answer });
  };
  const send = () => {
    if (words() !== null) sendWords();
    else if (lacking().length === 0) void context.answer('send', { decision: 'allow', answers: answersOf(questions, form().choices) });
  };
  const skip = (interrupt = false) => void context.answer('skip', { decision: 'deny', message: SKIPPED, interrupt });
  // The focused question, a multiple-choice question that was begun, or else the first unanswered one.
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
  const onFocus = (index: number, on: boolean) => {
    setFocused(on ? index : null);
    if (on) setBegun(null);
  };
  const digit = (pressed: number) => {
    if (words() === null) pick(next(), pressed - 1);
  };
  context.setKeys({ primary: send, dismiss: () => skip(), dismissAndStop: () => skip(true), digit });
  return { context, questions, words, setWords: (next) => change({ words: next }), choice, put, pick, lacking, next, onFocus, send, skip: () => skip() };
}

// Questions of the agent: parsing, chosen options, missing answers, and the answer in the agent's format.
import { isObject } from '../protocol/storage';

export interface QuestionOption {
  label: string;
  description: string;
  preview: string | null;
  recommended: boolean;
}
export interface Question {
  question: string;
  header: string;
  multi: boolean;
  options: QuestionOption[];
}
export interface Choice {
  chosen: string[];
  own: boolean;
  text: string;
}

const RECOMMENDED = /\s*\((recommended|empfohlen)\)\s*$/i;

export function questionsOf(request: { [key: string]: unknown }): Question[] {
  const input = isObject(request['input']) ? request['input'] : {};
  const list: unknown[] = Array.isArray(input['questions']) ? input['questions'] : [];
  return list.filter(isObject).map((one) => ({
    question: String(one['question'] ?? ''),
    header: String(one['header'] ?? ''),
    multi: one['multiSelect'] === true,
    options: (Array.isArray(one['options']) ? one['options'] : []).filter(isObject).map((option: { [key: string]: unknown }) => {
      const label = String(option['label'] ?? '');
      return {
        label,
        description: String(option['description'] ?? ''),
        preview: typeof option['preview'] === 'string' ? option['preview'] : null,
        recommended: RECOMMENDED.test(label),
      };
    }),
  }));
}

/** The label without "(Recommended)", which is shown as a chip. The answer contains the whole label. */
export const plainLabel = (label: string): string => label.replace(RECOMMENDED, '');

export const emptyChoice = (): Choice => ({ chosen: [], own: false, text: '' });

export const isAnswered = (choice: Choice | undefined): boolean => choice !== undefined && (choice.own ? choice.text.trim() !== '' : choice.chosen.length > 0);

/** Chooses an option: the only one, or one of several. */
export function choose(question: Question, choice: Choice, label: string): Choice {
  if (!question.multi) return { ...choice, chosen: [label], own: false };
  const chosen = choice.chosen.includes(label) ? choice.chosen.filter((one) => one !== label) : [...choice.chosen, label];
  return { ...choice, chosen: question.options.map((option) => option.label).filter((one) => chosen.includes(one)) };
}

export function chooseOwn(question: Question, choice: Choice): Choice {
  return question.multi ? { ...choice, own: !choice.own } : { ...choice, chosen: [], own: true };
}

/** Returns the unanswered questions. */
export const missing = (questions: readonly Question[], choices: readonly Choice[]): Question[] => questions.filter((_, index) => !isAnswered(choices[index]));

/** Maps questions to answers; several answers are separated by commas. */
export function answersOf(questions: readonly Question[], choices: readonly Choice[]): { [question: string]: string } {
  const answers: { [question: string]: string } = {};
  questions.forEach((question, index) => {
    const choice = choices[index] ?? emptyChoice();
    const parts = [...choice.chosen, ...(choice.own && choice.text.trim() ? [choice.text.trim()] : [])];
    answers[question.question] = parts.join(', ');
  });
  return answers;
}

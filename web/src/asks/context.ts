// What the forms of all kinds of requests share: the request, how to answer it, and its stored form values.
import { createSignal, type Accessor } from 'solid-js';
import type { AnswerAsk, AskInfo, Diff, JsonValue } from '../api/types';
import { createAct, type Act } from '../gate/act';
import type { Guard } from '../gate/rules';
import type { Client } from '../protocol';
import type { AskForms } from './forms';

/** The button that was pressed; its label shows the progress. */
export type Verb = 'allow' | 'change' | 'rule' | 'deny' | 'stop' | 'always' | 'send' | 'skip' | 'words' | 'approve' | 'planning' | 'decline' | 'cancel';

/** What the keys do while this request has the focus or is the only one. */
export interface AskKeys {
  /** Ctrl Enter. Undefined while it is not allowed. */
  primary: () => void;
  /** Escape. */
  dismiss: () => void;
  /** Shift Escape. */
  dismissAndStop: () => void;
  /** 1 to 9: chooses an option of the current question. Undefined if there are no options. */
  digit?: (digit: number) => void;
}

export interface AskContext {
  readonly client: Client;
  readonly sessionId: string;
  readonly ask: AskInfo;
  /** The folder of the session, to shorten paths. */
  readonly project: string;
  /** The device may answer and is connected. */
  readonly may: Accessor<boolean>;
  readonly guard: Guard;
  readonly forms: AskForms;
  readonly diffOf: (ask: AskInfo, input: JsonValue | null) => Promise<Diff>;
  /** Sets the actions of the keys; called by the form that is shown. */
  readonly setKeys: (keys: AskKeys) => void;
  /** Clears the message box and returns its text. */
  readonly takeBoxText: () => string;
  /** Sets a function that returns the text to keep if the request is answered elsewhere. */
  readonly setLeftover: (text: () => string) => void;
  readonly act: Act;
  /** The controls are off: this device may not answer, or an answer is being sent. */
  readonly off: Accessor<boolean>;
  /** The label of a button: `running` while its answer is being sent. */
  readonly label: (verb: Verb, plain: string, running: string) => string;
  /** Answers the request. A second call while the first is running does nothing. */
  readonly answer: (verb: Verb, body: Omit<AnswerAsk, 'ask' | 'sessionId'>, before?: () => Promise<unknown>) => Promise<boolean>;
}

export interface ContextOptions
  extends Pick<AskContext, 'client' | 'sessionId' | 'ask' | 'project' | 'may' | 'guard' | 'forms' | 'diffOf' | 'setKeys' | 'takeBoxText' | 'setLeftover'> {
  /**
   * Called when the request is answered on this page, so that it is not reported as answered elsewhere. Called again
   * with false if that failed.
   */
  answered: (ask: string, here: boolean) => void;
}

export function createContext(options: ContextOptions): AskContext {
  const { answered, ...rest } = options;
  const [verb, setVerb] = createSignal<Verb | null>(null);
  // The request disappears with the next state update; until then it must not be answered again.
  const [over, setOver] = createSignal(false);
  const may = () => options.may() && !over();
  let next: () => Promise<unknown> = async () => undefined;
  const act = createAct(() => next());
  return {
    ...rest,
    act,
    may,
    off: () => !may() || act.busy(),
    label: (which, plain, running) => (verb() === which && act.shown() ? running : plain),
    answer: async (which, body, before) => {
      // Ignores presses in the first moments, which were meant for something else.
      if (act.busy() || !may() || !options.guard.open(performance.now())) return false;
      setVerb(which);
      next = async () => {
        if (before) await before();
        answered(options.ask.ask, true);
        await options.client.commands.send({ type: 'answer_ask', ask: options.ask.ask, sessionId: options.sessionId, ...body });
      };
      const done = await act.run();
      setOver(done);
      if (done) options.forms.forget(options.ask.ask);
      else answered(options.ask.ask, false);
      setVerb(null);
      return done;
    },
  };
}

/** The values of a form, kept until the request is answered. */
export function createForm<T extends object>(context: AskContext, empty: T): [Accessor<T>, (over: Partial<T>) => void] {
  const { ask } = context.ask;
  const [form, setForm] = createSignal<T>(context.forms.get<T>(ask, empty));
  const change = (over: Partial<T>) => {
    setForm(() => ({ ...form(), ...over }));
    context.forms.set(ask, form());
  };
  return [form, change];
}

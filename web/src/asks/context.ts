// What every kind of ask is given: the ask, the way to answer it, and what is kept of its form.
import { createSignal, type Accessor } from 'solid-js';
import type { AnswerAsk, AskInfo, Diff, JsonValue } from '../api/types';
import { createAct, type Act } from '../gate/act';
import type { Guard } from '../gate/rules';
import type { Client } from '../protocol';
import type { AskForms } from './forms';

/** Which button was pressed, to show its verb in progress. */
export type Verb = 'allow' | 'change' | 'rule' | 'deny' | 'stop' | 'always' | 'send' | 'skip' | 'words' | 'approve' | 'planning' | 'decline' | 'cancel';

/** What the keys do while this ask has the focus, or is alone. */
export interface AskKeys {
  /** Ctrl Enter. Nothing when it may not be done yet. */
  primary: () => void;
  /** Escape. */
  dismiss: () => void;
  /** Shift Escape. */
  dismissAndStop: () => void;
  /** 1 to 9: chooses an option of the question that is next. Missing where there is nothing to choose. */
  digit?: (digit: number) => void;
}

export interface AskContext {
  readonly client: Client;
  readonly sessionId: string;
  readonly ask: AskInfo;
  /** The folder of the session, to shorten paths. */
  readonly project: string;
  /** The device may decide and the line is up. */
  readonly may: Accessor<boolean>;
  readonly guard: Guard;
  readonly forms: AskForms;
  readonly diffOf: (ask: AskInfo, input: JsonValue | null) => Promise<Diff>;
  /** Says what the keys do; the form that is shown calls it. */
  readonly setKeys: (keys: AskKeys) => void;
  /** What stands in the message box, and takes it from there. */
  readonly takeBoxText: () => string;
  /** Text that would be lost when the ask is answered elsewhere. */
  readonly setLeftover: (text: () => string) => void;
  readonly act: Act;
  readonly verb: Accessor<Verb | null>;
  /** Answers once; a second press while it runs does nothing. */
  readonly answer: (verb: Verb, body: Omit<AnswerAsk, 'ask' | 'sessionId'>, before?: () => Promise<unknown>) => Promise<boolean>;
}

export interface ContextOptions
  extends Pick<AskContext, 'client' | 'sessionId' | 'ask' | 'project' | 'may' | 'guard' | 'forms' | 'diffOf' | 'setKeys' | 'takeBoxText' | 'setLeftover'> {
  /** It is answered from here: no need to say so when it goes. Called again with false when that failed. */
  answered: (ask: string, here: boolean) => void;
}

export function createContext(options: ContextOptions): AskContext {
  const { answered, ...rest } = options;
  const [verb, setVerb] = createSignal<Verb | null>(null);
  // Answered: the ask goes with the next state, and is not answered again until then.
  const [over, setOver] = createSignal(false);
  const may = () => options.may() && !over();
  let next: () => Promise<unknown> = async () => undefined;
  const act = createAct(() => next());
  return {
    ...rest,
    act,
    verb,
    may,
    answer: async (which, body, before) => {
      // A press within the first moments was meant for something else.
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

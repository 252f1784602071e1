// The state of a permission request: the values of its form, the preview of the change, and the answers.
import { createEffect, createMemo, createResource, createSignal, on, onCleanup, type Accessor } from 'solid-js';
import type { Diff, JsonValue } from '../api/types';
import { createForm, type AskContext } from './context';
import { asJson, changesFile, editKind, inputOf, sameInput, type EditKind, type Input } from './inputs';
import { denyRule } from './suggestions';

interface Form {
  message: string;
  editing: boolean;
  input: Input | null;
  json: string | null;
}

/** The diff of a change, or why there is none. */
export type Preview = Diff | { problem: string };

export const isDiff = (preview: Preview): preview is Diff => 'hunks' in preview;

export interface Permission {
  readonly context: AskContext;
  readonly original: Input;
  readonly kind: EditKind;
  readonly form: Accessor<Form>;
  readonly change: (over: Partial<Form>) => void;
  /** The input as the user left it. */
  readonly input: Accessor<Input>;
  readonly changed: Accessor<boolean>;
  /** The edited text is not valid JSON. */
  readonly wrong: Accessor<boolean>;
  /** The preview that is shown; undefined until the first one arrived. */
  readonly preview: Accessor<Preview | undefined>;
  /** The rule of "deny always". */
  readonly rule: string;
  readonly allow: () => void;
  readonly deny: (interrupt?: boolean) => void;
  readonly denyAlways: () => void;
}

/** Fetches the diff of the change; while the input is edited, of the edited input. The last one stays visible meanwhile. */
function createPreview(context: AskContext, input: Accessor<Input>, changed: Accessor<boolean>): Accessor<Preview | undefined> {
  const [wanted, setWanted] = createSignal<{ input: Input | null }>({ input: changed() ? input() : null });
  createEffect(
    on(
      input,
      (next) => {
        const timer = setTimeout(() => setWanted({ input: changed() ? next : null }), changed() ? 250 : 0);
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );
  const [diff] = createResource(
    () => (changesFile(context.ask.card) ? wanted() : false),
    async (which): Promise<Preview> => {
      try {
        return await context.diffOf(context.ask, which.input as JsonValue | null);
      } catch (error) {
        return { problem: error instanceof Error ? error.message : String(error) };
      }
    },
  );
  return createMemo((last: Preview | undefined) => (diff.state === 'ready' ? diff() : last));
}

export function createPermission(context: AskContext): Permission {
  const { ask } = context;
  const original = inputOf(ask.request);
  const [form, change] = createForm<Form>(context, { message: '', editing: false, input: null, json: null });
  context.setLeftover(() => form().message);
  const input = () => form().input ?? original;
  const changed = () => form().input !== null && !sameInput(input(), original);
  const wrong = () => form().json !== null && form().input === null && form().json !== asJson(original);
  const rule = denyRule(ask);
  const message = () => form().message.trim() || null;
  const allow = () => {
    if (wrong()) return;
    if (changed()) void context.answer('change', { decision: 'allow', updatedInput: input() as JsonValue });
    else void context.answer('allow', { decision: 'allow' });
  };
  const deny = (interrupt = false) => void context.answer(interrupt ? 'stop' : 'deny', { decision: 'deny', message: message(), interrupt });
  const denyAlways = () =>
    void context.answer('always', { decision: 'deny', message: message() }, () =>
      context.client.commands.send({ type: 'change_rule', sessionId: context.sessionId, op: 'add', behavior: 'deny', rule, destination: 'localSettings' }),
    );
  context.setKeys({ primary: allow, dismiss: deny, dismissAndStop: () => deny(true) });
  return {
    context,
    original,
    kind: editKind(ask.card, original),
    form,
    change,
    input,
    changed,
    wrong,
    preview: createPreview(context, input, changed),
    rule,
    allow,
    deny,
    denyAlways,
  };
}

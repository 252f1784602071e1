// The entries and items of a transcript. An item stays the same object from its first draft to its end.
import type { Own } from '../../api/types';
import { Observed } from './observed';
import type { Fields, Heavy, Json, Picture, ResultBlock } from './wire';

export type AskOutcome = Extract<Own, { type: 'sluice_ask' }>;

abstract class Base extends Observed {
  constructor(
    readonly key: string,
    public seq: number,
    public at: number,
  ) {
    super();
  }
}

export class TextItem extends Base {
  readonly kind = 'text';
  text = '';
  streaming = false;
  /** Written by the agent program, not by a model. */
  synthetic = false;
  aborted = false;
  /** The agent process ended before the text was complete. */
  unfinished = false;
  message = '';
}

export class ThinkingItem extends Base {
  readonly kind = 'thinking';
  text = '';
  streaming = false;
  redacted = false;
  /** The agent process ended before the thinking was complete. */
  unfinished = false;
  message = '';
  /** Start time: that of its first draft, or of the previous record. */
  began = 0;
  ended: number | undefined;
  tokens: number | undefined;
}

export type CallState = 'drafting' | 'running' | 'done' | 'failed' | 'denied' | 'cancelled' | 'background';

export interface TaskFacts {
  id: string;
  kind: string;
  description: string;
  background: boolean;
  status: string;
  summary: string | undefined;
  tokens: number | undefined;
  calls: number | undefined;
  duration: number | undefined;
  lastTool: string | undefined;
  ended: number | undefined;
}

export class CallItem extends Base {
  readonly kind = 'call';
  id = '';
  name = '';
  message = '';
  input: Fields = {};
  /** Incomplete JSON of the input while it is being streamed. */
  draft = '';
  state: CallState = 'drafting';
  began = 0;
  ended: number | undefined;
  /** Running time reported by the agent, in seconds. */
  elapsed: number | undefined;
  result: readonly ResultBlock[] | undefined;
  /** `tool_use_result`: structured result of the tool. */
  structured: Json | undefined;
  resultSeq: number | undefined;
  ask: AskOutcome | undefined;
  /** The call was allowed by a rule. */
  byRule = false;
  denial: { reason: string | undefined; by: 'user' | 'rule' | 'hook' | 'mode' | 'other' } | undefined;
  task: TaskFacts | undefined;
  /** The items of a subagent. */
  children: Item[] = [];
  agentType: string | undefined;
  /** Display names from an MCP server, for itself and the tool. */
  shown: { server: string | undefined; tool: string | undefined } | undefined;
  /** The name of the task, where the call contains only its number. */
  about: string | undefined;
  /** Text loaded by a skill. */
  loaded: string | undefined;
}

export type PromptState = 'delivered' | 'indeterminate' | 'failed' | 'withdrawn';

export class PromptItem extends Base {
  readonly kind = 'prompt';
  uuid = '';
  text: Heavy = '';
  images: Picture[] = [];
  state: PromptState = 'delivered';
  by: string | undefined;
  device: string | undefined;
  /** Sent by another program: a terminal, an imported transcript. */
  foreign = false;
  /** Sent during a running turn. */
  steered = false;
}

export type Origin =
  | { kind: 'task'; text: string; status: string; task: string | undefined }
  | { kind: 'wake'; text: string }
  | { kind: 'peer'; text: string }
  | { kind: 'channel'; text: string }
  | { kind: 'continuation'; text: string }
  | { kind: 'unknown'; text: string };

export type MarkFacts =
  /** `tries`: number of attempts before the agent gave up. */
  | { what: 'error'; error: string; text: string; status: number | undefined; tries?: number }
  | { what: 'retry'; error: string; status: number | undefined; attempt: number; max: number | undefined; until: number; over: boolean; failed: boolean }
  | { what: 'limit'; status: string; resets: number | undefined; type: string | undefined; part: number | undefined }
  | { what: 'stopped'; by: string | undefined; calls: number }
  | { what: 'notice'; level: 'info' | 'warning'; text: string }
  | { what: 'hook'; name: string; outcome: string; output: string; code: number | undefined }
  | { what: 'process'; state: string; code: number | undefined; signal: number | undefined; reason: string | undefined; stderr: readonly string[] }
  | { what: 'model'; from: string; to: string; text: string }
  | { what: 'note'; kind: string; text: string }
  | { what: 'ask'; ask: AskOutcome }
  | { what: 'memory'; paths: readonly string[] }
  | { what: 'task'; text: string; status: string };

export class MarkItem extends Base {
  readonly kind = 'mark';
  facts: MarkFacts = { what: 'notice', level: 'info', text: '' };
}

/** A command of the agent program (/context, /cost) and its output. */
export class CommandItem extends Base {
  readonly kind = 'command';
  name = '';
  output = '';
  failed = false;
}

export class UnknownItem extends Base {
  readonly kind = 'unknown';
  type = '';
  raw: Json = null;
}

export type Item = TextItem | ThinkingItem | CallItem | PromptItem | MarkItem | CommandItem | UnknownItem;

export interface TurnEnd {
  seq: number;
  at: number;
  outcome: 'success' | 'error' | 'stopped';
  subtype: string;
  duration: number | undefined;
  /** Cost of this turn: the difference of the agent's cumulative figures. */
  cost: number | undefined;
  totalCost: number | undefined;
  input: number;
  cached: number;
  output: number;
  errors: readonly string[];
  denials: number;
  structured: Json | undefined;
}

export class Turn extends Observed {
  readonly kind = 'turn';
  items: Item[] = [];
  end: TurnEnd | undefined;
  origin: Origin | undefined;
  constructor(
    readonly key: string,
    public n: number,
    public seq: number,
    public at: number,
  ) {
    super();
  }
  get live(): boolean {
    return this.end === undefined;
  }
  get calls(): number {
    return this.items.reduce((sum, item) => sum + (item.kind === 'call' ? 1 : 0), 0);
  }
}

export class Break extends Observed {
  readonly kind = 'break';
  before: number | undefined;
  after: number | undefined;
  trigger: string | undefined;
  /** The agent's summary of the conversation, with which it continues. */
  summary = '';
  constructor(
    readonly key: string,
    readonly what: 'compacted' | 'cleared' | 'rewound',
    public seq: number,
    public at: number,
  ) {
    super();
  }
}

export type Entry = Turn | Break;

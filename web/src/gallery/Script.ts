// Builds the items of a made-up session for the gallery and the tests of the transcript.
import type { Card, CardBody, Decider, Item, ItemBody, ItemId, ItemStatus, Permission, Subject, ToolCall, Verb } from '../api/types';

const START = new Date(2026, 10, 15, 14, 5).getTime();
const PHONE: Decider = { type: 'person', sender: { name: 'you', device: 'Phone' } };

/** A call: its card, and what came of it. */
export interface Made {
  card: Card;
  status?: ItemStatus;
  result?: string;
  seconds?: number;
  parent?: ItemId;
  over?: Partial<ToolCall>;
}

export class Script {
  readonly items: Item[] = [];
  at = START;
  /** The number of the current turn; -1 before the first one. */
  turn = -1;
  private calls = 0;
  /** The start of calls that run in parallel. */
  private shared: number | undefined;

  wait(seconds: number): this {
    this.at += seconds * 1000;
    return this;
  }
  add(body: ItemBody, over: Partial<Item> = {}): ItemId {
    const id = this.items.length + 1;
    this.items.push({ id, revision: id, turn: this.turn < 0 ? null : this.turn, parent: null, at: this.at, status: 'done', body, ...over });
    return id;
  }
  item(body: ItemBody, over: Partial<Item> = {}): this {
    this.add(body, over);
    return this;
  }
  prompt(text: string, by = 'Phone'): this {
    this.turn += 1;
    return this.item({
      type: 'prompt',
      uuid: `p${this.items.length}`,
      text,
      images: [],
      source: 'host',
      sender: { name: by, device: by },
      delivery: 'delivered',
      steered: false,
    });
  }
  say(text: string, over: Partial<Item> = {}): this {
    return this.item({ type: 'text', text, synthetic: false }, over);
  }
  think(text: string, seconds = 0): this {
    return this.item({ type: 'thinking', text, duration: seconds * 1000, tokens: null });
  }
  /** Adds a call and returns its id. */
  begin({ card, status = 'running', parent, over = {} }: Made): ItemId {
    this.calls += 1;
    const call: ToolCall = {
      id: `call${this.calls}`,
      tool: card.title,
      card,
      written: null,
      folder: null,
      original: null,
      permission: null,
      task: null,
      started: this.at,
      ended: null,
      result: null,
      ...over,
    };
    return this.add({ type: 'tool_call', ...call }, { status, parent: parent ?? null, at: this.shared ?? this.at });
  }
  /** Adds a call with its result. */
  call(made: Made): this {
    const seconds = made.seconds ?? 1;
    const ended = made.status === 'background' ? null : this.at + seconds * 1000;
    const result = { text: made.result ?? '', images: made.over?.result?.images ?? [] };
    this.begin({ status: 'done', ...made, over: { ended, ...made.over, result } });
    return this.wait(seconds);
  }
  together(work: (script: this) => void): this {
    this.shared = this.at;
    work(this);
    this.shared = undefined;
    return this;
  }
  end(cost: number, seconds = 10): this {
    return this.item({
      type: 'turn_end',
      outcome: { type: 'completed' },
      errors: [],
      duration: seconds * 1000,
      waited: 0,
      api: 0,
      cost,
      tokens: { input: 4000, cacheRead: 44000, cacheWrite: 0, output: 3100 },
      calls: this.items.filter((item) => item.turn === this.turn && item.body.type === 'tool_call').length,
      denials: 0,
      files: [],
    });
  }
}

const card = (title: string, verb: Verb, subject: Subject, body: CardBody): Card => ({ title, verb, subject, body });

export const allowed: Permission = {
  request: 'r',
  outcome: 'allowed',
  by: PHONE,
  reason: null,
  asked: 0,
  decided: 0,
  message: null,
  rules: [],
  destination: null,
  changedBy: null,
};
export const denied = (by: Decider = PHONE, why: string | null = null): Permission => ({
  ...allowed,
  outcome: 'denied',
  by,
  [by.type === 'person' ? 'message' : 'reason']: why,
});

type Of<T extends CardBody['type']> = Partial<Extract<CardBody, { type: T }>>;

/** Cards of each kind, with the fields that a sample does not care about filled in. */
export const make = {
  shell: (command: string, over: Of<'shell'> = {}): Card =>
    card('Bash', over.action ? 'control' : 'run', over.action && over.task ? { type: 'task', value: over.task } : { type: 'command', value: command }, {
      type: 'shell',
      action: 'run',
      command,
      about: null,
      output: null,
      stderr: null,
      exitCode: null,
      task: null,
      moved: false,
      ...over,
    }),
  read: (path: string, content: Of<'file_read'>['content'] = null): Card =>
    card('Read', 'read', { type: 'path', value: path }, { type: 'file_read', path, content: content ?? null }),
  lines: (text: string, total: number, first = 1): Of<'file_read'>['content'] => ({
    type: 'lines',
    first,
    count: text.trimEnd().split('\n').length,
    total,
    text,
  }),
  change: (title: string, path: string, over: Of<'file_change'>): Card =>
    card(title, 'edit', { type: 'path', value: path }, { type: 'file_change', path, content: null, edits: [], created: false, hunks: [], ...over }),
  notebook: (path: string, over: Of<'notebook'>): Card =>
    card(
      'NotebookEdit',
      'edit',
      { type: 'path', value: path },
      { type: 'notebook', path, cell: '', kind: 'code', edit: 'replace', source: '', old: null, ...over },
    ),
  search: (title: string, kind: 'text' | 'names', pattern: string, within: string | null, over: Of<'search'>): Card =>
    card(
      title,
      'find',
      { type: kind, value: { pattern, within } },
      {
        type: 'search',
        kind,
        pattern,
        hits: null,
        files: null,
        ignoreCase: false,
        lines: null,
        names: null,
        ...over,
      },
    ),
  fetch: (url: string, prompt: string, answer: string): Card =>
    card('WebFetch', 'fetch', { type: 'url', value: url }, { type: 'web', kind: 'fetch', url, prompt, code: 200, bytes: 48000, answer }),
  webSearch: (query: string, hits: { title: string; url: string }[]): Card =>
    card(
      'WebSearch',
      'search',
      { type: 'query', value: query },
      {
        type: 'web',
        kind: 'search',
        query,
        hits: hits.map((hit) => ({ ...hit, snippet: null })),
        answer: null,
      },
    ),
  agent: (description: string, over: Of<'subagent'> = {}): Card =>
    card(
      'Agent',
      'delegate',
      { type: 'phrase', value: description },
      {
        type: 'subagent',
        kind: null,
        description,
        prompt: '',
        report: null,
        duration: null,
        calls: null,
        tokens: null,
        ...over,
      },
    ),
  tasks: (over: Of<'tasks'>): Card => card('Tasks', 'track', { type: 'none' }, { type: 'tasks', list: null, before: null, one: null, ...over }),
  question: (answers: { [question: string]: string }): Card => {
    const questions = Object.keys(answers);
    return card(
      'Ask',
      'ask',
      { type: 'phrase', value: questions[0] ?? '' },
      {
        type: 'question',
        questions,
        answers: questions.map((question) => ({ question, answer: answers[question] ?? '', notes: null })),
        response: null,
      },
    );
  },
  plan: (text: string): Card => card('Plan', 'plan', { type: 'none' }, { type: 'plan', text }),
  skill: (name: string, text: string | null = null): Card =>
    card('Skill', 'use', { type: 'phrase', value: name }, { type: 'skill', name, arguments: null, text }),
  mcp: (server: string, tool: string, input: { [name: string]: string }): Card => {
    const all = Object.entries(input).map(([name, value]) => ({ name, value: { type: 'text' as const, value } }));
    return card(
      `${server}/${tool}`,
      'use',
      { type: 'arguments', value: all },
      { type: 'mcp', server, tool, serverTitle: null, toolTitle: null, arguments: all },
    );
  },
  generic: (title: string, verb: Verb, input: Of<'generic'>['input'], phrase?: string): Card =>
    card(title, verb, phrase === undefined ? { type: 'input', value: JSON.stringify(input) } : { type: 'phrase', value: phrase }, {
      type: 'generic',
      input: input ?? null,
      output: null,
    }),
};

// Builds the records of a made-up session for the gallery and the tests of the transcript.
import type { Record as Rec } from '../api/types';

const START = new Date(2026, 10, 15, 14, 5).getTime();

export class Script {
  readonly records: Rec[] = [];
  private at = START;
  private turn: number | null = null;
  private seq = 0;
  private calls = 0;
  private messages = 0;
  /** Id of the message that parallel calls belong to. */
  private shared: string | undefined;

  wait(seconds: number): this {
    this.at += seconds * 1000;
    return this;
  }
  record(what: object): this {
    this.records.push({ sessionId: 'gallery', epoch: 1, seq: (this.seq += 1), at: this.at, turn: this.turn, what: what as Rec['what'] });
    return this;
  }
  prompt(text: string, by = 'Phone'): this {
    return this.record({ type: 'sluice_prompt', uuid: `p${this.seq}`, text, images: [], state: 'delivered', by, device: by });
  }
  private message(content: object, parent: string | null, extra: object = {}): this {
    const id = this.shared ?? `m${(this.messages += 1)}`;
    return this.record({ type: 'assistant', message: { id, model: 'claude-opus-4-6', content: [content] }, parent_tool_use_id: parent, ...extra });
  }
  say(text: string, parent: string | null = null): this {
    return this.message({ type: 'text', text }, parent);
  }
  think(text: string): this {
    return this.message({ type: 'thinking', thinking: text, signature: 'x' }, null);
  }
  error(error: string, text: string): this {
    return this.record({
      type: 'assistant',
      error,
      message: { id: `m${(this.messages += 1)}`, model: '<synthetic>', content: [{ type: 'text', text }] },
      parent_tool_use_id: null,
    });
  }
  /** Starts a call and returns its id. */
  begin(name: string, input: object, parent: string | null = null): string {
    const id = `call${(this.calls += 1)}`;
    this.message({ type: 'tool_use', id, name, input }, parent);
    return id;
  }
  finish(id: string, content: unknown, structured?: unknown, error?: boolean, parent: string | null = null, extra: object = {}): this {
    return this.record({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...(error === undefined ? {} : { is_error: error }) }] },
      parent_tool_use_id: parent,
      tool_use_result: structured,
      ...extra,
    });
  }
  call(name: string, input: object, content: unknown, structured?: unknown, seconds = 1, parent: string | null = null): this {
    const id = this.begin(name, input, parent);
    return this.wait(seconds).finish(id, content, structured, undefined, parent);
  }
  fail(name: string, input: object, text: string, seconds = 1): this {
    const id = this.begin(name, input);
    return this.wait(seconds).finish(id, text, `Error: ${text}`, true);
  }
  together(work: (script: this) => void): this {
    this.shared = `m${(this.messages += 1)}`;
    work(this);
    this.shared = undefined;
    return this;
  }
  system(subtype: string, extra: object = {}): this {
    return this.record({ type: 'system', subtype, ...extra });
  }
  ask(toolUseId: string, outcome: string, extra: object = {}): this {
    return this.record({
      type: 'sluice_ask',
      ask: `a${this.seq}`,
      toolUseId,
      kind: 'tool',
      toolName: '',
      outcome,
      by: 'you',
      device: 'Phone',
      message: null,
      rules: [],
      destination: null,
      answers: null,
      changed: false,
      ...extra,
    });
  }
  end(total: number, seconds = 10, extra: object = {}): this {
    return this.record({
      type: 'result',
      subtype: 'success',
      is_error: false,
      duration_ms: seconds * 1000,
      total_cost_usd: total,
      usage: { input_tokens: 4000, cache_read_input_tokens: 44000, output_tokens: 3100 },
      ...extra,
    });
  }
}

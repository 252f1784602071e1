// The transcript of a session, built from its records and drafts. Independent of any user interface.
import type { Blob, Record as Rec } from '../../api/types';
import { Drafts, type DraftBlock } from './drafts';
import { finish } from './finish';
import {
  Break,
  CallItem,
  CommandItem,
  MarkItem,
  PromptItem,
  TextItem,
  ThinkingItem,
  Turn,
  UnknownItem,
  type Entry,
  type Item,
  type MarkFacts,
  type TaskFacts,
} from './items';
import { Changes, Observed } from './observed';
import { applyOwn, type TranscriptRecord } from './own';
import { applyResult } from './result';
import { applySystem } from './system';
import { applyUser } from './user';
import { fields, flag, heavy, list, num, str, textOf, type Fields, type Json } from './wire';

export interface Place {
  seq: number;
  at: number;
  turn: number | null;
}

/** Record types without a row in the transcript. */
const SILENT = new Set([
  'stream_event',
  'control_request',
  'control_response',
  'control_cancel_request',
  'keep_alive',
  'command_lifecycle',
  'transcript_mirror',
  'prompt_suggestion',
  'auth_status',
  'active_goal',
  'tool_use_summary',
  'streamlined_text',
  'streamlined_tool_use_summary',
  '$run',
  'sluice_title',
]);

export class Transcript extends Observed {
  readonly changes = new Changes();
  entries: Entry[] = [];
  /** Number of unknown messages, for the panel. */
  unknown = 0;
  /** Sequence number of the newest record. */
  seq = -1;
  readonly calls = new Map<string, CallItem>();
  readonly prompts = new Map<string, PromptItem>();
  readonly tasks = new Map<string, { call: CallItem | undefined; facts: TaskFacts }>();
  readonly drafts = new Drafts(this);
  /** A finished background task, which may be the origin of the next turn. */
  pendingOrigin: Turn['origin'];
  /** The turn that is running. */
  live: Turn | undefined;
  /** Total cost of the session in the last result, in US dollars. */
  lastTotal: number | undefined;
  private retry: MarkItem | undefined;
  private itemCount = 0;
  private readonly taskNames = new Map<string, string>();
  private lastAt = 0;
  /** Time of the record before the current one. */
  previousAt = 0;
  /** Lists created since the last notification; these may be modified in place. */
  private readonly fresh = new Set<readonly unknown[]>();

  /** Applies one or more records. */
  apply(records: Rec | readonly Rec[]): void {
    const all = Array.isArray(records) ? (records as readonly Rec[]) : [records as Rec];
    this.changes.run(() => {
      for (const record of all) this.applyRecord(record);
    });
    this.fresh.clear();
  }

  /** Inserts older records at the front. They are whole turns, as in the server's pages. */
  prepend(records: readonly Rec[]): void {
    if (records.length === 0) return;
    const older = new Transcript();
    older.apply(records);
    older.settle();
    for (const [id, call] of older.calls) if (!this.calls.has(id)) this.calls.set(id, call);
    for (const [id, task] of older.tasks) if (!this.tasks.has(id)) this.tasks.set(id, task);
    for (const [id, prompt] of older.prompts) if (!this.prompts.has(id)) this.prompts.set(id, prompt);
    const first = this.entries.find((entry): entry is Turn => entry.kind === 'turn' && entry.end !== undefined);
    if (first?.end?.totalCost !== undefined && older.lastTotal !== undefined && first.end.totalCost >= older.lastTotal) {
      first.end = { ...first.end, cost: first.end.totalCost - older.lastTotal };
      this.changes.add(first);
    }
    this.unknown += older.unknown;
    this.entries = [...older.entries, ...this.entries];
    this.changed();
  }

  /** Drops the turns before a record, like the store. */
  forget(before: number): void {
    const remaining = this.entries.filter((entry) => entry.seq >= before || entry === this.live);
    if (remaining.length === this.entries.length) return;
    this.entries = remaining;
    for (const [id, call] of this.calls) if (call.seq < before) this.calls.delete(id);
    for (const [id, prompt] of this.prompts) if (prompt.seq < before) this.prompts.delete(id);
    for (const [id, { call, facts }] of this.tasks) if (call && call.seq < before && facts.status !== 'running') this.tasks.delete(id);
    for (const turn of this.splits) if (turn.seq < before) this.splits.delete(turn);
    this.changed();
  }

  draft(block: DraftBlock): void {
    this.changes.run(() => this.drafts.set(block));
    this.fresh.clear();
  }
  appendDraft(message: string, parent: string | null, index: number, text: string): void {
    this.changes.run(() => this.drafts.append(message, parent, index, text));
  }
  dropDrafts(parent: string | null): void {
    this.changes.run(() => this.drafts.drop(parent));
  }

  /** Marks the list of entries, or the items of a turn, as changed. */
  changed(turn?: Turn): void {
    if (turn) this.changes.add(turn);
    this.changes.add(this);
  }

  private applyRecord({ seq, at, turn, what }: Rec): void {
    if (seq <= this.seq) return;
    this.seq = seq;
    this.previousAt = this.lastAt;
    this.lastAt = at;
    const place: Place = { seq, at, turn };
    const message = fields(what as unknown);
    const type = str(message['type']) ?? '';
    try {
      this.dispatch(type, message, what, place);
    } catch {
      // A record of unexpected shape is shown as unknown; the following ones are not affected.
      this.addUnknown(type || 'no type', what as unknown as Json, place);
    }
  }

  private dispatch(type: string, message: ReturnType<typeof fields>, what: Rec['what'], place: Place): void {
    const failed = type === 'assistant' && message['error'] !== undefined ? this.retry : undefined;
    if (type !== 'system') this.endRetry(failed !== undefined);
    switch (type) {
      case 'assistant':
        this.applyAssistant(message, place, failed);
        break;
      case 'user':
        applyUser(this, message, place);
        break;
      case 'result':
        applyResult(this, message, place);
        break;
      case 'system':
        applySystem(this, message, place);
        break;
      case 'rate_limit_event':
        this.applyLimit(fields(message['rate_limit_info']), place);
        break;
      case 'tool_progress':
        this.applyProgress(message);
        break;
      case 'conversation_reset':
        this.addBreak('cleared', place);
        break;
      case 'sluice_prompt':
      case 'sluice_ask':
      case 'sluice_process':
      case 'sluice_unfinished':
      case 'sluice_note':
        applyOwn(this, what as TranscriptRecord, place);
        break;
      default:
        if (!SILENT.has(type)) this.addUnknown(type || 'no type', what as unknown as Json, place);
    }
  }

  /** Returns the turn of a record; opens a new one if none is running. */
  turnFor(place: Place): Turn {
    const now = this.live;
    if (now && (place.turn === null || place.turn === now.n)) return now;
    if (place.turn !== null) {
      for (let i = this.entries.length - 1; i >= 0; i -= 1) {
        const entry = this.entries[i];
        if (entry?.kind !== 'turn') continue;
        if (entry.n === place.turn) return entry;
        if (entry.n < place.turn) break;
      }
    }
    return this.openTurn(place);
  }

  openTurn(place: Place): Turn {
    const last = this.entries.findLast((entry): entry is Turn => entry.kind === 'turn');
    const turn = new Turn(`t${place.seq}`, place.turn ?? (last ? last.n + 1 : 1), place.seq, place.at);
    if (this.live) this.settle();
    this.live = turn;
    this.entries = this.append(this.entries, turn);
    this.changed();
    return turn;
  }

  /** Appends an item to its turn; items of a subagent are appended to the call that started it. */
  add(item: Item, place: Place, parent?: string | null): void {
    const call = parent ? this.calls.get(parent) : undefined;
    if (call) {
      call.children = this.append(call.children, item);
      this.changes.add(call);
      return;
    }
    const turn = this.turnFor(place);
    turn.items = this.append(turn.items, item);
    this.changed(turn);
  }

  /** Appends to a list. Copies the list, so that observers see a change, unless it has not been published yet. */
  private append<T>(list: T[], one: T): T[] {
    if (this.fresh.has(list)) {
      list.push(one);
      return list;
    }
    const next = [...list, one];
    this.fresh.add(next);
    return next;
  }

  mark(facts: MarkFacts, place: Place, parent?: string | null): MarkItem {
    const item = new MarkItem(this.key(place), place.seq, place.at);
    item.facts = facts;
    this.add(item, place, parent);
    return item;
  }

  addBreak(what: Break['what'], place: Place): Break {
    const broken = new Break(this.key(place), what, place.seq, place.at);
    const turn = this.live;
    if (turn && turn.items.length === 0 && what === 'compacted') {
      // Before the first item of a turn: the turn continues below the break.
      this.entries = [...this.entries.filter((entry) => entry !== turn), broken, turn];
    } else if (turn && what !== 'cleared') {
      // A break inside a turn splits it: the following items belong to a second part of the same turn.
      const next = new Turn(`${turn.key}+${place.seq}`, turn.n, place.seq, place.at);
      this.entries = [...this.entries, broken, next];
      this.splits.add(turn);
      this.live = next;
      this.changes.add(turn);
    } else {
      // The command that cleared the conversation is above the break, and its result has not arrived yet.
      this.entries = [...this.entries, broken];
      if (what === 'cleared') {
        this.settle();
        this.lastTotal = undefined;
      }
    }
    this.changed();
    return broken;
  }
  /** Turns that continue below a break and so have no end. */
  readonly splits = new Set<Turn>();

  key(place: Place): string {
    this.itemCount += 1;
    return `${place.seq}.${this.itemCount}`;
  }

  addUnknown(type: string, raw: Json, place: Place): void {
    const item = new UnknownItem(this.key(place), place.seq, place.at);
    item.type = type;
    item.raw = raw;
    this.unknown += 1;
    this.add(item, place, str(fields(raw)['parent_tool_use_id']));
  }

  commandItem(name: string, output: string, failed: boolean, place: Place): CommandItem {
    const item = new CommandItem(this.key(place), place.seq, place.at);
    item.name = name.replace(/^\//, '');
    item.output = output;
    item.failed = failed;
    return item;
  }

  /** Completes the running turn: calls without a result will not get one. */
  settle(): void {
    const turn = this.live;
    if (!turn) return;
    const walk = (items: readonly Item[]) => {
      for (const item of items) {
        if ((item.kind === 'text' || item.kind === 'thinking') && item.streaming) {
          item.streaming = false;
          this.changes.add(item);
        }
        if (item.kind !== 'call') continue;
        if ((item.state === 'running' || item.state === 'drafting') && !item.task?.background) {
          item.state = 'cancelled';
          this.changes.add(item);
        }
        walk(item.children);
      }
    };
    walk(turn.items);
  }

  /** `failed`: the row of the retries that this error ends; it becomes the row of the error. */
  private applyAssistant(message: Fields, place: Place, failed?: MarkItem): void {
    const body = fields(message['message']);
    const id = str(body['id']) ?? '';
    const parent = str(message['parent_tool_use_id']);
    const error = str(message['error']);
    for (const block of list(body['content'])) {
      const one = fields(block);
      const type = str(one['type']);
      if (type === 'text') {
        const text = textOf(heavy(one['text']));
        if (error) {
          const facts: MarkFacts = { what: 'error', error, text, status: num(message['api_error_status']) };
          if (failed?.facts.what === 'retry') {
            failed.facts = { ...facts, tries: failed.facts.attempt };
            this.changes.add(failed);
          } else this.mark(facts, place, parent);
          continue;
        }
        if (text === '') {
          this.drafts.take(id, parent ?? null, 'text');
          continue;
        }
        const item = this.drafts.take(id, parent ?? null, 'text') ?? this.adopt(new TextItem(this.key(place), place.seq, place.at), place, parent);
        if (item.kind !== 'text') continue;
        Object.assign(item, {
          text,
          streaming: false,
          message: id,
          seq: place.seq,
          synthetic: body['model'] === '<synthetic>',
          aborted: flag(message['aborted']),
        });
        this.changes.add(item);
      } else if (type === 'thinking' || type === 'redacted_thinking') {
        const item = this.drafts.take(id, parent ?? null, 'thinking') ?? this.adopt(new ThinkingItem(this.key(place), place.seq, place.at), place, parent);
        if (item.kind !== 'thinking') continue;
        Object.assign(item, {
          text: textOf(heavy(one['thinking'])),
          streaming: false,
          message: id,
          seq: place.seq,
          redacted: type === 'redacted_thinking',
          began: item.began || this.previousAt || place.at,
          ended: place.at,
        });
        this.changes.add(item);
      } else if (type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use') {
        this.applyCall(one, message, id, parent, place);
      } else if (type?.endsWith('tool_result')) {
        this.finishCall(str(one['tool_use_id']) ?? '', one, one['content'], place);
      } else this.addUnknown(`assistant/${type ?? '?'}`, block, place);
    }
  }

  /** Adds an item and returns it. */
  adopt<I extends Item>(item: I, place: Place, parent: string | undefined): I {
    this.add(item, place, parent);
    return item;
  }

  private applyCall(block: Fields, message: Fields, messageId: string, parent: string | undefined, place: Place): void {
    const id = str(block['id']) ?? '';
    const known = this.calls.get(id);
    const call = known ?? new CallItem(this.key(place), place.seq, place.at);
    call.id = id;
    call.name = str(block['name']) ?? '';
    call.input = fields(block['input']);
    call.message = messageId;
    call.seq = place.seq;
    call.draft = '';
    if (call.state === 'drafting') {
      call.state = 'running';
      call.began = place.at;
    }
    const meta = list(message['tool_use_meta'])
      .map(fields)
      .find((one) => one['id'] === id);
    if (meta) call.shown = { server: str(meta['server_display_name']), tool: str(meta['display_name']) };
    const task = str(call.input['taskId']);
    if (task !== undefined) call.about = this.taskNames.get(task);
    this.drafts.forget(id);
    this.calls.set(id, call);
    if (known) this.changes.add(call);
    else this.add(call, place, parent);
  }

  finishCall(id: string, block: Fields, content: unknown, place: Place, outer: Fields = {}): CallItem | undefined {
    const call = this.calls.get(id);
    if (!call) return undefined;
    finish(call, block, content, place, outer);
    this.nameTasks(call);
    this.changes.add(call);
    return call;
  }

  /** Stores the names of tasks, since later calls contain only their numbers. */
  private nameTasks(call: CallItem): void {
    const result = fields(call.structured);
    for (const one of [result['task'], ...list(result['tasks'])]) {
      const id = str(fields(one)['id']);
      const subject = str(fields(one)['subject']);
      if (id !== undefined && subject !== undefined) this.taskNames.set(id, subject);
    }
  }

  private applyLimit(info: Fields, place: Place): void {
    const status = str(info['status']) ?? 'allowed';
    if (status === 'allowed') return;
    const resets = num(info['resetsAt']);
    const facts: MarkFacts = {
      what: 'limit',
      status,
      resets: resets === undefined ? undefined : resets * 1000,
      type: str(info['rateLimitType']),
      part: num(info['utilization']),
    };
    const last = this.live?.items.findLast((item) => item.kind === 'mark' && item.facts.what === 'limit');
    if (last?.kind === 'mark' && last.facts.what === 'limit' && last.facts.status === status) {
      last.facts = facts;
      this.changes.add(last);
      return;
    }
    this.mark(facts, place);
  }

  private applyProgress(message: Fields): void {
    const call = this.calls.get(str(message['parent_tool_use_id']) ?? '') ?? this.calls.get((str(message['tool_use_id']) ?? '').replace(/-heartbeat-\d+$/, ''));
    if (!call) return;
    call.elapsed = num(message['elapsed_time_seconds']);
    this.changes.add(call);
  }

  retrying(facts: Extract<MarkFacts, { what: 'retry' }>, place: Place): void {
    if (this.retry?.facts.what === 'retry') {
      this.retry.facts = facts;
      this.changes.add(this.retry);
      return;
    }
    this.retry = this.mark(facts, place);
  }

  /** The retry is over, successfully or not. */
  endRetry(failed = false): void {
    const mark = this.retry;
    if (mark?.facts.what !== 'retry') return;
    mark.facts = { ...mark.facts, over: true, failed };
    this.changes.add(mark);
    this.retry = undefined;
  }

  addPrompt(uuid: string, text: PromptItem['text'], images: readonly Blob[], place: Place, set?: (item: PromptItem) => void): PromptItem {
    const item = new PromptItem(this.key(place), place.seq, place.at);
    item.uuid = uuid;
    item.text = text;
    item.images = images.map((blob) => ({ mime: blob.mime, data: { $blob: blob }, bytes: blob.bytes }));
    set?.(item);
    if (uuid) this.prompts.set(uuid, item);
    const now = this.live;
    const joins = now !== undefined && (place.turn === null || place.turn === now.n);
    item.steered = joins && now.items.some((one) => one.kind !== 'prompt');
    if (!joins) this.turnFor(place);
    this.pendingOrigin = undefined;
    this.add(item, place);
    return item;
  }
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Record as Rec } from '../../api/types';
import { find, Rows, Transcript, type CallItem, type Item, type Turn } from '.';

let seq = 0;
const record = (what: object, turn: number | null = null, at = 1000 + seq): Rec => ({
  sessionId: 's',
  epoch: 1,
  seq: (seq += 1),
  at,
  turn,
  what: what as Rec['what'],
});
const prompt = (uuid: string, text: string) => ({ type: 'sluice_prompt', uuid, text, images: [], state: 'delivered', by: 'You', device: 'd' });
const assistant = (id: string, ...content: object[]) => ({ type: 'assistant', message: { id, model: 'm', content }, parent_tool_use_id: null });
const text = (value: string) => ({ type: 'text', text: value });
const call = (id: string, name: string, input: object = {}) => ({ type: 'tool_use', id, name, input });
const answered = (id: string, content: unknown, extra: object = {}, error?: boolean) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, ...(error === undefined ? {} : { is_error: error }) }] },
  parent_tool_use_id: null,
  ...extra,
});
const result = (extra: object = {}) => ({ type: 'result', subtype: 'success', is_error: false, duration_ms: 10, total_cost_usd: 0, usage: {}, ...extra });
const turns = (transcript: Transcript): Turn[] => transcript.entries.filter((entry): entry is Turn => entry.kind === 'turn');
const kinds = (items: readonly Item[]) => items.map((item) => item.kind);

function build(...whats: object[]): Transcript {
  const transcript = new Transcript();
  for (const what of whats) transcript.apply(record(what));
  return transcript;
}

test('a turn contains the prompt, messages, calls and its end', () => {
  const transcript = build(
    prompt('p1', 'hi'),
    { type: 'system', subtype: 'init' },
    assistant('m1', text('hello')),
    assistant('m1', call('c1', 'Bash', { command: 'ls' })),
    answered('c1', 'out', { tool_use_result: { stdout: 'out', stderr: '' } }, false),
    result({ total_cost_usd: 0.5 }),
  );
  const [turn] = turns(transcript);
  expect(kinds(turn?.items ?? [])).toEqual(['prompt', 'text', 'call']);
  expect((turn?.items[2] as CallItem | undefined)?.state).toBe('done');
  expect(turn?.end?.cost).toBe(0.5);
  expect(turn?.live).toBe(false);
});

test('a record of unexpected shape is shown as unknown, the following ones are not affected', () => {
  const { images: _, ...bare } = prompt('p1', 'hi');
  const transcript = build(
    bare,
    { type: 'sluice_prompt', uuid: 'p2', text: 'pictures that are none', images: [null], state: 'delivered', by: '', device: '' },
    assistant('m1', text('hello')),
    result(),
  );
  expect(turns(transcript).flatMap((turn) => kinds(turn.items))).toEqual(['prompt', 'unknown', 'text']);
});

test('the cost of a turn is the difference of the agent’s cumulative figures', () => {
  const transcript = build(
    prompt('a', '1'),
    result({ total_cost_usd: 0.5 }),
    prompt('b', '2'),
    result({ total_cost_usd: 0.75 }),
    prompt('c', '3'),
    result({ total_cost_usd: 0.1 }),
  );
  expect(turns(transcript).map((turn) => turn.end?.cost)).toEqual([0.5, 0.25, 0.1]);
});

test('a draft becomes the completed item and stays the same object', () => {
  const transcript = build(prompt('p', 'x'));
  transcript.draft({ message: 'm1', parent: null, index: 0, kind: 'text', text: 'Hel' });
  const item = turns(transcript)[0]?.items[1];
  transcript.appendDraft('m1', null, 0, 'lo');
  expect(item).toMatchObject({ kind: 'text', text: 'Hello', streaming: true });
  transcript.draft({ message: 'm1', parent: null, index: 1, kind: 'call', id: 'c1', name: 'Edit', text: '{"file' });
  const draft = turns(transcript)[0]?.items[2];
  transcript.apply(record(assistant('m1', text('Hello there'))));
  transcript.apply(record(assistant('m1', call('c1', 'Edit', { file_path: '/a' }))));
  expect(turns(transcript)[0]?.items).toEqual([expect.anything(), item, draft]);
  expect(item).toMatchObject({ text: 'Hello there', streaming: false });
  expect(draft).toMatchObject({ state: 'running', draft: '', input: { file_path: '/a' } });
});

test('a delta notifies the item only, not the list', () => {
  const transcript = build(prompt('p', 'x'));
  transcript.draft({ message: 'm1', parent: null, index: 0, kind: 'text', text: 'a' });
  let list = 0;
  let one = 0;
  transcript.watch(() => {
    list += 1;
  });
  turns(transcript)[0]?.watch(() => {
    list += 1;
  });
  turns(transcript)[0]?.items[1]?.watch(() => {
    one += 1;
  });
  transcript.appendDraft('m1', null, 0, 'b');
  expect([list, one]).toEqual([0, 1]);
});

test('removed drafts leave nothing behind', () => {
  const transcript = build(prompt('p', 'x'));
  transcript.draft({ message: 'm1', parent: null, index: 0, kind: 'thinking', text: 'hm' });
  transcript.dropDrafts(null);
  expect(kinds(turns(transcript)[0]?.items ?? [])).toEqual(['prompt']);
});

test('an unfinished message stays when the agent process ends', () => {
  const transcript = build(prompt('p', 'x'));
  transcript.draft({ message: 'm', parent: null, index: 0, kind: 'text', text: 'half a sent' });
  transcript.draft({ message: 'm', parent: null, index: 1, kind: 'call', id: 'c', name: 'Bash', text: '{"comm' });
  transcript.apply([
    {
      sessionId: 's',
      epoch: 1,
      seq: 99,
      at: 1,
      turn: null,
      what: { type: 'sluice_process', state: 'exited', code: null, signal: 9, stderr: [], reason: null, pid: 1 },
    },
  ]);
  const items = turns(transcript)[0]?.items ?? [];
  expect(kinds(items)).toEqual(['prompt', 'text', 'mark']);
  expect(items[1]).toMatchObject({ text: 'half a sent', streaming: false });
});

test('a recorded unfinished message is shown once and marked', () => {
  const transcript = build(prompt('p', 'x'));
  transcript.draft({ message: 'm', parent: null, index: 0, kind: 'text', text: 'half a' });
  const own = (seq: number, what: object) => ({ sessionId: 's', epoch: 1, seq, at: 1, turn: null, what }) as never;
  const unfinished = {
    type: 'sluice_unfinished',
    message: 'm',
    parent: null,
    blocks: [
      { kind: 'thinking', text: 'hm' },
      { kind: 'text', text: 'half a sent' },
    ],
  };
  transcript.apply([own(98, unfinished), own(99, { type: 'sluice_process', state: 'exited', code: null, signal: 9, stderr: [], reason: null, pid: 1 })]);
  const items = turns(transcript)[0]?.items ?? [];
  expect(kinds(items).sort()).toEqual(['mark', 'prompt', 'text', 'thinking']);
  expect(items.find((item) => item.kind === 'text')).toMatchObject({ text: 'half a sent', streaming: false, unfinished: true });
});

test('items of a subagent belong to its call', () => {
  const transcript = build(
    prompt('p', 'x'),
    assistant('m1', call('c1', 'Agent', { description: 'look' })),
    { ...assistant('m2', call('c2', 'Grep', { pattern: 'x' })), parent_tool_use_id: 'c1' },
    { ...answered('c2', 'hit'), parent_tool_use_id: 'c1' },
    answered('c1', [text('found')], { tool_use_result: { status: 'completed', totalToolUseCount: 1 } }),
  );
  const items = turns(transcript)[0]?.items ?? [];
  expect(kinds(items)).toEqual(['prompt', 'call']);
  expect((items[1] as CallItem).children.map((child) => (child as CallItem).name)).toEqual(['Grep']);
});

test('a turn started by a background task shows its origin', () => {
  const transcript = build(
    prompt('p', 'x'),
    assistant('m', call('c', 'Bash', { run_in_background: true })),
    { type: 'system', subtype: 'task_started', task_id: 't', tool_use_id: 'c', is_backgrounded: true, description: 'run' },
    answered('c', 'started', { tool_use_result: { backgroundTaskId: 't' } }),
    result(),
    { type: 'system', subtype: 'task_notification', task_id: 't', status: 'completed', summary: 'it ended' },
    { type: 'system', subtype: 'init' },
    assistant('m2', text('noted')),
    result(),
  );
  expect(turns(transcript)).toHaveLength(2);
  expect(turns(transcript)[1]?.origin).toMatchObject({ kind: 'task', text: 'it ended' });
  expect((turns(transcript)[0]?.items[1] as CallItem | undefined)?.state).toBe('done');
});

test('retries are one row that is marked as over', () => {
  const retry = (attempt: number) => ({
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: 10,
    retry_delay_ms: 500,
    error_status: 529,
    error: 'overloaded',
  });
  const transcript = build(prompt('p', 'x'), retry(1), retry(2), assistant('m', text('ok')));
  const marks = (turns(transcript)[0]?.items ?? []).filter((item) => item.kind === 'mark');
  expect(marks).toHaveLength(1);
  expect(marks[0]?.facts).toMatchObject({ what: 'retry', attempt: 2, over: true });
});

test('a compaction splits the turn and keeps the summary', () => {
  const transcript = build(
    prompt('p', 'x'),
    assistant('m', text('a')),
    { type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: 'auto', pre_tokens: 168000, post_tokens: 24000 } },
    { type: 'user', message: { content: 'This session is being continued from a previous conversation: sum' }, isSynthetic: true },
    assistant('m2', text('b')),
    result(),
  );
  expect(transcript.entries.map((entry) => entry.kind)).toEqual(['turn', 'break', 'turn']);
  expect(transcript.entries[1]).toMatchObject({ before: 168000, after: 24000, summary: expect.stringContaining('sum') });
  expect(new Rows().of(transcript).map((row) => row.kind)).toEqual(['prompt', 'item', 'break', 'item', 'end']);
});

test('an interrupted turn cancels its running calls', () => {
  const transcript = build(
    prompt('p', 'x'),
    assistant('m', call('c', 'Bash', { command: 'sleep 9' })),
    { type: 'user', message: { content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }] }, parent_tool_use_id: null },
    result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' }),
  );
  const turn = turns(transcript)[0];
  expect(kinds(turn?.items ?? [])).toEqual(['prompt', 'call', 'mark']);
  expect((turn?.items[1] as CallItem | undefined)?.state).toBe('cancelled');
  expect(turn?.end?.outcome).toBe('stopped');
});

test('a denied call shows who denied it', () => {
  const transcript = build(
    prompt('p', 'x'),
    assistant('m', call('c', 'Bash', { command: 'rm' })),
    {
      type: 'sluice_ask',
      ask: 'a',
      toolUseId: 'c',
      kind: 'tool',
      toolName: 'Bash',
      outcome: 'denied',
      by: 'You',
      device: 'Phone',
      message: 'keep it',
      rules: [],
      destination: null,
      answers: null,
      changed: false,
    },
    answered('c', "The user doesn't want to proceed", {}, true),
  );
  expect(turns(transcript)[0]?.items[1]).toMatchObject({ state: 'denied', denial: { by: 'user', reason: 'keep it' } });
});

test('prepending older records corrects the cost of the next turn', () => {
  const older = [record(prompt('a', '1'), 1), record(result({ total_cost_usd: 0.5 }), 1)];
  const newer = [record(prompt('b', '2'), 2), record(result({ total_cost_usd: 0.75 }), 2)];
  const transcript = new Transcript();
  transcript.apply(newer);
  transcript.prepend(older);
  expect(turns(transcript).map((turn) => [turn.n, turn.end?.cost])).toEqual([
    [1, 0.5],
    [2, 0.25],
  ]);
});

test('six read-only calls are one row after the turn, and parallel calls have a bracket', () => {
  const reads = Array.from({ length: 6 }, (_, i) => [assistant(`r${i}`, call(`r${i}`, 'Read', { file_path: '/a' })), answered(`r${i}`, 'x')]).flat();
  const transcript = build(prompt('p', 'x'), assistant('m', call('c1', 'Bash'), call('c2', 'Bash'), call('c3', 'Bash')), ...reads);
  const rows = new Rows();
  expect(rows.of(transcript).map((row) => row.bracket)).toEqual([
    undefined,
    'first',
    'middle',
    'last',
    ...reads.filter((_, i) => i % 2 === 0).map(() => undefined),
  ]);
  const first = rows.of(transcript)[1];
  transcript.apply(record(result()));
  expect(rows.of(transcript).map((row) => row.kind)).toEqual(['prompt', 'item', 'item', 'item', 'looked', 'end']);
  expect(rows.of(transcript)[1]).toBe(first);
});

test('unknown records are kept unchanged', () => {
  const transcript = build(prompt('p', 'x'), { type: 'system', subtype: 'brand_new', a: 1 }, { type: 'mystery' });
  expect(kinds(turns(transcript)[0]?.items ?? [])).toEqual(['prompt', 'unknown', 'unknown']);
  expect(transcript.unknown).toBe(2);
});

test('a duplicate record is ignored', () => {
  const transcript = new Transcript();
  const one = record(prompt('p', 'x'));
  transcript.apply([one, one]);
  expect(turns(transcript)).toHaveLength(1);
});

test('find goes over everything', () => {
  const transcript = build(
    prompt('p', 'Needle one'),
    assistant('m', text('no')),
    assistant('m2', call('c', 'Bash', { command: 'grep needle' })),
    answered('c', 'NEEDLE needle'),
    result(),
  );
  expect(find(new Rows().of(transcript), 'needle').map((hit) => hit.count)).toEqual([1, 3]);
});

/** Processor time in milliseconds, independent of other load on the machine. */
const spent = () => process.cpuUsage().user / 1000;

test('ten thousand messages are applied in well under a second', () => {
  const records: Rec[] = [];
  for (let turn = 1; turn <= 500; turn += 1) {
    records.push(record(prompt(`big${turn}`, 'go'), turn));
    for (let i = 0; i < 9; i += 1)
      records.push(record(assistant(`${turn}.${i}`, call(`${turn}.${i}`, 'Bash', { command: 'x' })), turn), record(answered(`${turn}.${i}`, 'out'), turn));
    records.push(record(result(), turn));
  }
  const transcript = new Transcript();
  const from = spent();
  transcript.apply(records);
  const rows = new Rows().of(transcript);
  expect(spent() - from).toBeLessThan(1000);
  expect(rows).toHaveLength(500 * 11);
});

test('retries that end in an error are one row with the number of attempts', () => {
  const retry = (attempt: number) => ({
    type: 'system',
    subtype: 'api_retry',
    error: 'server_error',
    error_status: 500,
    attempt,
    max_retries: 10,
    retry_delay_ms: 1,
  });
  const failed = { ...assistant('e', text('API Error: 500')), error: 'server_error', api_error_status: 500 };
  const transcript = build(prompt('p', 'go'), retry(1), retry(2), failed, result({ is_error: true, result: 'API Error: 500' }));
  const marks = turns(transcript)[0]?.items.flatMap((item) => (item.kind === 'mark' ? [item.facts] : []));
  expect(marks).toEqual([{ what: 'error', error: 'server_error', text: 'API Error: 500', status: 500, tries: 2 }]);
});

const RECORDINGS = join(import.meta.dirname, '../../../../../shared/wire/recordings');

/** All texts and calls in the transcript, including nested ones. */
function everything(transcript: Transcript): { texts: Set<string>; calls: Set<string> } {
  const texts = new Set<string>();
  const calls = new Set<string>();
  const walk = (items: readonly Item[]) => {
    for (const item of items) {
      if (item.kind === 'text') texts.add(item.text);
      if (item.kind === 'command') texts.add(item.output);
      if (item.kind === 'mark' && item.facts.what === 'error') texts.add(item.facts.text);
      if (item.kind === 'call') {
        calls.add(item.id);
        walk(item.children);
      }
    }
  };
  for (const row of new Rows().of(transcript)) {
    if (row.item) walk([row.item]);
    walk(row.items);
  }
  return { texts, calls };
}

test.skipIf(!existsSync(RECORDINGS))('nothing the recorded agents said or did is lost (skipped without ../shared)', () => {
  const lost: string[] = [];
  for (const version of readdirSync(RECORDINGS)) {
    for (const scenario of readdirSync(join(RECORDINGS, version))) {
      const file = join(RECORDINGS, version, scenario, 'stdout.ndjson');
      if (!existsSync(file)) continue;
      const transcript = new Transcript();
      const texts: string[] = [];
      const ids: string[] = [];
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        let what: { type?: string; message?: { content?: { type: string; text?: string; id?: string }[] } };
        try {
          what = JSON.parse(line) as typeof what;
        } catch {
          continue;
        }
        if (typeof what !== 'object' || what === null || Array.isArray(what)) continue;
        transcript.apply(record(what));
        if (what.type !== 'assistant') continue;
        for (const block of what.message?.content ?? []) {
          if (block.type === 'text' && block.text) texts.push(block.text);
          if (block.type === 'tool_use' && block.id) ids.push(block.id);
        }
      }
      const shown = everything(transcript);
      for (const one of texts) if (!shown.texts.has(one)) lost.push(`${version}/${scenario}: ${one}`);
      for (const id of ids) if (!shown.calls.has(id)) lost.push(`${version}/${scenario}: ${id}`);
    }
  }
  expect(lost).toEqual([]);
});

test('a compaction before the first item of a turn loses nothing', () => {
  const transcript = build(
    prompt('p', 'x'),
    assistant('m', text('a')),
    result(),
    { type: 'system', subtype: 'init' },
    { type: 'system', subtype: 'compact_boundary', compact_metadata: {} },
    assistant('m2', text('b')),
    result(),
  );
  expect(new Rows().of(transcript).map((row) => row.kind)).toEqual(['prompt', 'item', 'end', 'break', 'item', 'end']);
});

test('a turn that clears the conversation ends above the break', () => {
  const transcript = build(prompt('p', '/clear'), { type: 'system', subtype: 'init' }, { type: 'conversation_reset' }, result(), prompt('q', 'x'), result());
  expect(new Rows().of(transcript).map((row) => row.kind)).toEqual(['prompt', 'end', 'break', 'prompt', 'end']);
});

test('a call with a task number shows the name of the task', () => {
  const transcript = build(
    prompt('p', 'x'),
    assistant('m', call('a', 'TaskCreate', { subject: 'Fix it' })),
    answered('a', 'ok', { tool_use_result: { task: { id: '1', subject: 'Fix it' } } }),
    assistant('n', call('b', 'TaskUpdate', { taskId: '1', status: 'completed' })),
  );
  expect(turns(transcript)[0]?.items[2]).toMatchObject({ about: 'Fix it' });
});

test('a denial by a rule is not attributed to the user', () => {
  const transcript = build(
    prompt('p', 'x'),
    assistant('m', call('c', 'Read')),
    answered(
      'c',
      'File is in a directory that is denied',
      { tool_use_result: 'Error: x', tool_result_meta: [{ id: 'c', permission_decision: { decision: 'reject', source: 'user_reject', reason_type: 'rule' } }] },
      true,
    ),
  );
  expect(turns(transcript)[0]?.items[1]).toMatchObject({ state: 'denied', denial: { by: 'rule' } });
});

test('an interrupt is not a denial', () => {
  const transcript = build(
    prompt('p', 'x'),
    assistant('m', call('c', 'Bash')),
    answered(
      'c',
      "The user doesn't want to proceed with this tool use.",
      { tool_use_result: 'User rejected tool use', tool_result_meta: [{ id: 'c', non_execution_kind: 'user-rejected' }] },
      true,
    ),
    { type: 'user', message: { content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }] }, parent_tool_use_id: null },
  );
  expect(turns(transcript)[0]?.items.slice(1)).toMatchObject([{ state: 'cancelled' }, { facts: { what: 'stopped', calls: 1 } }]);
});

test.skipIf(!existsSync(RECORDINGS))('no message of the recorded versions is unknown (skipped without ../shared)', () => {
  const unknown = new Map<string, number>();
  let messages = 0;
  for (const version of readdirSync(RECORDINGS)) {
    for (const scenario of readdirSync(join(RECORDINGS, version))) {
      const file = join(RECORDINGS, version, scenario, 'stdout.ndjson');
      if (!existsSync(file)) continue;
      const transcript = new Transcript();
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        let what: unknown;
        try {
          what = JSON.parse(line);
        } catch {
          continue;
        }
        if (typeof what !== 'object' || what === null || Array.isArray(what)) continue;
        messages += 1;
        transcript.apply(record(what));
      }
      for (const row of new Rows().of(transcript)) if (row.item?.kind === 'unknown') unknown.set(row.item.type, (unknown.get(row.item.type) ?? 0) + 1);
    }
  }
  expect(messages).toBeGreaterThan(1000);
  expect([...unknown]).toEqual([]);
});

test('dropping old records removes them from the model and keeps the rest', () => {
  const transcript = new Transcript();
  const first = seq + 1;
  for (let n = 1; n <= 6; n += 1)
    transcript.apply(
      [prompt(`p${n}`, `part ${n}`), assistant(`m${n}`, call(`c${n}`, 'Bash', { command: 'ls' })), answered(`c${n}`, 'out'), result({ total_cost_usd: n })].map(
        (what) => record(what, n),
      ),
    );
  const builder = new Rows();
  const before = builder.of(transcript);
  const kept = turns(transcript).slice(4);
  transcript.forget(first + 16);
  expect(turns(transcript)).toEqual(kept);
  expect([...transcript.calls.keys()]).toEqual(['c5', 'c6']);
  expect([...transcript.prompts.keys()]).toEqual(['p5', 'p6']);
  const after = builder.of(transcript);
  expect(after.length).toBe(before.length / 3);
  expect(after.every((row, i) => row === before[before.length - after.length + i])).toBe(true);
  transcript.apply([record(prompt('p7', 'part 7'), 7), record(result({ total_cost_usd: 9 }), 7)]);
  expect(turns(transcript).at(-1)?.end?.cost).toBe(3);
});

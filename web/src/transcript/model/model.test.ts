import { expect, test } from 'vitest';
import type { Item, ItemBody, TurnOutcome } from '../../api/types';
import { make, Script } from '../../gallery/Script';
import { find, Rows, Transcript, type Turn } from '.';

const turns = (transcript: Transcript): Turn[] => transcript.entries.filter((entry): entry is Turn => entry.kind === 'turn');
const kinds = (transcript: Transcript) => new Rows().of(transcript).map((row) => (row.kind === 'item' ? row.cells[0]?.item.body.type : row.kind));
const shell = (command = 'ls') => ({ card: make.shell(command, { output: 'out' }) });
const read = { card: make.read('/a') };
const build = (work: (script: Script) => void): Transcript => {
  const script = new Script();
  work(script);
  return new Transcript(script.items);
};
const compaction: ItemBody = { type: 'compaction', manual: false, before: 168000, after: 24000, duration: null, summary: 'sum', error: null };

test('a turn contains the message, texts, calls and its end', () => {
  const transcript = build((s) => s.prompt('hi').say('hello').call(shell()).end(0.5));
  expect(kinds(transcript)).toEqual(['prompt', 'text', 'tool_call', 'end']);
  expect(turns(transcript).map((turn) => [turn.n, turn.live])).toEqual([[0, false]]);
});

test('the last turn is live until it has an end', () => {
  const script = new Script();
  script.prompt('hi').say('hello');
  const transcript = new Transcript(script.items);
  expect(turns(transcript)[0]?.live).toBe(true);
  script.end(0.1);
  transcript.apply(script.items.slice(-1));
  expect(turns(transcript)[0]?.live).toBe(false);
});

test('streamed text notifies its item only, not the list, and the item stays the same row', () => {
  const script = new Script();
  script.prompt('x');
  const id = script.add({ type: 'text', text: 'Hel', synthetic: false }, { status: 'streaming' });
  const transcript = new Transcript(script.items);
  const rows = new Rows();
  const before = rows.of(transcript);
  let list = 0;
  let one = 0;
  transcript.watch(() => {
    list += 1;
  });
  turns(transcript)[0]?.watch(() => {
    list += 1;
  });
  transcript.get(id)?.watch(() => {
    one += 1;
  });
  const item = script.items.at(-1) as Item;
  transcript.apply([{ ...item, body: { type: 'text', text: 'Hello', synthetic: false } }]);
  expect([list, one]).toEqual([0, 1]);
  transcript.apply([{ ...item, status: 'done', body: { type: 'text', text: 'Hello there', synthetic: false } }]);
  expect(rows.of(transcript).every((row, i) => row === before[i])).toBe(true);
  expect(transcript.get(id)?.as('text')?.text).toBe('Hello there');
});

test('removed items leave nothing behind', () => {
  const script = new Script();
  script.prompt('x');
  const id = script.add({ type: 'thinking', text: 'hm', duration: null, tokens: null }, { status: 'streaming' });
  const transcript = new Transcript(script.items);
  transcript.apply([], [id]);
  expect(kinds(transcript)).toEqual(['prompt']);
});

test('items of a subagent belong to its call, in order, however they arrive', () => {
  const script = new Script();
  script.prompt('x');
  const parent = script.begin({ card: make.agent('look') });
  script.call({ card: make.search('Grep', 'text', 'x', null, {}), parent });
  script.say('found', { parent });
  for (const items of [script.items, [...script.items].reverse()]) {
    const transcript = new Transcript();
    for (const item of items) transcript.apply([item]);
    expect(kinds(transcript)).toEqual(['prompt', 'tool_call']);
    expect(transcript.get(parent)?.children.map((child) => child.item.body.type)).toEqual(['tool_call', 'text']);
  }
});

test('items of a subagent whose call is not loaded are not shown', () => {
  const transcript = build((s) => s.prompt('x').say('inner', { parent: 99 }));
  expect(kinds(transcript)).toEqual(['prompt']);
});

test('a turn that no message started shows its origin instead of the end of the task', () => {
  const transcript = build((s) => {
    s.prompt('x').end(0.1);
    s.item({ type: 'task_end', task: 't', call: null, outcome: 'completed', subject: 'run', summary: 'it ended', output: null }, { turn: null });
    s.turn += 1;
    s.item({ type: 'turn_origin', kind: 'task', text: 'it ended', outcome: 'completed', task: 't' }).say('noted').end(0.1);
  });
  expect(kinds(transcript)).toEqual(['prompt', 'end', 'origin', 'text', 'end']);
  expect(turns(transcript)[1]?.origin).toMatchObject({ kind: 'task', text: 'it ended' });
});

test('the end of a task without a turn is a row', () => {
  const end: ItemBody = { type: 'task_end', task: 't', call: null, outcome: 'failed', subject: 'run', summary: 'it failed', output: null };
  const transcript = build((s) => s.prompt('x').end(0.1).item(end, { turn: null }));
  expect(kinds(transcript)).toEqual(['prompt', 'end', 'task_end']);
});

test('a compaction splits its turn', () => {
  const transcript = build((s) => s.prompt('x').say('a').item(compaction).say('b').end(0.1));
  expect(transcript.entries.map((entry) => entry.kind)).toEqual(['turn', 'break', 'turn']);
  expect(kinds(transcript)).toEqual(['prompt', 'text', 'break', 'text', 'end']);
  expect(turns(transcript).map((turn) => turn.n)).toEqual([0, 0]);
});

test('a compaction that runs has no row, one that failed is a mark', () => {
  expect(kinds(build((s) => s.prompt('x').item(compaction, { status: 'running' })))).toEqual(['prompt']);
  expect(kinds(build((s) => s.prompt('x').item({ ...compaction, error: 'too small' }, { status: 'failed' })))).toEqual(['prompt', 'compaction']);
});

test('a failed turn says why once', () => {
  const end = (s: Script, outcome: TurnOutcome) => {
    s.end(0);
    const item = s.items.at(-1);
    if (item?.body.type === 'turn_end') item.body.outcome = outcome;
  };
  expect(kinds(build((s) => end(s.prompt('x'), { type: 'max_turns' })))).toEqual(['prompt', 'error', 'end']);
  const error: ItemBody = { type: 'error', kind: 'server_error', text: '', status: 500, retries: 2 };
  expect(kinds(build((s) => end(s.prompt('x').item(error), { type: 'failed', reason: null })))).toEqual(['prompt', 'error', 'end']);
  expect(kinds(build((s) => end(s.prompt('x'), { type: 'stopped' })))).toEqual(['prompt', 'end']);
});

test('an end of the process is shown if it ended a turn or failed', () => {
  const exited = (over: object): ItemBody => ({
    type: 'process',
    change: 'exited',
    exit: { code: 0, signal: null },
    cause: 'retired',
    reason: null,
    stderr: [],
    ...over,
  });
  const between = (body: ItemBody) => kinds(build((s) => s.prompt('x').end(0).item(body, { turn: null })));
  expect(between(exited({}))).toEqual(['prompt', 'end']);
  expect(between(exited({ cause: 'crashed' }))).toEqual(['prompt', 'end', 'process']);
  expect(between({ type: 'process', change: 'started', resumed: true })).toEqual(['prompt', 'end']);
  expect(kinds(build((s) => s.prompt('x').item(exited({ cause: 'stopped' }))))).toEqual(['prompt', 'process']);
});

test('older items are put before the others', () => {
  const script = new Script();
  script.prompt('1').end(0.1).prompt('2').end(0.1);
  const transcript = new Transcript(script.items.slice(2));
  transcript.apply(script.items.slice(0, 2));
  expect(turns(transcript).map((turn) => turn.n)).toEqual([0, 1]);
});

test('six read-only calls are one row after the turn, and parallel calls have a bracket', () => {
  const script = new Script();
  script.prompt('x').together((s) => s.call(shell()).call(shell()).call(shell()));
  for (let i = 0; i < 6; i += 1) script.call(read);
  const transcript = new Transcript(script.items);
  const rows = new Rows();
  expect(rows.of(transcript).map((row) => row.bracket)).toEqual([undefined, 'first', 'middle', 'last', ...Array.from({ length: 6 }, () => undefined)]);
  const first = rows.of(transcript)[1];
  script.end(0.1);
  transcript.apply(script.items.slice(-1));
  expect(rows.of(transcript).map((row) => row.kind)).toEqual(['prompt', 'item', 'item', 'item', 'looked', 'end']);
  expect(rows.of(transcript)[1]).toBe(first);
});

test('find goes over everything', () => {
  const transcript = build((s) =>
    s
      .prompt('Needle one')
      .say('no')
      .call({ card: make.shell('grep needle', { output: 'NEEDLE' }), result: 'needle' })
      .end(0),
  );
  expect(find(new Rows().of(transcript), 'needle').map((hit) => hit.count)).toEqual([1, 4]);
});

/** Processor time in milliseconds, independent of other load on the machine. */
const spent = () => process.cpuUsage().user / 1000;

test('five thousand items are grouped in well under a second', () => {
  const script = new Script();
  for (let n = 0; n < 500; n += 1) {
    script.prompt('go');
    for (let i = 0; i < 9; i += 1) script.call(shell(`${n}.${i}`));
    script.end(0);
  }
  const from = spent();
  const rows = new Rows().of(new Transcript(script.items));
  expect(spent() - from).toBeLessThan(500);
  expect(rows).toHaveLength(500 * 11);
});

test('dropping old items removes them and keeps the rest as it was', () => {
  const script = new Script();
  for (let n = 0; n < 6; n += 1) script.prompt(`part ${n}`).call(shell()).end(0);
  const transcript = new Transcript(script.items);
  const builder = new Rows();
  const before = builder.of(transcript);
  const kept = turns(transcript).slice(4);
  transcript.apply(
    [],
    script.items.slice(0, 12).map((item) => item.id),
  );
  expect(turns(transcript)).toEqual(kept);
  const after = builder.of(transcript);
  expect(after.length).toBe(before.length / 3);
  expect(after.every((row, i) => row === before[before.length - after.length + i])).toBe(true);
});

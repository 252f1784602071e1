import { expect, test } from 'vitest';
import type { ToolCall } from '../../api/types';
import { allowed, denied, make, Script, type Made } from '../../gallery/Script';
import { Cell } from '../model';
import { summarise, textOfTarget, timeOf } from './summary';

function row(made: Made, device?: string) {
  const script = new Script();
  script.call(made);
  const item = script.items[0];
  if (item?.body.type !== 'tool_call') throw new Error('no call');
  const cell = new Cell(item);
  return { ...summarise(cell, item.body as ToolCall, device), time: timeOf(cell, item.body as ToolCall, 0) };
}

test('a row says what was called, on what, and how it went', () => {
  expect(row({ card: make.shell('ls', { output: 'x' }), seconds: 2 })).toMatchObject({ icon: 'bash', name: 'Bash', outcome: 'ok', time: '2 s' });
  expect(row({ card: make.shell('x', { exitCode: 3 }), status: 'failed' })).toMatchObject({ outcome: 'exit 3', tone: 'err' });
  expect(row({ card: make.read('/a', make.lines('a\nb', 142)) }).outcome).toBe('1–2 of 142');
  expect(row({ card: make.change('Edit', '/a', { hunks: [{ oldStart: 1, newStart: 1, lines: ['+a', '-b', ' c'] }] }) }).counts).toEqual({
    added: 1,
    removed: 1,
  });
  expect(row({ card: make.mcp('postgres', 'query', {}) }).target).toEqual({ kind: 'tool', server: 'postgres', tool: 'query' });
  expect(row({ card: make.generic('Frobnicate', 'use', { n: 1, target: 'the pool\nand more' }) }).target).toEqual({ kind: 'words', text: 'the pool' });
});

test('a row says who decided, and "you" for this device', () => {
  const edit = make.change('Edit', '/a', {});
  expect(row({ card: edit, over: { permission: allowed } }).by).toBe('allowed by you');
  expect(row({ card: edit, over: { permission: { ...allowed, by: { type: 'rule' } } } }).by).toBe('allowed by rule');
  expect(row({ card: make.read('/a'), over: { permission: { ...allowed, by: { type: 'rule' } } } }).by).toBeUndefined();
  const grace = { type: 'person' as const, sender: { name: 'Grace', device: 'd-2' } };
  expect(row({ card: edit, over: { permission: { ...allowed, by: grace, changedBy: grace } } }, 'd-1').by).toBe('changed and allowed by Grace');
  expect(row({ card: edit, status: 'denied', over: { permission: denied(grace, 'keep it') } }, 'd-2').outcome).toBe('denied by you: keep it');
  expect(row({ card: edit, status: 'denied', over: { permission: denied({ type: 'hook' }) } }).outcome).toBe('blocked by a hook');
});

test('a call that the model is still writing shows the first text of its input', () => {
  const written = (json: string) => row({ card: make.shell(''), status: 'streaming', over: { written: json } }).target;
  expect(written('{"comm')).toEqual({ kind: 'mono', text: '' });
  expect(written('{"command":"ls -l \\')).toEqual({ kind: 'mono', text: 'ls -l ' });
  expect(written('{"file_path":"/a\\"b\\u00')).toEqual({ kind: 'mono', text: '/a"b' });
});

test('a change of the task list is one sentence', () => {
  const line = (subject: string, status: 'pending' | 'in_progress' | 'completed' | null, id: string | null = null) => ({
    id,
    subject,
    active: null,
    status,
    after: [],
  });
  const words = (over: Parameters<typeof make.tasks>[0]) => textOfTarget(make.tasks(over));
  expect(words({ one: line('Look', 'completed', '1') })).toBe('Done: Look');
  expect(words({ one: line('Look', null) })).toBe('New: Look');
  expect(words({ list: [line('a', 'completed'), line('b', 'in_progress')], before: [line('a', 'completed'), line('b', 'pending')] })).toBe('Started: b');
});

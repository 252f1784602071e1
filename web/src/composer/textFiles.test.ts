import { expect, test } from 'vitest';
import { fenced, MAX_TEXT, readTextFile } from './textFiles';

test('the content of a file cannot close its code fence', () => {
  expect(fenced('notes.md', 'a\n```\nb\n```\n')).toBe('notes.md:\n````md\na\n```\nb\n```\n````\n');
  expect(fenced('LICENSE', 'MIT')).toBe('LICENSE:\n```\nMIT\n```\n');
});

test('binary and large files are refused', async () => {
  expect(await readTextFile(new Blob(['a line\n']))).toEqual({ text: 'a line\n' });
  expect(await readTextFile(new Blob([new Uint8Array([0xff, 0xfe, 0])]))).toEqual({ problem: 'binary' });
  expect(await readTextFile(new Blob(['a\0b']))).toEqual({ problem: 'binary' });
  expect(await readTextFile(new Blob(['x'.repeat(MAX_TEXT + 1)]))).toEqual({ problem: 'large' });
});

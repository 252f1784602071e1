import { expect, test } from 'vitest';
import { folderName, inWorktree } from './paths';

test('a worktree is shown by the name of its repository', () => {
  expect(folderName('/home/ada/tidepool/.claude/worktrees/session-12ab34cd')).toBe('tidepool');
  expect(folderName('/home/ada/tidepool/.claude/worktrees/session-12ab34cd/crates/pool')).toBe('tidepool');
  expect([folderName('/home/ada/tidepool/'), folderName('/'), folderName('/home/ada/tidepool/.claude')]).toEqual(['tidepool', '/', '.claude']);
});

test('recognises files inside a worktree', () => {
  expect(
    ['.claude/worktrees/session-1/README.md', '/a/.claude/worktrees', 'README.md', 'docs/worktrees/a.md', '.claude/worktrees-notes.md'].map(inWorktree),
  ).toEqual([true, true, false, false, false]);
});

import { expect, test } from 'vitest';
import type { AskInfo } from '../api/types';
import { briefOf } from './Needs';

const ask = (over: Partial<AskInfo>): AskInfo => ({ ask: 'a', kind: 'tool', toolName: 'Bash', toolUseId: null, agent: null, at: 1, request: {}, ...over });

test('only a command is all there is to read', () => {
  expect(briefOf(ask({ request: { input: { command: 'cargo test' } } }))).toMatchObject({ about: 'cargo test', whole: true });
  expect(briefOf(ask({ request: { input: { command: 'rm -r x' }, default_to_no: true } })).whole).toBe(false);
  expect(briefOf(ask({ toolName: 'Edit', request: { input: { file_path: 'a.rs' } } }))).toMatchObject({ about: 'a.rs', whole: false });
  expect(briefOf(ask({ kind: 'question', toolName: 'AskUserQuestion', request: { input: { questions: [{ question: 'Which?' }] } } })).about).toBe('Which?');
  expect(briefOf(ask({ kind: 'elicitation', toolName: 'x', request: { message: 'Sign in' } })).about).toBe('Sign in');
  expect(briefOf(ask({ request: {} }))).toMatchObject({ about: '', whole: false });
});

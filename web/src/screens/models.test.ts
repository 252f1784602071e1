import { expect, test } from 'vitest';
import { nameOf } from './models';

const MODELS = [
  { value: 'default', name: 'Default' },
  { value: 'opus', name: 'Opus' },
  { value: 'sonnet', name: 'Sonnet' },
  { value: 'haiku', name: 'Haiku 5.5' },
  { value: 'local/llama', name: 'Llama' },
];

test('a model has the name its agent announced, with the version of its id', () => {
  expect(nameOf('claude-opus-5-5', MODELS)).toBe('Opus 5.5');
  expect(nameOf('claude-opus-5', MODELS)).toBe('Opus 5');
  expect(nameOf('claude-sonnet-4-5-20250929', MODELS)).toBe('Sonnet 4.5');
  expect(nameOf('claude-3-5-sonnet-latest', MODELS)).toBe('Sonnet 3.5');
  expect(nameOf('claude-sonnet-4-5[1m]', MODELS)).toBe('Sonnet 4.5 [1m]');
  expect(nameOf('claude-haiku-5-5', MODELS)).toBe('Haiku 5.5');
  expect(nameOf('opus', MODELS)).toBe('Opus');
  expect(nameOf('local/llama', MODELS)).toBe('Llama');
});

test('an unknown model is shown by its id', () => {
  for (const id of ['claude-fable-5-2', 'gpt-oss', 'qwen3:8b', '', 'claude-', '<b>']) expect(nameOf(id, MODELS)).toBe(id);
  expect(nameOf('claude-opus-5-5', [])).toBe('claude-opus-5-5');
});

import { createSignal, type Accessor } from 'solid-js';
import { render } from 'solid-js/web';
import { afterEach, expect, test } from 'vitest';
import type { Asked as AskedFor } from '../screens/asked';
import { Asked } from './Pane';

let leave: (() => void) | undefined;
afterEach(() => leave?.());

function shown(latest: Accessor<string | undefined>, error: Accessor<unknown>): HTMLElement {
  const host = document.createElement('div');
  const of: AskedFor<string> = {
    get latest() {
      return latest();
    },
    get error() {
      return error();
    },
    loading: false,
  };
  leave = render(
    () => (
      <Asked of={of} again={() => undefined}>
        <input />
        <p>{latest()}</p>
      </Asked>
    ),
    host,
  );
  return host;
}

test('a form in a panel keeps its text while the panel is loaded again, and when that fails', () => {
  const [latest, setLatest] = createSignal<string | undefined>('one');
  const [error, setError] = createSignal<unknown>();
  const host = shown(latest, error);
  const input = host.querySelector('input') ?? expect.fail('no input');
  input.value = 'typed';
  setLatest('two');
  setError(new Error('no answer'));
  expect(host.querySelector('input')).toBe(input);
  expect([...host.querySelectorAll('p')].map((one) => one.textContent)).toContain('two');
  expect(host.textContent).toContain('no answer');
});

test('a panel without data shows that it is loading, or the error', () => {
  const [error, setError] = createSignal<unknown>();
  const host = shown(() => undefined, error);
  expect(host.querySelector('p')).not.toBeNull();
  expect(host.querySelector('button')).toBeNull();
  setError(new Error('no answer'));
  expect(host.querySelectorAll('button')).toHaveLength(1);
  expect(host.querySelector('input')).toBeNull();
});

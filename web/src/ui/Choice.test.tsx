import { createSignal } from 'solid-js';
import { render } from 'solid-js/web';
import { expect, test } from 'vitest';
import { Choices } from '../screens/Choices';
import { Checkbox, Select } from './Choice';

const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
] as const;

/** Renders a control, passes its host to `look`, and removes it afterwards. */
function shown(make: () => ReturnType<typeof Select>, look: (host: HTMLElement) => void): void {
  const host = document.createElement('div');
  document.body.append(host);
  const stop = render(make, host);
  try {
    look(host);
  } finally {
    stop();
    host.remove();
  }
}

test('a select shows another value only after its owner accepted it', () => {
  const [value, setValue] = createSignal<'a' | 'b'>('a');
  const wanted: string[] = [];
  shown(
    () => <Select value={value()} options={options} onChange={(next) => wanted.push(next)} />,
    (host) => {
      const select = host.querySelector('select') as HTMLSelectElement;
      const pick = () => {
        select.value = 'b';
        select.dispatchEvent(new Event('change', { bubbles: true }));
      };
      pick();
      expect([select.value, wanted]).toEqual(['a', ['b']]);
      setValue('b');
      expect(select.value).toBe('b');
    },
  );
});

test('a select shows the value at once if its owner accepts at once', () => {
  const [value, setValue] = createSignal<'a' | 'b'>('a');
  shown(
    () => <Select value={value()} options={options} onChange={setValue} />,
    (host) => {
      const select = host.querySelector('select') as HTMLSelectElement;
      select.value = 'b';
      select.dispatchEvent(new Event('change', { bubbles: true }));
      expect(select.value).toBe('b');
    },
  );
});

test('a checkbox is controlled by its owner', () => {
  const wanted: boolean[] = [];
  shown(
    () => (
      <Checkbox checked={false} onChange={(on) => wanted.push(on)}>
        on
      </Checkbox>
    ),
    (host) => {
      const input = host.querySelector('input') as HTMLInputElement;
      input.checked = true;
      input.dispatchEvent(new Event('change', { bubbles: true }));
      expect([input.checked, wanted]).toEqual([false, [true]]);
    },
  );
});

test('radio buttons are controlled by their owner', () => {
  const [value, setValue] = createSignal<'a' | 'b'>('a');
  let accepts = false;
  shown(
    () => (
      <Choices
        label="Letters"
        value={value()}
        options={options}
        onChange={(next) => {
          if (accepts) setValue(next);
        }}
      />
    ),
    (host) => {
      const inputs = [...host.querySelectorAll('input')];
      const pick = () => {
        const last = inputs[1] as HTMLInputElement;
        last.checked = true;
        last.dispatchEvent(new Event('change', { bubbles: true }));
        return inputs.map((input) => input.checked);
      };
      expect(pick()).toEqual([true, false]);
      accepts = true;
      expect(pick()).toEqual([false, true]);
    },
  );
});

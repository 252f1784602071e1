import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tooltip } from './Tooltip';

/** Popovers as in Chromium 156: showing one while another is being shown is an error. */
let showing = false;
let shown: Element[] = [];
let during: () => void = () => undefined;

function showPopover(this: HTMLElement): void {
  if (showing) throw new DOMException('Invalid to show a popover during another show operation', 'InvalidStateError');
  showing = true;
  try {
    during();
  } finally {
    showing = false;
    during = () => undefined;
  }
  shown.push(this);
}

function anchor(): HTMLButtonElement {
  const button = document.createElement('button');
  document.body.append(button);
  // As after a key press; happy-dom does not support this state.
  button.matches = ((selector: string): boolean => selector === ':focus-visible') as typeof button.matches;
  tooltip(button, () => 'Label');
  return button;
}

beforeEach(() => {
  vi.useFakeTimers();
  HTMLElement.prototype.showPopover = showPopover as typeof HTMLElement.prototype.showPopover;
  shown = [];
});
afterEach(() => {
  vi.useRealTimers();
  for (const one of document.querySelectorAll('button')) one.remove();
});

test('a button that is focused while a menu opens shows no tooltip', () => {
  const button = anchor();
  const menu = document.createElement('div');
  const failures: unknown[] = [];
  document.body.append(menu);
  during = () => {
    try {
      button.dispatchEvent(new FocusEvent('focus'));
    } catch (error) {
      failures.push(error);
    }
  };
  menu.showPopover();
  expect(failures).toEqual([]);
  expect(shown.at(-1)).toBe(menu);
  vi.runAllTimers();
  expect(shown.at(-1)?.textContent).toBe('Label');
});

test('a button that loses the focus at once shows no tooltip', () => {
  const button = anchor();
  button.focus();
  button.blur();
  vi.runAllTimers();
  expect(shown).toEqual([]);
});

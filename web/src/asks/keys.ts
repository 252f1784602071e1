// Keys of the request that is shown, inside it and elsewhere on the page.
import { createSignal, onCleanup, onMount, type Accessor } from 'solid-js';
import type { Guard } from '../gate/rules';
import { focusNow, writesNow } from '../gate/typing';
import type { AskKeys } from './context';

/** The request that the keys act on. */
export interface KeyTarget {
  /** The actions of the form; null until it is rendered. */
  readonly keys: () => AskKeys | null;
  readonly guard: Guard;
  /** The device may answer now. */
  readonly may: () => boolean;
  /** The request can be reached from elsewhere on the page, and does not have the focus. */
  readonly reachable: () => boolean;
  readonly enter: () => void;
  readonly fold: () => void;
}

const MODIFIERS = ['Tab', 'Shift', 'Control', 'Alt', 'Meta'];

const plain = (event: KeyboardEvent): boolean => !event.ctrlKey && !event.metaKey && !event.altKey;
const digitOf = (event: KeyboardEvent): number | null => (/^[1-9]$/.test(event.key) && plain(event) && !event.repeat ? Number(event.key) : null);
const submits = (event: KeyboardEvent): boolean => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat;

const isTyped = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement ||
  (target instanceof HTMLInputElement && !['checkbox', 'radio'].includes(target.type));

/** The keys of the form that is rendered. `guard` starts with each form: before that, no key can be meant for the request. */
export function createFormKeys(guard: Guard): { keys: () => AskKeys | null; formed: Accessor<boolean>; setKeys: (keys: AskKeys | null) => void } {
  let keys: AskKeys | null = null;
  const [formed, setFormed] = createSignal(false);
  const setKeys = (next: AskKeys | null) => {
    keys = next;
    setFormed(next !== null);
    if (next) guard.restart(performance.now());
  };
  return { keys: () => keys, formed, setKeys };
}

/** A key inside the request. */
export function onAskKey(event: KeyboardEvent, target: KeyTarget): void {
  if (event.isComposing) return;
  // Ignores keys that were pressed for something else.
  if (!MODIFIERS.includes(event.key) && !target.guard.accept(performance.now())) {
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  if (submits(event)) {
    event.preventDefault();
    if (target.may()) target.keys()?.primary();
    return;
  }
  if (isTyped(event.target)) return;
  const digit = digitOf(event);
  const choose = target.keys()?.digit;
  if (digit !== null && choose && target.may()) {
    event.preventDefault();
    choose(digit);
  } else if (plain(event) && event.key.toLowerCase() === 'z') {
    event.preventDefault();
    target.fold();
  }
}

/** Handles the keys of the request that are pressed elsewhere on the page. */
export function listenForAsk(target: KeyTarget): void {
  onMount(() => {
    const onKey = (event: KeyboardEvent) => onPageKey(event, target);
    document.addEventListener('keydown', onKey);
    onCleanup(() => document.removeEventListener('keydown', onKey));
  });
}

/** A key elsewhere on the page: a digit chooses an option, Ctrl Enter moves the focus to the request. */
function onPageKey(event: KeyboardEvent, target: KeyTarget): void {
  if (event.defaultPrevented || event.isComposing || !target.may() || !target.reachable()) return;
  if (document.querySelector('dialog[open], [popover]:popover-open:not(.tip)') !== null) return;
  const digit = digitOf(event);
  if (digit !== null && target.keys()?.digit && !writesNow()) {
    event.preventDefault();
    target.enter();
    if (target.guard.accept(performance.now())) queueMicrotask(() => target.keys()?.digit?.(digit));
  } else if (submits(event) && !focusNow().text) {
    event.preventDefault();
    target.guard.restart(performance.now());
    target.enter();
  }
}

/** Calls `act` when a finger pulls the head of the request down. */
export function onPull(down: PointerEvent, act: () => void): void {
  if (down.pointerType !== 'touch') return;
  const end = (up: PointerEvent) => {
    if (up.type === 'pointerup' && up.clientY - down.clientY > 40) act();
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', end);
  };
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
}

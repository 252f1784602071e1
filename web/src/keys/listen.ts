// One key listener for the whole page. Components register handlers while they are mounted; the latest is called first.
// Keys typed into a field belong to the field.
import { onCleanup } from 'solid-js';
import { press, reader, takenAway, type Action } from './keymap';

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a result has handled the key
type Handler = (event: KeyboardEvent) => boolean | void;
const handlers = new Map<Action, Handler[]>();

/** Registers handlers while the component is mounted. A handler that returns false passes the key on. */
export function useKeys(does: Partial<Record<Action, Handler>>): void {
  const mine = Object.entries(does) as [Action, Handler][];
  for (const [action, handler] of mine) handlers.set(action, [...(handlers.get(action) ?? []), handler]);
  onCleanup(() => {
    for (const [action, handler] of mine)
      handlers.set(
        action,
        (handlers.get(action) ?? []).filter((one) => one !== handler),
      );
  });
}

/** Performs an action as if its key had been pressed. */
export function perform(action: Action, event: KeyboardEvent = new KeyboardEvent('keydown')): boolean {
  for (const handler of [...(handlers.get(action) ?? [])].reverse()) if (handler(event) !== false) return true;
  return false;
}

const writes = (target: EventTarget | null): boolean => {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range', 'color', 'file'].includes(target.type);
};

/** Keys that also work in a field: those with a modifier, and function keys. */
const beyondFields = (key: string): boolean => /^(Ctrl|Alt)\+|^(Shift\+)?F\d/.test(key);

let paused = 0;
/** Disables all shortcuts while a key is being recorded. */
export function pauseKeys(): () => void {
  paused += 1;
  let once = true;
  return () => {
    if (once) paused -= 1;
    once = false;
  };
}

export function listenKeys(target: Document = document): () => void {
  const read = reader((id) => (handlers.get(id)?.length ?? 0) > 0);
  // A key whose action was rebound must do nothing, even where a component handles it itself.
  const early = (event: KeyboardEvent) => {
    const key = press(event);
    if (!key || !event.isTrusted || paused || writes(event.target) || !takenAway(key)) return;
    event.stopPropagation();
    down(event);
  };
  const down = (event: KeyboardEvent) => {
    // Only real presses: components forward synthetic events to each other.
    if (!event.isTrusted || paused || event.defaultPrevented || event.isComposing || event.repeat) return;
    const key = press(event);
    if (!key) return;
    if (writes(event.target) && !beyondFields(key)) return;
    // A modal dialog handles its own keys.
    if (document.querySelector('dialog[open]:modal') && !beyondFields(key)) return;
    const action = read(key, event.timeStamp);
    if (!action || action === 'more') return;
    if (perform(action, event)) event.preventDefault();
  };
  target.addEventListener('keydown', early, true);
  target.addEventListener('keydown', down);
  return () => {
    target.removeEventListener('keydown', early, true);
    target.removeEventListener('keydown', down);
  };
}

// One listener for the whole page. Screens say what they do for an action while they are there;
// the one that came last answers first. Keys typed into a field belong to the field.
import { onCleanup } from 'solid-js';
import { press, reader, takenAway, type Action } from './keymap';

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a result has handled the key
type Handler = (event: KeyboardEvent) => boolean | void;
const handlers = new Map<Action, Handler[]>();

/** Does these while the component is there. A handler that returns false leaves the key to others. */
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

/** Does an action as if its key had been pressed. */
export function perform(action: Action, event: KeyboardEvent = new KeyboardEvent('keydown')): boolean {
  for (const handler of [...(handlers.get(action) ?? [])].reverse()) if (handler(event) !== false) return true;
  return false;
}

const writes = (target: EventTarget | null): boolean => {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range', 'color', 'file'].includes(target.type);
};

/** Keys that mean something in a field too: with a modifier, or a function key. */
const beyondFields = (key: string): boolean => /^(Ctrl|Alt)\+|^(Shift\+)?F\d/.test(key);

let paused = 0;
/** While something records keys, none of them does anything. */
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
  // A key that was taken from its action does nothing there any more, also where a component would answer it.
  const early = (event: KeyboardEvent) => {
    const key = press(event);
    if (!key || !event.isTrusted || paused || writes(event.target) || !takenAway(key)) return;
    event.stopPropagation();
    down(event);
  };
  const down = (event: KeyboardEvent) => {
    // Only what a person pressed: components pass keys on to one another.
    if (!event.isTrusted || paused || event.defaultPrevented || event.isComposing || event.repeat) return;
    const key = press(event);
    if (!key) return;
    if (writes(event.target) && !beyondFields(key)) return;
    // A dialog that covers the page has its own keys.
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

// Keyboard shortcuts and the user's changes to them. A binding is a list of presses ("Ctrl+K", or "G" then "A");
// changes are stored in the browser. `Ctrl` is the command key on a Mac.
import { createSignal } from 'solid-js';

export type Place = 'anywhere' | 'transcript' | 'ask' | 'box' | 'changes';
export type Action = (typeof actions)[number]['id'];
type Definition = { readonly id: string; readonly place: Place; readonly keys: readonly string[]; readonly fixed?: true };

/** All actions, in the order of the Keys page. `fixed` ones follow the rules of Escape and Enter. */
export const actions = [
  { id: 'palette', place: 'anywhere', keys: ['Ctrl+K'] },
  { id: 'search', place: 'anywhere', keys: ['/'] },
  { id: 'ask', place: 'anywhere', keys: ['A'] },
  { id: 'nextNeed', place: 'anywhere', keys: ['G', 'A'] },
  { id: 'goSessions', place: 'anywhere', keys: ['G', 'S'] },
  { id: 'new', place: 'anywhere', keys: ['N'] },
  { id: 'panel', place: 'anywhere', keys: ['\\'] },
  { id: 'box', place: 'anywhere', keys: ['I'] },
  { id: 'region', place: 'anywhere', keys: ['F6'] },
  { id: 'regionBack', place: 'anywhere', keys: ['Shift+F6'] },
  { id: 'nextSide', place: 'anywhere', keys: ['Alt+PageDown'] },
  { id: 'previousSide', place: 'anywhere', keys: ['Alt+PageUp'] },
  { id: 'keys', place: 'anywhere', keys: ['?'] },
  { id: 'next', place: 'transcript', keys: ['J'] },
  { id: 'previous', place: 'transcript', keys: ['K'] },
  { id: 'toggle', place: 'transcript', keys: ['Enter'], fixed: true },
  { id: 'foldAll', place: 'transcript', keys: ['Shift+Z'] },
  { id: 'now', place: 'transcript', keys: ['End'], fixed: true },
  { id: 'find', place: 'transcript', keys: ['Ctrl+F'] },
  { id: 'allow', place: 'ask', keys: ['Ctrl+Enter'], fixed: true },
  { id: 'deny', place: 'ask', keys: ['Escape'], fixed: true },
  { id: 'denyStop', place: 'ask', keys: ['Shift+Escape'], fixed: true },
  { id: 'fold', place: 'ask', keys: ['Z'], fixed: true },
  { id: 'send', place: 'box', keys: ['Enter'], fixed: true },
  { id: 'steer', place: 'box', keys: ['Ctrl+Enter'], fixed: true },
  { id: 'line', place: 'box', keys: ['Shift+Enter'], fixed: true },
  { id: 'earlier', place: 'box', keys: ['ArrowUp'], fixed: true },
  { id: 'stop', place: 'box', keys: ['Escape'], fixed: true },
  { id: 'nextHunk', place: 'changes', keys: ['N'] },
  { id: 'previousHunk', place: 'changes', keys: ['P'] },
] as const satisfies readonly Definition[];

export const definition = (id: Action): Definition => actions.find((one) => one.id === id) as Definition;
export const places: readonly Place[] = ['anywhere', 'transcript', 'ask', 'box', 'changes'];

const STORE = 'sluice.keys';

function stored(): Partial<Record<Action, readonly string[]>> {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(STORE) ?? '{}');
    if (typeof read !== 'object' || read === null) return {};
    const known = new Set<string>(actions.map((one) => one.id));
    return Object.fromEntries(
      Object.entries(read).filter(([id, keys]) => known.has(id) && Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === 'string')),
    );
  } catch {
    return {};
  }
}

const [changed, setChanged] = createSignal(stored());
const keep = (next: Partial<Record<Action, readonly string[]>>) => {
  setChanged(next);
  try {
    localStorage.setItem(STORE, JSON.stringify(next));
  } catch {
    // Without storage, the binding applies until the page is closed.
  }
};

export const keysOf = (id: Action): readonly string[] => changed()[id] ?? definition(id).keys;
export const isChanged = (id?: Action): boolean => (id ? changed()[id] !== undefined : Object.keys(changed()).length > 0);
/** True if a key was the only one of an action that now has other keys. */
export const takenAway = (key: string): boolean => actions.some((one) => isChanged(one.id) && one.keys.length === 1 && one.keys[0] === key);
export const rebind = (id: Action, keys: readonly string[]): void => keep({ ...changed(), [id]: keys });
export const reset = (id?: Action): void => {
  const { [id as Action]: _, ...rest } = changed();
  keep(id ? rest : {});
};

/** The press of a keyboard event: modifiers in a fixed order, then the key. Null for a modifier alone. */
export function press(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string | null {
  const key = event.key;
  if (!key || ['Control', 'Meta', 'Alt', 'Shift', 'AltGraph', 'CapsLock', 'Dead', 'Process', 'Unidentified'].includes(key)) return null;
  const letter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  const parts: string[] = [];
  if (event.ctrlKey || event.metaKey) parts.push('Ctrl');
  if (event.altKey) parts.push('Alt');
  // A character such as ? implies Shift.
  if (event.shiftKey && (letter || key.length > 1)) parts.push('Shift');
  parts.push(key === ' ' ? 'Space' : letter ? key.toUpperCase() : key);
  return parts.join('+');
}

const within = (a: Place, b: Place): boolean => a === b || a === 'anywhere' || b === 'anywhere';
const begins = (a: readonly string[], b: readonly string[]): boolean => a.every((key, i) => b[i] === key);

/** Returns another action on the same screen that these keys would trigger or block. */
export function clash(id: Action, keys: readonly string[]): Action | null {
  const place = definition(id).place;
  const other = actions.find((one) => {
    if (one.id === id || !within(one.place, place)) return false;
    const theirs = keysOf(one.id);
    return begins(theirs, keys) || begins(keys, theirs);
  });
  return other?.id ?? null;
}

/** Reads a sequence of presses. Returns the action that they complete, or that more presses may follow. */
export function reader(allowed: (id: Action) => boolean = () => true, patience = 1200) {
  let soFar: string[] = [];
  let last = 0;
  return (key: string, now: number): Action | 'more' | null => {
    if (now - last > patience) soFar = [];
    last = now;
    for (const tried of soFar.length ? [[...soFar, key], [key]] : [[key]]) {
      const match = actions.filter((one) => !('fixed' in one) && allowed(one.id) && begins(tried, keysOf(one.id)));
      // Keys of the current screen take precedence over global ones: N is the next hunk in Changes.
      const whole = match.findLast((one) => keysOf(one.id).length === tried.length);
      if (whole) {
        soFar = [];
        return whole.id;
      }
      if (match.length) {
        soFar = tried;
        return 'more';
      }
    }
    soFar = [];
    return null;
  };
}

const mac = typeof navigator !== 'undefined' && /Mac|iP(hone|ad)/.test(navigator.platform);
const NAMES: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Ctrl: mac ? '⌘' : 'Ctrl',
  Enter: '⏎',
  PageDown: 'Page ↓',
  PageUp: 'Page ↑',
};

/** The key caps of a binding, for `<kbd>`. */
export const caps = (keys: readonly string[]): string[] =>
  keys.flatMap((key) => (key === '+' ? ['+'] : key.split(/\+(?!$)/).map((part) => NAMES[part] ?? part)));
export const capsOf = (id: Action): string => caps(keysOf(id)).join(' ');
/** The value for `aria-keyshortcuts`. */
export const ariaKeys = (id: Action): string =>
  keysOf(id)
    .map((key) => key.replace('Ctrl', 'Control'))
    .join(' ');

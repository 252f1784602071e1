// Rules of keys and focus for the gate, as pure functions that are tested separately.

/** Milliseconds after a request appeared during which keys are ignored. */
export const KEY_GUARD = 350;
/** Milliseconds after typing during which a field keeps the focus. */
export const TYPING_TIMEOUT = 2_000;

/** Ignores stray keys: a key that was meant for something else when the request appeared, and the rest of its burst. */
export class Guard {
  private until: number;
  constructor(appeared: number) {
    this.until = appeared + KEY_GUARD;
  }
  /** Starts the waiting time again, for another request. */
  restart(now: number): void {
    this.until = now + KEY_GUARD;
  }
  /** Returns whether a key pressed now counts. If not, the waiting time starts again. */
  accept(now: number): boolean {
    if (now >= this.until) return true;
    this.until = now + KEY_GUARD;
    return false;
  }
  /** The same for pointer presses, which do not restart the waiting time. */
  open(now: number): boolean {
    return now >= this.until;
  }
}

export interface EscapeSituation {
  /** A menu or dialog covers the page and handles Escape. */
  covered: boolean;
  /** The key was pressed in a field outside the dock, such as a search field. */
  elsewhere: boolean;
  /** The message box has the focus and contains text. */
  textInBox: boolean;
  ask: { focused: boolean; alone: boolean; folded: boolean; mayDecide: boolean } | null;
  /** A turn is running that can be interrupted. */
  running: boolean;
  shift: boolean;
}
export type EscapeStep = 'none' | 'clear' | 'deny' | 'deny-stop' | 'interrupt';

/** Returns the first step that applies; one press is one step. */
export function escapeStep(s: EscapeSituation): EscapeStep {
  if (s.covered || s.elsewhere) return 'none';
  if (s.textInBox && !s.shift) return 'clear';
  if (s.ask) {
    if (!s.ask.mayDecide) return 'none';
    if (s.ask.focused || (s.ask.alone && !s.ask.folded)) return s.shift ? 'deny-stop' : 'deny';
    return 'none';
  }
  return s.running ? 'interrupt' : 'none';
}

export interface FocusSituation {
  /** The kind of element that has the focus. */
  active: 'nothing' | 'field' | 'control';
  /** The field contains text. */
  text: boolean;
  /** Milliseconds since the last input in the field; null if there was none. */
  typed: number | null;
  /** The request belongs to the session that has the focus. */
  here: boolean;
}

/** Whether a new request may take the focus. The focus goes to the dialog, never to a button. */
export function mayTakeFocus(s: FocusSituation): boolean {
  if (!s.here) return false;
  if (s.active !== 'field') return true;
  return !s.text && (s.typed === null || s.typed > TYPING_TIMEOUT);
}

export interface EnterSituation {
  phone: boolean;
  /** Setting: Enter inserts a line break. */
  enterIsLine: boolean;
  composing: boolean;
  shift: boolean;
  ctrl: boolean;
  running: boolean;
}
export type EnterStep = 'line' | 'send' | 'steer' | 'none';

/** Returns what Enter does in the message box. */
export function enterStep(s: EnterSituation): EnterStep {
  if (s.composing) return 'none';
  if (s.ctrl) return s.running ? 'steer' : 'send';
  if (s.shift || s.phone || s.enterIsLine) return 'line';
  return 'send';
}

/** Returns what the submit button of the message box does. */
export function sendWord(s: { connected: boolean; started: boolean; busy: boolean }): 'keep' | 'start' | 'queue' | 'send' {
  if (!s.connected) return 'keep';
  if (!s.started) return 'start';
  return s.busy ? 'queue' : 'send';
}

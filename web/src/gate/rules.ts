// Rules of keys and focus around the gate, apart from any component, so that they can be tested one by one.

/** Keys are ignored for this long after an ask appears. */
export const GUARD = 350;
/** A field that was typed in within this long keeps the focus. */
export const TYPED = 2_000;

/** No stray key decides: what was meant for something else when the ask appeared is ignored, and so is the rest of a burst. */
export class Guard {
  private until: number;
  constructor(appeared: number) {
    this.until = appeared + GUARD;
  }
  /** Whether a key pressed now counts. One that does not starts the wait again. */
  accept(now: number): boolean {
    if (now >= this.until) return true;
    this.until = now + GUARD;
    return false;
  }
  /** For the pointer: a press that was on its way to something else. */
  open(now: number): boolean {
    return now >= this.until;
  }
}

export interface EscapeSituation {
  /** Something that was opened over the page is there: it has its own Escape. */
  covered: boolean;
  /** The key went to a field that is not of the gate, such as a search. */
  elsewhere: boolean;
  /** The message box has the focus and holds text. */
  textInBox: boolean;
  ask: { focused: boolean; alone: boolean; folded: boolean; mayDecide: boolean } | null;
  /** A turn runs that can be interrupted. */
  running: boolean;
  shift: boolean;
}
export type EscapeStep = 'none' | 'clear' | 'deny' | 'deny-stop' | 'interrupt';

/** One press, one step: the first that applies. */
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
  /** What has the focus. */
  active: 'nothing' | 'field' | 'control';
  /** The field holds text. */
  text: boolean;
  /** Milliseconds since it was last typed in; nothing when never. */
  typed: number | null;
  /** The ask belongs to the session that has the focus. */
  here: boolean;
}

/** Whether an ask that appears may take the focus. It goes to the dialog, never to a button. */
export function mayTakeFocus(s: FocusSituation): boolean {
  if (!s.here) return false;
  if (s.active !== 'field') return true;
  return !s.text && (s.typed === null || s.typed > TYPED);
}

export interface EnterSituation {
  phone: boolean;
  /** The setting that makes Enter a new line. */
  enterIsLine: boolean;
  composing: boolean;
  shift: boolean;
  ctrl: boolean;
  running: boolean;
}
export type EnterStep = 'line' | 'send' | 'steer' | 'none';

/** What Enter does in the message box. */
export function enterStep(s: EnterSituation): EnterStep {
  if (s.composing) return 'none';
  if (s.ctrl) return s.running ? 'steer' : 'send';
  if (s.shift || s.phone || s.enterIsLine) return 'line';
  return 'send';
}

/** The one button of the message box; its word is the truth. */
export function sendWord(s: { connected: boolean; started: boolean; busy: boolean }): 'keep' | 'start' | 'queue' | 'send' {
  if (!s.connected) return 'keep';
  if (!s.started) return 'start';
  return s.busy ? 'queue' : 'send';
}

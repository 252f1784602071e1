// Makes hidden characters visible. Terminal controls, direction marks and invisible characters are shown as escapes, so
// that the command a user allows is the command that runs.
export interface Piece {
  text: string;
  hidden: boolean;
}

/**
 * Control characters except tab and newline; direction marks; zero-width characters; fillers; tags; line and paragraph
 * separators.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
/** Unusual spaces: they look like a space but are parsed differently. */
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;

const escapeOf = (char: string): string => {
  const code = char.codePointAt(0) ?? 0;
  if (char === '\r') return '\\r';
  if (char === '\u001b') return '\\e';
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** True for a zero-width joiner between two emoji, where it is legitimate. */
const joins = (text: string, at: number): boolean =>
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u.test(text.slice(Math.max(0, at - 3), at)) && /^\p{Extended_Pictographic}/u.test(text.slice(at + 1));

/**
 * Splits a text into pieces; each hidden character is a separate piece, written as an escape. Prose may contain unusual
 * spaces.
 */
export function reveal(text: string, prose = false): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const marks = prose ? HIDDEN : new RegExp(`${HIDDEN.source}|${SPACES.source}`, 'gu');
  for (const match of text.matchAll(marks)) {
    if (match[0] === '\u200d' && joins(text, match.index)) continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), hidden: false });
    const last = pieces.at(-1);
    if (last?.hidden) last.text += escapeOf(match[0]);
    else pieces.push({ text: escapeOf(match[0]), hidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/** True if a text contains hidden characters. */
export const hides = (text: string): boolean => reveal(text).some((piece) => piece.hidden);

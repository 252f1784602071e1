// Parses terminal output into what a terminal would show at the end: colours, carriage returns, erased lines, cursor
// movement. Of links (OSC 8) only the text is shown.

export interface Style {
  /** r g y b m c w d (grey), or empty for the default colour. */
  fg: string;
  bg: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  under: boolean;
  strike: boolean;
  inverse: boolean;
}
export interface Piece {
  text: string;
  className: string;
}
export type Line = readonly Piece[];

const PLAIN: Style = { fg: '', bg: '', bold: false, dim: false, italic: false, under: false, strike: false, inverse: false };
const BASE = ['k', 'r', 'g', 'y', 'b', 'm', 'c', 'w'] as const;
// CSI, OSC, other escapes, and control characters that move the cursor or are ignored.
// eslint-disable-next-line no-control-regex
const TOKEN =
  /\u001b\[([0-9;:?>=<]*)[ -/]*([@-~])|\u001b\](?:[^\u0007\u001b]|\u001b(?!\\))*(?:\u0007|\u001b\\|$)|\u001b[PX^_][\s\S]*?(?:\u001b\\|$)|\u001b[ -/]*[0-~]|\u001b|[\r\n\b\u0000-\u0007\u000b-\u001f\u007f]/g;

/** Maps any colour to the nearest of the theme's colours: by hue, greys by lightness. */
export function nameOf(r: number, g: number, b: number): string {
  const most = Math.max(r, g, b);
  const least = Math.min(r, g, b);
  if (most - least < 40) return most < 150 ? 'd' : '';
  const hue = most === r ? ((g - b) / (most - least) + 6) % 6 : most === g ? (b - r) / (most - least) + 2 : (r - g) / (most - least) + 4;
  return ['r', 'y', 'g', 'c', 'b', 'm'][Math.round(hue) % 6] ?? '';
}

function indexed(n: number): string {
  if (n < 16) return basic(n % 8, n >= 8);
  if (n >= 232) return n < 244 ? 'd' : '';
  const c = n - 16;
  const level = (v: number) => (v === 0 ? 0 : 55 + v * 40);
  return nameOf(level(Math.floor(c / 36)), level(Math.floor(c / 6) % 6), level(c % 6));
}

const basic = (n: number, bright: boolean): string => (n === 0 ? (bright ? 'd' : 'k') : (BASE[n] ?? ''));

function sgr(style: Style, params: string): Style {
  const codes = params
    .replace(/:/g, ';')
    .split(';')
    .map((part) => (part === '' ? 0 : Number(part)));
  let next = { ...style };
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] ?? 0;
    if (code === 0) next = { ...PLAIN };
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.under = true;
    else if (code === 7) next.inverse = true;
    else if (code === 9) next.strike = true;
    else if (code === 22) {
      next.bold = false;
      next.dim = false;
    } else if (code === 23) next.italic = false;
    else if (code === 24) next.under = false;
    else if (code === 27) next.inverse = false;
    else if (code === 29) next.strike = false;
    else if (code >= 30 && code <= 37) next.fg = basic(code - 30, false);
    else if (code >= 90 && code <= 97) next.fg = basic(code - 90, true);
    else if (code === 39) next.fg = '';
    else if (code >= 40 && code <= 47) next.bg = basic(code - 40, false);
    else if (code >= 100 && code <= 107) next.bg = basic(code - 100, true);
    else if (code === 49) next.bg = '';
    else if (code === 38 || code === 48) {
      let name = '';
      if (codes[i + 1] === 5) {
        name = indexed(codes[i + 2] ?? 0);
        i += 2;
      } else if (codes[i + 1] === 2) {
        name = nameOf(codes[i + 2] ?? 0, codes[i + 3] ?? 0, codes[i + 4] ?? 0);
        i += 4;
      }
      if (code === 38) next.fg = name;
      else next.bg = name;
    }
  }
  return next;
}

export function classOf(style: Style): string {
  const names: string[] = [];
  if (style.fg) names.push(`fg-${style.fg}`);
  if (style.bg) names.push(`bg-${style.bg}`);
  if (style.bold) names.push('a-bold');
  if (style.dim) names.push('a-dim');
  if (style.italic) names.push('a-it');
  if (style.under) names.push('a-ul');
  if (style.strike) names.push('a-st');
  if (style.inverse) names.push('a-inv');
  return names.join(' ');
}

interface Row {
  chars: string[];
  styles: string[];
}

/** Returns the lines of an output. A line without colours is a single piece. */
export function parseAnsi(text: string): Line[] {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  // eslint-disable-next-line no-control-regex
  if (!/[\u0000-\u0008\u000b-\u001f\u007f]/.test(body)) return body.split('\n').map((line) => [{ text: line, className: '' }]);
  const rows: Row[] = [{ chars: [], styles: [] }];
  let row = 0;
  let column = 0;
  let style = PLAIN;
  let className = '';
  const current = (): Row => {
    while (rows.length <= row) rows.push({ chars: [], styles: [] });
    return rows[row] ?? { chars: [], styles: [] };
  };
  const put = (part: string) => {
    const line = current();
    for (const char of part) {
      while (line.chars.length < column) {
        line.chars.push(' ');
        line.styles.push('');
      }
      line.chars[column] = char;
      line.styles[column] = className;
      column += 1;
    }
  };
  let at = 0;
  for (const match of body.matchAll(TOKEN)) {
    if (match.index > at) put(body.slice(at, match.index));
    at = match.index + match[0].length;
    const [token, params = '', final] = match;
    if (token === '\n') {
      row += 1;
      column = 0;
      current();
    } else if (token === '\r') column = 0;
    else if (token === '\b') column = Math.max(0, column - 1);
    else if (final === 'm' && !/^[?>=<]/.test(params)) {
      style = sgr(style, params);
      className = classOf(style);
    } else if (final === 'K') erase(current(), column, Number(params || 0));
    else if (final === 'G') column = Math.max(0, Number(params || 1) - 1);
    else if (final === 'A' || final === 'F') {
      row = Math.max(0, row - Number(params || 1));
      if (final === 'F') column = 0;
    } else if (final === 'B' || final === 'E') {
      row = Math.min(rows.length - 1, row + Number(params || 1));
      if (final === 'E') column = 0;
    } else if (final === 'C') column += Math.min(500, Number(params || 1));
    else if (final === 'D') column = Math.max(0, column - Number(params || 1));
    else if (final === 'J' && Number(params || 0) === 0) {
      erase(current(), column, 0);
      rows.length = row + 1;
    }
  }
  if (at < body.length) put(body.slice(at));
  return rows.map(pieces);
}

function erase(row: Row, column: number, mode: number): void {
  if (mode === 0) {
    row.chars.length = Math.min(row.chars.length, column);
    row.styles.length = row.chars.length;
  } else if (mode === 2) {
    row.chars.length = 0;
    row.styles.length = 0;
  } else
    for (let i = 0; i <= column && i < row.chars.length; i += 1) {
      row.chars[i] = ' ';
      row.styles[i] = '';
    }
}

function pieces(row: Row): Line {
  const out: Piece[] = [];
  let from = 0;
  for (let i = 1; i <= row.chars.length; i += 1) {
    if (i === row.chars.length || row.styles[i] !== row.styles[from]) {
      out.push({ text: row.chars.slice(from, i).join(''), className: row.styles[from] ?? '' });
      from = i;
    }
  }
  return out.length > 0 ? out : [{ text: '', className: '' }];
}

/** Returns the text without escape sequences, for copying. */
export const plainText = (text: string): string =>
  parseAnsi(text)
    .map((line) => line.map((piece) => piece.text).join(''))
    .join('\n');

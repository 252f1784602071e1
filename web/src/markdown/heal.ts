// Display form of a paragraph that is still being written: closes open markers and hides incomplete ones. The text
// itself is not changed.

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Removes an incomplete end: a single heading underline, a marker without text, half a tag or link. */
function trimEnd(text: string): string {
  let out = text.replace(/\n[ \t]*(=+|-+)[ \t]*$/, '');
  out = out.replace(/!\[[^\]\n]*(?:\](?:\([^)\n]*)?)?$/, '');
  out = out.replace(/\[([^\]\n]*)\]\([^)\n]*$/, '$1');
  out = out.replace(/\[([^\]\n]*)$/, '$1');
  out = out.replace(/<\/?[a-zA-Z][^<>\n]*$|<$/, '');
  out = out.replace(/(^|[\s([{"'])(?:\*{1,3}|_{1,3}|~{1,2}|`{1,2})$/, '$1');
  return out;
}

/** The markers that are open at the end, innermost last. */
function open(text: string): string[] {
  const stack: string[] = [];
  let at = 0;
  while (at < text.length) {
    const c = text.charAt(at);
    if (c === '\\') {
      at += 2;
      continue;
    }
    if (c === '`') {
      const run = /^`+/.exec(text.slice(at))?.[0] ?? '`';
      const close = closing(text, at + run.length, run);
      if (close < 0) {
        stack.push(run);
        return stack;
      }
      at = close + run.length;
      continue;
    }
    if (c === '*' || c === '_' || c === '~') {
      let length = 1;
      while (text.charAt(at + length) === c) length += 1;
      const before = text.charAt(at - 1);
      const after = text.charAt(at + length);
      const word = /[\p{L}\p{N}]/u;
      const opens = after !== '' && !/\s/.test(after) && !(c === '_' && word.test(before));
      const closes = before !== '' && !/\s/.test(before) && !(c === '_' && word.test(after));
      if (c !== '~' || length === 2) mark(stack, c, length, opens, closes);
      at += length;
      continue;
    }
    at += 1;
  }
  return stack;
}

function mark(stack: string[], c: string, length: number, opens: boolean, closes: boolean): void {
  let left = length;
  while (closes && left > 0) {
    const top = stack.at(-1);
    if (!top?.startsWith(c) || top.length > left) break;
    stack.pop();
    left -= top.length;
  }
  if (!opens) return;
  if (c === '~') {
    if (left === 2) stack.push('~~');
    return;
  }
  while (left >= 2) {
    stack.push(c + c);
    left -= 2;
  }
  if (left === 1) stack.push(c);
}

function closing(text: string, from: number, run: string): number {
  let at = text.indexOf(run, from);
  while (at >= 0) {
    if (text.charAt(at + run.length) !== '`' && text.charAt(at - 1) !== '`') return at;
    let end = at;
    while (text.charAt(end) === '`') end += 1;
    at = text.indexOf(run, end);
  }
  return -1;
}

export function heal(text: string): string {
  const last = text.slice(text.lastIndexOf('\n\n') + 1);
  if (FENCE.test(last.trimStart())) return text;
  const trimmed = trimEnd(text);
  const tail = trimmed.slice(trimmed.lastIndexOf('\n\n') + 1);
  const markers = open(tail).reverse();
  if (markers.length === 0) return trimmed;
  const space = /\s*$/.exec(trimmed)?.[0] ?? '';
  return trimmed.slice(0, trimmed.length - space.length) + markers.join('') + space;
}

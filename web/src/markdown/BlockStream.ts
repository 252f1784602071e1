// Incremental Markdown. A block that later text cannot change is committed: its nodes are created once and never
// touched again. Only the tail is parsed again, and only its changed blocks are rebuilt. A block is final when the
// first line of the next block is complete: until then "2" may become "2." and join the list above, or a line may
// become the underline of a heading.
import { heal } from './heal';
import { lex, type Token, type Tokens } from './lexer';
import { merge } from './merge';
import { codeBlock, colour, isClosed, langOf, renderBlock, type MarkdownServices } from './render';
import { Ending } from './words';

interface Shown {
  raw: string;
  node: Node | undefined;
  exact: boolean;
  code?: { text: Text; element: Element; lang: Element | null } | undefined;
}
interface Fence {
  close: RegExp;
  bodyAt: number;
  shown: Text;
  scanned: number;
}

export class BlockStream {
  /** Number of committed blocks, for tests and measurements. */
  committed = 0;
  private tail = '';
  private heldReturn = false;
  private tailBlocks: Shown[] = [];
  private fence: Fence | undefined;
  /** Length of the tail that is shown. */
  private shownTo = 0;
  /** Where appended words are inserted until the tail is parsed again. */
  private ending: Ending | undefined;
  private finished = false;
  private length = 0;
  private caret: Element | undefined;

  constructor(
    private readonly host: HTMLElement,
    private readonly services: MarkdownServices = {},
  ) {}

  /** Number of characters received. */
  get size(): number {
    return this.length;
  }

  /** Appends text. Cheap: nothing is shown until the next `paint`. */
  append(chunk: string): void {
    this.length += chunk.length;
    let text = this.heldReturn ? `\r${chunk}` : chunk;
    this.heldReturn = text.endsWith('\r');
    if (this.heldReturn) text = text.slice(0, -1);
    this.tail += text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }

  /** Shows the text received so far. Call it at most once per frame. */
  paint(): void {
    if (this.finished) return;
    if (this.fence && this.growFence(this.fence)) return;
    if (this.growWords()) return;
    this.parse(false);
  }

  /** The text is complete: commits the tail. */
  finish(): void {
    if (this.finished) return;
    if (this.heldReturn) {
      this.tail += '\n';
      this.heldReturn = false;
    }
    this.parse(true);
    this.finished = true;
    this.setCaret(false);
  }

  get done(): boolean {
    return this.finished;
  }

  setCaret(on: boolean): void {
    if (!on) {
      this.caret?.remove();
      this.caret = undefined;
      return;
    }
    if (!this.caret) {
      this.caret = document.createElement('span');
      this.caret.className = 'caret';
      this.caret.setAttribute('aria-hidden', 'true');
    }
    const last = this.host.lastElementChild === this.caret ? this.caret.previousElementSibling : this.host.lastElementChild;
    let target: Element = last ?? this.host;
    // Into blocks, never into inline elements: text may follow the last of these.
    const inner = (): Element | null => {
      const next = target.lastElementChild === this.caret ? this.caret.previousElementSibling : target.lastElementChild;
      return next && (/^(UL|OL|LI|BLOCKQUOTE|FIGURE|PRE|P)$/.test(next.tagName) || target.tagName === 'PRE') ? next : null;
    };
    for (let next = inner(); next && /^(UL|OL|LI|BLOCKQUOTE|FIGURE|PRE)$/.test(target.tagName); next = inner()) target = next;
    if (this.caret.parentElement !== target || target.lastChild !== this.caret) target.append(this.caret);
  }

  private parse(last: boolean): void {
    this.fence = undefined;
    this.ending = undefined;
    const tokens = lex(this.tail);
    const keep = last ? tokens.length : this.closedCount(tokens);
    let offset = 0;
    for (let i = 0; i < keep; i += 1) {
      const token = tokens[i];
      if (!token) break;
      offset += token.raw.length;
      this.commit(token);
    }
    this.tail = this.tail.slice(offset);
    this.shownTo = this.tail.length;
    this.showTail(tokens.slice(keep));
  }

  /** Appends plain words to the end of the last block. A preview only: the block is rebuilt when the tail is parsed again. */
  private growWords(): boolean {
    const more = this.tail.slice(this.shownTo);
    if (!more) return this.shownTo > 0;
    const line = this.tail.slice(this.tail.lastIndexOf('\n', this.shownTo - 1) + 1, this.shownTo);
    const block = this.tailBlocks.at(-1);
    if (!block?.node) return false;
    const whole = block.exact && this.tail.slice(0, this.shownTo).trimEnd().endsWith(block.raw.trimEnd());
    this.ending ??= whole ? Ending.of(block.node, line, this.caret) : undefined;
    if (!this.ending?.grow(line, more, this.caret)) return false;
    block.exact = false;
    block.raw = '';
    this.shownTo = this.tail.length;
    return true;
  }

  /** Number of leading tokens that can no longer change. */
  private closedCount(tokens: readonly Token[]): number {
    let index = tokens.length - 1;
    while (index >= 0 && tokens[index]?.type === 'space') index -= 1;
    const token = tokens[index];
    if (index <= 0 || !token) return 0;
    const whole = tokens.slice(0, index).reduce((sum, before) => sum + before.raw.length, 0);
    // If the lexer rewrote the source, the lengths of `raw` do not add up to the position in it.
    if (!this.tail.startsWith(token.raw, whole)) return 0;
    if (index < tokens.length - 1 || token.raw.replace(/^\n+/, '').includes('\n')) return index;
    const gap = tokens[index - 1]?.type === 'space';
    let before = index - 1;
    while (before >= 0 && tokens[before]?.type === 'space') before -= 1;
    const previous = tokens[before];
    return gap && previous && !reaches(previous) ? index : Math.max(0, before);
  }

  private commit(token: Token): void {
    this.committed += 1;
    const shown = this.tailBlocks.shift();
    if (shown?.exact && shown.raw === token.raw) return;
    if (shown?.code && token.type === 'code' && isClosed(token as Tokens.Code)) {
      // A fence that was shown unhighlighted: keeps its nodes, sets the final text, highlights it.
      const { text, lang } = token as Tokens.Code;
      if (shown.code.text.data !== text) shown.code.text.data = text;
      if (shown.code.lang) shown.code.lang.textContent = langOf(lang);
      colour(shown.code.element, langOf(lang), text, this.services);
      return;
    }
    const node = renderBlock(token, this.services);
    this.place(shown, node);
  }

  /** Replaces `old` by `node`. Returns the node that is now in the document. */
  private place(old: Shown | undefined, node: Node | undefined): Node | undefined {
    if (old?.node) {
      if (node && merge(old.node, node, this.caret)) return old.node;
      if (node) this.host.replaceChild(node, old.node);
      else this.host.removeChild(old.node);
      return node;
    }
    if (!node) return undefined;
    const next = this.tailBlocks.find((block) => block.node)?.node ?? null;
    this.host.insertBefore(node, next ?? (this.caret?.parentNode === this.host ? this.caret : null));
    return node;
  }

  private showTail(tokens: readonly Token[]): void {
    const shown: Shown[] = [];
    const old = this.tailBlocks;
    let lastContent = tokens.length - 1;
    while (lastContent >= 0 && tokens[lastContent]?.type === 'space') lastContent -= 1;
    tokens.forEach((token, index) => {
      const before = old[index];
      this.tailBlocks = old.slice(index + 1);
      const growing = index === lastContent && !this.finished;
      if (token.type === 'code' && !isClosed(token as Tokens.Code)) {
        shown.push(this.openCode(token as Tokens.Code, before));
        return;
      }
      const raw = growing ? healed(token) : token.raw;
      if (before && before.raw === raw && !before.code) {
        shown.push(before);
        return;
      }
      let exact = raw === token.raw;
      let node: Node | undefined;
      if (exact) node = renderBlock(token, this.services);
      else {
        const part = lex(raw)
          .map((healed) => renderBlock(healed, {}))
          .filter((made) => made !== undefined);
        node = part.length === 1 ? part[0] : part.length === 0 ? undefined : group(part);
      }
      if (node?.nodeType === 11) {
        node = group([node]);
        exact = false;
      }
      shown.push({ raw, node: this.place(before, node), exact });
    });
    this.tailBlocks = [];
    for (const gone of old.slice(tokens.length)) if (gone.node) this.host.removeChild(gone.node);
    this.tailBlocks = shown;
  }

  private openCode(token: Tokens.Code, before: Shown | undefined): Shown {
    const body = token.text;
    let block = before;
    if (!block?.code) {
      const node = codeBlock({ ...token, text: '' }, {});
      const element = node.querySelector('code') ?? node;
      const text = document.createTextNode('');
      element.replaceChildren(text);
      this.place(before, node);
      block = { raw: '', node, exact: false, code: { text, element, lang: node.querySelector('figcaption > span') } };
    }
    const code = block.code;
    if (code) {
      if (code.lang) code.lang.textContent = langOf(token.lang);
      if (body.startsWith(code.text.data)) code.text.appendData(body.slice(code.text.data.length));
      else code.text.data = body;
      this.watchFence(token, code.text);
    }
    block.raw = token.raw;
    return block;
  }

  /** While a fence is open at the top level, new lines are appended to it without calling the lexer. */
  private watchFence(token: Tokens.Code, shown: Text): void {
    const match = /^( {0,3})(`{3,}|~{3,})[^\n]*\n/.exec(token.raw);
    if (!match?.[2] || match[1] || !this.tail.endsWith(token.raw)) return;
    const start = this.tail.length - token.raw.length;
    const marker = match[2];
    this.fence = {
      close: new RegExp(`^ {0,3}${marker.charAt(0)}{${marker.length},}[ \\t]*$`),
      bodyAt: start + match[0].length,
      shown,
      scanned: start + match[0].length,
    };
  }

  private growFence(fence: Fence): boolean {
    // Complete lines first: any of them may close the fence. Then the incomplete one, which may become the closing
    // line.
    let at = fence.scanned;
    for (;;) {
      const end = this.tail.indexOf('\n', at);
      if (end < 0) break;
      if (fence.close.test(this.tail.slice(at, end))) return false;
      at = end + 1;
    }
    fence.scanned = at;
    const rest = this.tail.slice(at);
    if (/^ {0,3}(`+|~+)[ \t]*$/.test(rest)) return fence.close.test(rest) ? false : this.showFence(fence, at);
    return this.showFence(fence, this.tail.length);
  }

  private showFence(fence: Fence, to: number): boolean {
    const body = this.tail.slice(fence.bodyAt, to).replace(/\n$/, '');
    const had = fence.shown.data.length;
    if (body.length >= had && (had === 0 || body.charAt(had - 1) === fence.shown.data.charAt(had - 1))) fence.shown.appendData(body.slice(had));
    else fence.shown.data = body;
    return true;
  }
}

/** The lexer ends some lists with a line break that is not in the source; with it, an open marker would be considered closed. */
function healed(token: Token): string {
  const written = token.type === 'list' ? token.raw.replace(/\n$/, '') : token.raw;
  const whole = heal(written);
  return whole === written ? heal(token.raw) : whole;
}

/** Blocks that can continue after a blank line. */
function reaches(token: Token): boolean {
  if (token.type === 'code') return !/^ {0,3}(`{3,}|~{3,})/.test(token.raw);
  return token.type === 'list' || token.type === 'blockquote' || token.type === 'html';
}

function group(nodes: readonly Node[]): HTMLElement {
  const element = document.createElement('div');
  element.className = 'md-tail';
  element.append(...nodes);
  return element;
}

/** Renders a complete text at once. */
export function renderMarkdown(host: HTMLElement, text: string, services: MarkdownServices = {}): void {
  const stream = new BlockStream(host, services);
  stream.append(text);
  stream.finish();
}

// Most of what a model writes is words, and words after words change nothing of how a paragraph is read: they are put
// to its end, and all before them is not read again. What could be read otherwise (half a marker, a link, an entity, the
// beginning of a line) goes the long way.
import { heal } from './heal';
import { lexInline } from './lexer';
import { renderInline } from './render';

/** Letters, digits, spaces and signs that mean nothing in Markdown, wherever they stand in a line. */
const WORDS = /^[\p{L}\p{M}\p{N} ,;.!?'"()’‘“”„…–—]*$/u;
/** With marks that are whole in themselves. */
const MARKED = /^[\p{L}\p{M}\p{N} ,;.!?'"()’‘“”„…–—*_`]+$/u;
/** A line whose beginning is decided: in it no number can become that of a list, and nothing a heading or a quotation. */
const BEGUN = /^ *(?:(?:[-*+]|\d{1,9}[.)]) +)*(?:\[[ xX]\] +)?\p{L}/u;
/** The only links made of letters and dots alone. */
const ADDRESS = /www\./i;

/** The end of a block that is being written, to which words are put. */
export class Ending {
  private constructor(
    private readonly into: Element,
    private text: Text | undefined,
  ) {}

  /** The end of a paragraph, or of the last entry of a list; `line` is what is shown of the source's last line. */
  static of(block: Node, line: string, caret: Node | undefined): Ending | undefined {
    if (!BEGUN.test(line)) return undefined;
    let into = block;
    for (;;) {
      if (into.nodeType !== 1 || !/^(?:P|UL|OL|LI)$/.test(into.nodeName) || (into as Element).className === 'md-raw') return undefined;
      const last: Node | null = into.lastChild === caret ? (caret?.previousSibling ?? null) : into.lastChild;
      if (!last) return undefined;
      if (last.nodeType === 3) return (last as Text).data.trimEnd().endsWith(lastWord(line.trimEnd())) ? new Ending(into as Element, last as Text) : undefined;
      if (/^(?:CODE|STRONG|EM|DEL)$/.test(last.nodeName)) return line.endsWith(' ') ? new Ending(into as Element, undefined) : undefined;
      into = last;
    }
  }

  /** Puts `more` after `line`, if that is words after words. */
  grow(line: string, more: string, caret: Node | undefined): boolean {
    if (ADDRESS.test(lastWord(line) + more)) return false;
    // What ends a list is shown without its last spaces.
    const gap = (this.text && !this.text.data.endsWith(' ')) || !this.text ? (/ *$/.exec(line)?.[0] ?? '') : '';
    if (WORDS.test(more) && WORDS.test(lastWord(line))) {
      this.append(gap + more, caret);
      return true;
    }
    if (!MARKED.test(more) || !(line.endsWith(' ') || more.startsWith(' ')) || heal(more) !== more) return false;
    const made = document.createDocumentFragment();
    renderInline(lexInline(more), made);
    const first = made.firstChild;
    if (first?.nodeType === 3) {
      this.append(gap + (first as Text).data, caret);
      first.remove();
    } else if (gap) this.append(gap, caret);
    const last = made.lastChild;
    if (last) this.text = last.nodeType === 3 ? (last as Text) : undefined;
    this.into.insertBefore(made, caret?.parentNode === this.into ? caret : null);
    return true;
  }

  private append(words: string, caret: Node | undefined): void {
    if (this.text) {
      this.text.appendData(words);
      return;
    }
    this.text = document.createTextNode(words);
    this.into.insertBefore(this.text, caret?.parentNode === this.into ? caret : null);
  }
}

const lastWord = (line: string): string => line.slice(line.lastIndexOf(' ') + 1);

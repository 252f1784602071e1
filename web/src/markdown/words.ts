// Fast path for streaming. Most output consists of plain words, which cannot change how the paragraph is parsed: they
// are appended without parsing it again. Everything that could be parsed differently (half a marker, a link, an entity,
// the beginning of a line) takes the normal path.
import { heal } from './heal';
import { lexInline } from './lexer';
import { renderInline } from './render';

/** Letters, digits, spaces and punctuation without meaning in Markdown, anywhere in a line. */
const WORDS = /^[\p{L}\p{M}\p{N} ,;.!?'"()’‘“”„…–—]*$/u;
/** The same with complete inline markers. */
const MARKED = /^[\p{L}\p{M}\p{N} ,;.!?'"()’‘“”„…–—*_`]+$/u;
/** A line whose block type is decided: more text cannot turn it into a list, heading or quotation. */
const BEGUN = /^ *(?:(?:[-*+]|\d{1,9}[.)]) +)*(?:\[[ xX]\] +)?\p{L}/u;
/** The only links that consist of letters and dots alone. */
const ADDRESS = /www\./i;

/** The end of the block that is being written, where words are appended. */
export class Ending {
  private constructor(
    private readonly into: Element,
    private text: Text | undefined,
  ) {}

  /** Returns the end of a paragraph or of the last list item; `line` is the visible part of the last source line. */
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

  /** Appends `more` to `line` if both are plain words. Returns whether it did. */
  grow(line: string, more: string, caret: Node | undefined): boolean {
    if (ADDRESS.test(lastWord(line) + more)) return false;
    // The last line of a list is shown without its trailing spaces.
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

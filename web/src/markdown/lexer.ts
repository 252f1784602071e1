// Marked's block and inline grammar, with what would let later text change an earlier block taken out:
// reference definitions. A definition is shown as the text it is.
//
// Before one of its large rules is tried, a look at the first sign of a line says whether it can hold at all. It changes
// nothing of what is read (a test compares); but a rule that is never tried is never compiled by the browser, and that
// takes longer than all the reading before the first paint.
import { Lexer, Tokenizer, type Token, type Tokens } from 'marked';

/** The first sign of a line that is not indented like code. */
function sign(src: string): string {
  let at = 0;
  while (src[at] === ' ') at += 1;
  return src[at] ?? '';
}
const UNDERLINE = /\n {0,3}(?:=+|-+) *(?:\n|$)/;

class OpenTokenizer extends Tokenizer {
  override def(): undefined {
    return undefined;
  }
  override code(src: string) {
    return src[0] === ' ' || src[0] === '\t' ? super.code(src) : undefined;
  }
  override fences(src: string) {
    return '`~'.includes(sign(src)) ? super.fences(src) : undefined;
  }
  override heading(src: string) {
    return sign(src) === '#' ? super.heading(src) : undefined;
  }
  override hr(src: string) {
    return '-_*'.includes(sign(src)) ? super.hr(src) : undefined;
  }
  override blockquote(src: string) {
    return sign(src) === '>' ? super.blockquote(src) : undefined;
  }
  override list(src: string) {
    return /[-+*\d]/.test(sign(src)) ? super.list(src) : undefined;
  }
  override html(src: string) {
    return sign(src) === '<' ? super.html(src) : undefined;
  }
  override lheading(src: string) {
    return UNDERLINE.test(src) ? super.lheading(src) : undefined;
  }
  override table(src: string) {
    const from = src.indexOf('\n') + 1;
    if (from === 0) return undefined;
    const to = src.indexOf('\n', from);
    const second = src.slice(from, to < 0 ? undefined : to);
    return second.includes('-') && /[:|]/.test(second) ? super.table(src) : undefined;
  }
  override paragraph(src: string) {
    const end = src.indexOf('\n');
    // One line, and nothing or an empty line after it.
    if (end !== 0 && (end < 0 || end === src.length - 1 || src[end + 1] === '\n')) {
      const text = end < 0 ? src : src.slice(0, end);
      return { type: 'paragraph' as const, raw: text, text, tokens: this.lexer.inline(text) };
    }
    return super.paragraph(src);
  }
  // Within a line. Not those for emphasis: marked prepares every line for these when they are not its own.
  override escape(src: string) {
    return src[0] === '\\' ? super.escape(src) : undefined;
  }
  override tag(src: string) {
    return src[0] === '<' ? super.tag(src) : undefined;
  }
  override autolink(src: string) {
    return src[0] === '<' ? super.autolink(src) : undefined;
  }
  override link(src: string) {
    return src[0] === '[' || src[0] === '!' ? super.link(src) : undefined;
  }
  override reflink(src: string, links: Parameters<Tokenizer['reflink']>[1]) {
    return src[0] === '[' || src[0] === '!' ? super.reflink(src, links) : undefined;
  }
  override codespan(src: string) {
    return src[0] === '`' ? super.codespan(src) : undefined;
  }
  override br(src: string) {
    return src[0] === ' ' || src[0] === '\\' ? super.br(src) : undefined;
  }
}

export type { Token, Tokens };

const lexer = () => new Lexer({ gfm: true, breaks: false, tokenizer: new OpenTokenizer() });
export const lex = (text: string): Token[] => lexer().lex(text) as Token[];
/** Words with their marks, without blocks. */
export const lexInline = (text: string): Token[] => lexer().inlineTokens(text) as Token[];

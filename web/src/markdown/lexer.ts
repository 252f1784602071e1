// Marked's block and inline grammar without reference definitions, because a later definition would change earlier
// blocks. A definition is shown as text. Before a large rule is tried, the first character of the line tells whether it
// can match at all. This does not change the result (a test compares both), but a rule that is never tried is never
// compiled, and compiling takes longer than all parsing before the first paint.
import { Lexer, Tokenizer, type Token, type Tokens } from 'marked';

/** The first character of a line that is not indented like code. */
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
    // A single line, followed by nothing or an empty line.
    if (end !== 0 && (end < 0 || end === src.length - 1 || src[end + 1] === '\n')) {
      const text = end < 0 ? src : src.slice(0, end);
      return { type: 'paragraph' as const, raw: text, text, tokens: this.lexer.inline(text) };
    }
    return super.paragraph(src);
  }
  // Inline rules. Not those for emphasis: marked prepares every line for these unless they are its own.
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
/** Parses inline markup, without blocks. */
export const lexInline = (text: string): Token[] => lexer().inlineTokens(text) as Token[];

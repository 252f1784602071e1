// Marked's block and inline grammar, with what would let later text change an earlier block taken out:
// reference definitions. A definition is shown as the text it is.
import { Marked, type Token, type Tokens } from 'marked';

const marked = new Marked({ gfm: true, breaks: false });
marked.use({ tokenizer: { def: () => undefined } });

export type { Token, Tokens };

export const lex = (text: string): Token[] => marked.lexer(text) as Token[];
export const lexInline = (text: string): Token[] => marked.Lexer.lexInline(text, marked.defaults) as Token[];

// Marked's block and inline grammar, with what would let later text change an earlier block taken out:
// reference definitions. A definition is shown as the text it is.
import { Lexer, Tokenizer, type Token, type Tokens } from 'marked';

class OpenTokenizer extends Tokenizer {
  override def(): undefined { return undefined; }
}

export type { Token, Tokens };

export const lex = (text: string): Token[] => new Lexer({ gfm: true, breaks: false, tokenizer: new OpenTokenizer() }).lex(text) as Token[];

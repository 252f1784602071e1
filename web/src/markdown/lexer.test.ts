import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { lex } from './lexer';

// The published package, with all rules compiled in advance.
const { Lexer, Tokenizer } = createRequire(import.meta.url)('marked') as typeof import('marked');

class Plain extends Tokenizer {
  override def(): undefined {
    return undefined;
  }
}
const plain = (text: string) => new Lexer({ gfm: true, breaks: false, tokenizer: new Plain() }).lex(text);

const PARTS = [
  'words',
  'a `code` b',
  '# head',
  '####### no head',
  ' # one in',
  '---',
  '- - -',
  '***',
  '* * x',
  '===',
  '- item',
  '  - under',
  '1. one',
  '12) two',
  '1.x',
  '+ plus',
  '> said',
  '   > in',
  '```rust',
  '```',
  '~~~',
  '    code',
  '\tcode',
  '   three',
  '<div>',
  '<b>in</b>',
  '<!-- c -->',
  'a | b',
  '|-|-|',
  ':-: | -',
  '-|-',
  ':--',
  '| x | y |',
  '[a]: /b',
  '[a]',
  '**b** _c_',
  'https://a.b',
  '\\# not',
  '!',
  '| alone',
  '1',
  '-',
  '',
  '',
  '',
  ' ',
  '  ',
  'long words that go on',
  '- [ ] open',
  '- [x] done',
  'ends in two  ',
  'ends in one\\',
  '![p](q "t") <a@b.c> <http://d.e>',
  '[l](<m n>) [r][a] ![s][]',
  'a\\*b ``c ` d`` ~~e~~',
  'snake_case *x*y **z',
];

/** Pseudorandom numbers that are the same on every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('skipping rules by the first character gives the same result as marked', () => {
  const next = numbers(42);
  for (let round = 0; round < 4_000; round += 1) {
    const text = Array.from({ length: 1 + Math.floor(next() * 7) }, () => PARTS[Math.floor(next() * PARTS.length)]).join('\n');
    expect(lex(text), JSON.stringify(text)).toEqual(plain(text));
  }
});

import { expect, test } from 'vitest';
import { BlockStream, renderMarkdown } from './BlockStream';
import { heal } from './heal';
import { lex } from './lexer';
import { renderBlocks } from './render';

const SAMPLES: readonly string[] = [
  'Plain text with **bold**, *em*, `code` and ~~gone~~.\n\nSecond paragraph\nwith a line.',
  '# One\n\nText\n\nSetext\n===\n\nOther\n---\n\nend',
  '- a\n- b\n  - c\n    - d\n- e\n\nafter',
  '- loose a\n\n- loose b\n\n1. one\n2. two\n\n3. three\n\nend 2. not\n',
  '1. a\n\n2\n\n2. b\n\n10. c',
  '- [ ] open\n- [x] done\n\ntext',
  '> quote\n> more\nlazy\n\n> again\n\n```rust\nfn main() {\n    // ``` not the end\n}\n```\n\nafter',
  '```\nunclosed\n  code\n\n\nmore',
  '~~~py\nx = 1\n~~~~\ntext right after\n',
  '````md\n```js\n1\n```\n````\nend',
  '| a | b |\n|---|--:|\n| 1 | `2` |\n| 3 | **4** |\n\nend | not\n',
  'text\n| h |\n|---|\n| x |',
  '    indented\n\n    still\n\nno more\n\n\tx\n',
  'a [link](https://example.org/a_b) and <https://x.org> www.y.org b@c.de ![pic](https://z.org/i.png "t")',
  '[ref]: https://example.org\n\nuse [ref] and [text][ref]',
  '<div onclick="x()">html</div>\n\n<!-- comment\n\nstill -->\n\nafter <b>inline</b> <br> x',
  'a  \nbreak\\\nother * star * and _ under_score_d_ 2*3*4',
  '---\n\n***\n\ntext\n- list right after\n  continued\n+ other\n\n* third',
  'line\r\nwindows\r\n\r\n- x\r\n- y\r\nend\rmac',
  '1) a\n2) b\n   ```js\n   code in list\n   ```\n3) c\n\n   para in item\n\nout',
  'Math $a_b + c_d$ and $$x^2$$ &amp; &lt;tag&gt; &#169; \\*not\\* `a & b < c`',
  '\n\n\nleading blank\n\n\n\n\ntrailing\n\n\n',
  '- a\n\n      code in item\n\n- b\n\ntext\n\n    code',
];

const html = (text: string): string => {
  const host = document.createElement('div');
  renderBlocks(lex(text), {}, host);
  return host.innerHTML;
};

function streamed(chunks: readonly string[], paintEach: boolean): string {
  const host = document.createElement('div');
  const stream = new BlockStream(host);
  for (const chunk of chunks) {
    stream.append(chunk);
    if (paintEach) {
      stream.paint();
      stream.setCaret(true);
    }
  }
  stream.finish();
  return host.innerHTML;
}

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function cut(text: string, next: () => number, most: number): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(next() * most);
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}

test('every way of splitting the text gives the same DOM', () => {
  const next = random(7);
  for (const [index, sample] of SAMPLES.entries()) {
    const whole = html(sample);
    expect(streamed([sample], true), `sample ${index} at once`).toBe(whole);
    expect(streamed([...sample], true), `sample ${index} by characters`).toBe(whole);
    for (const most of [3, 9, 40]) expect(streamed(cut(sample, next, most), true), `sample ${index} by ${most}`).toBe(whole);
  }
});

test('concatenated samples give the same DOM when streamed', () => {
  const next = random(99);
  for (let round = 0; round < 60; round += 1) {
    const parts = Array.from({ length: 4 }, () => SAMPLES[Math.floor(next() * SAMPLES.length)] ?? '');
    const text = parts.join(next() < 0.5 ? '\n\n' : '\n');
    expect(streamed(cut(text, next, 12), true), JSON.stringify(text)).toBe(html(text));
  }
});

/** The visible text: without the caret, and without trailing spaces of blocks. */
function seen(host: HTMLElement): string {
  const copy = host.cloneNode(true) as HTMLElement;
  copy.querySelector('.caret')?.remove();
  return copy.innerHTML.replace(/ +(?=<\/(?:li|p|h\d)>|\n?<(?:ul|ol)>|$)/g, '');
}
const PIECES = [
  'The sweep ',
  'wakes on **the timer** ',
  ' but measures',
  ' age',
  ' with `Instant`, ',
  'load.',
  ' www',
  '.example',
  '.org',
  ' a@b',
  '.de ',
  '\n\n- first ',
  '\n- [ ] ',
  'a lease (ends), ',
  '\n  1. ',
  '2',
  '. ',
  '\n- then `reap()` ',
  '\n\n',
  '\n',
  '# ',
  '> ',
  'nothing else ',
  '"said" ',
  '*',
  '**',
  '_',
  '`',
  '[',
  '](',
  'x) ',
  '<b',
  '&amp',
  '; ',
  '| a ',
  'http',
  '://x.org ',
  '1) ',
  '    ',
  '- ',
  '--',
  '\\',
  '  ',
  'straße – so… ',
  '!',
  '==',
];

test('appending words gives the same DOM as parsing again', () => {
  const next = random(2024);
  let grown = 0;
  for (let round = 0; round < 100; round += 1) {
    const host = document.createElement('div');
    const stream = new BlockStream(host);
    let text = '';
    for (let step = 0; step < 30; step += 1) {
      const piece = PIECES[Math.floor(next() * PIECES.length)] ?? '';
      const before = host.querySelector('.caret')?.previousSibling;
      text += piece;
      stream.append(piece);
      stream.paint();
      stream.setCaret(true);
      if (before?.nodeType === 3 && host.contains(before) && (before as Text).data.endsWith(piece)) grown += 1;
      const other = document.createElement('div');
      const whole = new BlockStream(other);
      whole.append(text);
      whole.paint();
      whole.setCaret(true);
      expect(seen(host), JSON.stringify(text)).toBe(seen(other));
    }
    stream.finish();
    expect(host.innerHTML, JSON.stringify(text)).toBe(html(text));
  }
  expect(grown).toBeGreaterThan(100);
});

test('appended words extend the existing text node', () => {
  const host = document.createElement('div');
  const stream = new BlockStream(host);
  stream.append('Some **bold** words');
  stream.paint();
  stream.setCaret(true);
  const text = host.querySelector('p')?.childNodes[2];
  for (const more of [' go', ' on', ', and', ' on.']) {
    stream.append(more);
    stream.paint();
    stream.setCaret(true);
  }
  expect(host.querySelector('p')?.childNodes[2]).toBe(text);
  expect(text?.nodeValue).toBe(' words go on, and on.');
});

test('nodes are kept while a block grows, also when it is parsed again', () => {
  const host = document.createElement('div');
  const stream = new BlockStream(host);
  stream.append('Some words');
  stream.paint();
  stream.setCaret(true);
  const first = host.querySelector('p')?.firstChild;
  for (const more of [' and **bo', 'ld** ones', ', a [li', 'nk](https://x.org)', ' too.', '\n\n- then', ' a list\n- of', ' two\n\nend']) {
    stream.append(more);
    stream.paint();
    stream.setCaret(true);
  }
  stream.finish();
  expect(host.querySelector('p')?.firstChild).toBe(first);
  expect(host.innerHTML).toBe(html('Some words and **bold** ones, a [link](https://x.org) too.\n\n- then a list\n- of two\n\nend'));
});

test('a committed block is never touched again', () => {
  const host = document.createElement('div');
  const stream = new BlockStream(host);
  stream.append('First **one**.\n\nSecond.\n\nThird');
  stream.paint();
  expect(stream.committed).toBeGreaterThanOrEqual(2);
  const first = host.firstElementChild;
  const inner = first?.lastChild;
  stream.append(' goes on.\n\n- list\n- of two\n\nend\n\n');
  stream.paint();
  stream.finish();
  expect(host.firstElementChild).toBe(first);
  expect(first?.lastChild).toBe(inner);
});

test('an open fence grows by appending to one text node', () => {
  const host = document.createElement('div');
  const stream = new BlockStream(host);
  stream.append('Text\n\n```js\nlet a = 1;\n');
  stream.paint();
  const text = host.querySelector('code')?.firstChild;
  stream.append('let b = 2;\n``');
  stream.paint();
  expect(host.querySelector('code')?.firstChild).toBe(text);
  expect(text?.nodeValue).toBe('let a = 1;\nlet b = 2;');
  stream.append('`\n\nafter\n');
  stream.finish();
  expect(host.querySelector('code')?.textContent).toBe('let a = 1;\nlet b = 2;');
  expect(host.lastElementChild?.textContent).toBe('after');
});

test('a closed fence is highlighted by the server, an open one is not', async () => {
  const requests: string[] = [];
  const services = {
    highlight: (lang: string, code: string) => {
      requests.push(lang);
      return Promise.resolve(
        code.split('\n').map(
          (line) =>
            [
              ['key', line],
              ['evil" onclick="x', ''],
            ] as const,
        ),
      );
    },
  };
  const host = document.createElement('div');
  const stream = new BlockStream(host, services);
  stream.append('```rust\nfn a() {}\n');
  stream.paint();
  expect(requests).toEqual([]);
  stream.append('```\n\nafter\n\n');
  stream.finish();
  await Promise.resolve();
  await Promise.resolve();
  expect(requests).toEqual(['rust']);
  expect(host.querySelector('code .k')?.textContent).toBe('fn a() {}');
});

test('incomplete markers at the end are closed or hidden', () => {
  expect(heal('a **bold')).toBe('a **bold**');
  expect(heal('a **bold *and')).toBe('a **bold *and***');
  expect(heal('a `code')).toBe('a `code`');
  expect(heal('see [the docs](https://ex')).toBe('see the docs');
  expect(heal('see [the do')).toBe('see the do');
  expect(heal('Title\n==')).toBe('Title');
  expect(heal('x **')).toBe('x ');
  expect(heal('snake_case_name')).toBe('snake_case_name');
  expect(heal('2 * 3')).toBe('2 * 3');
  expect(heal('done **bold** and')).toBe('done **bold** and');
});

const ATTACKS: readonly string[] = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '![x](javascript:alert(1))',
  '![x](https://evil.example/p.png)',
  '![x"onerror=alert(1)](https://e.org/" onerror="alert(1))',
  '<a href="javascript:alert(1)">x</a>',
  '<iframe src="//evil"></iframe>',
  '`<img src=x onerror=alert(1)>`',
  '```html\n<img src=x onerror=alert(1)>\n```',
  '```"><img src=x onerror=alert(1)>\ncode\n```',
  '| <img src=x onerror=alert(1)> |\n|---|\n| <script>x</script> |',
  '- [ ] <img src=x onerror=alert(1)>',
  '[x](https://ok.org "\\" onmouseover=alert(1)")',
  '<javascript:alert(1)>',
  '[a](<javascript:alert(1)>)',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<details open ontoggle=alert(1)>',
  '<style>@import "//evil"</style>',
  '[x](\u0001javascript:alert(1))',
  '[x](//evil.example)',
  '<math><mtext></p><img src=x onerror=alert(1)>',
  '# <object data=x>',
];

test('text of an agent never becomes active content', () => {
  for (const attack of [...ATTACKS, ATTACKS.join('\n\n'), ATTACKS.join(' ')]) {
    const host = document.createElement('div');
    renderMarkdown(host, attack);
    expect(host.querySelector('script, iframe, object, embed, style, link, form, img, video, audio, base, meta'), attack).toBeNull();
    for (const element of host.querySelectorAll('*')) {
      for (const { name } of [...element.attributes]) expect(name, attack).not.toMatch(/^(on|style$|src)/);
    }
    for (const anchor of host.querySelectorAll('a')) {
      expect(anchor.getAttribute('href'), attack).toMatch(/^(https?:\/\/|mailto:)/);
      expect(anchor.getAttribute('rel')).toContain('noreferrer');
    }
  }
});

import { expect, test } from 'vitest';
import { nameOf, parseAnsi, plainText } from './parse';

const E = '\u001b';
const flat = (text: string) => parseAnsi(text).map((line) => line.map(({ text: part, className }) => (className ? `<${className}>${part}</>` : part)).join(''));

test('all colours are mapped to the colours of the theme', () => {
  expect(flat(`${E}[31mred${E}[0m ${E}[92mgreen${E}[39m x`)).toEqual(['<fg-r>red</> <fg-g>green</> x']);
  expect(flat(`${E}[38;5;196mr${E}[38;5;21mb${E}[38;5;240mgrey`)).toEqual(['<fg-r>r</><fg-b>b</><fg-d>grey</>']);
  expect(flat(`${E}[38;2;255;200;0my${E}[48;2;0;120;0mz`)).toEqual(['<fg-y>y</><fg-y bg-g>z</>']);
  expect([nameOf(200, 0, 200), nameOf(0, 200, 200), nameOf(250, 250, 250)]).toEqual(['m', 'c', '']);
});

test('bold, dim, underline and inverse are switched on and off', () => {
  expect(flat(`${E}[1;4mA${E}[22mB${E}[24;7mC${E}[mD`)).toEqual(['<a-bold a-ul>A</><a-ul>B</><a-inv>C</>D']);
});

test('a carriage return overwrites the line, an erase clears it', () => {
  expect(flat('10%\r20%\r100%\ndone')).toEqual(['100%', 'done']);
  expect(flat(`long line\r${E}[Kshort`)).toEqual(['short']);
  expect(flat(`abc${E}[2K\rx`)).toEqual(['x']);
});

test('moving the cursor up redraws lines', () => {
  expect(flat(`a\nb\n${E}[2A${E}[KA\n${E}[KB`)).toEqual(['A', 'B', '']);
});

test('links keep only their text; titles and other escapes are removed', () => {
  expect(plainText(`${E}]8;;https://evil.example\u0007text${E}]8;;\u0007 ${E}]0;title\u0007ok${E}[?25l${E}(B`)).toBe('text ok');
});

test('a plain line is a single piece and keeps its tabs', () => {
  expect(parseAnsi('a\tb\n\nc\n')).toEqual([[{ text: 'a\tb', className: '' }], [{ text: '', className: '' }], [{ text: 'c', className: '' }]]);
});

// @vitest-environment node
import { expect, test } from 'vitest';
import { MemoryShelf } from '../protocol/storage';
import { AskForms } from './forms';
import type { Card } from '../api/types';
import { make } from '../gallery/Script';
import { changedLines, editKind, fromJson, shortPath } from './inputs';
import { answersOf, choose, chooseOwn, emptyChoice, missing, plainLabel, questionsOf } from './questions';
import { hides, reveal } from './reveal';
import { contentOf, fieldsOf, initialValues, problemOf } from './schema';
import { denyRule, suggestionsOf } from './suggestions';

test('hidden characters are shown as escapes', () => {
  expect(reveal('ls \u202egnp.exe')).toEqual([
    { text: 'ls ', hidden: false },
    { text: '\\u202e', hidden: true },
    { text: 'gnp.exe', hidden: false },
  ]);
  expect(reveal('a\u200b\u200bb')).toEqual([
    { text: 'a', hidden: false },
    { text: '\\u200b\\u200b', hidden: true },
    { text: 'b', hidden: false },
  ]);
  expect(reveal('\u001b[2K\r')).toEqual([
    { text: '\\e', hidden: true },
    { text: '[2K', hidden: false },
    { text: '\\r', hidden: true },
  ]);
  expect(reveal('\u{e0041}')).toEqual([{ text: '\\u{e0041}', hidden: true }]);
  expect(reveal('a\u00a0b')[1]).toEqual({ text: '\\xa0', hidden: true });
  expect(hides('👨‍👩‍👧 ❤️')).toBe(false);
  expect(hides('a\u200db')).toBe(true);
  expect([hides('1\u202f000'), reveal('1\u202f000', true)]).toEqual([true, [{ text: '1\u202f000', hidden: false }]]);
  for (const text of ['', 'cargo test\n\tü 日本語 😀 —', 'a && \\\n  b'])
    expect([
      hides(text),
      reveal(text)
        .map((piece) => piece.text)
        .join(''),
    ]).toEqual([false, text]);
});

test('all invisible characters are escaped, visible text is unchanged', () => {
  const invisible = [0, 7, 8, 11, 0x1b, 0x7f, 0x85, 0xad, 0x61c, 0x200b, 0x200d, 0x200e, 0x2028, 0x202a, 0x2066, 0x2069, 0x2060, 0xfeff, 0x3164, 0xe0001];
  for (const code of invisible) {
    const pieces = reveal(`x${String.fromCodePoint(code)}y`);
    expect(
      pieces.map((piece) => piece.hidden),
      code.toString(16),
    ).toEqual([false, true, false]);
    expect(pieces.map((piece) => piece.text).join('')).not.toContain(String.fromCodePoint(code));
  }
});

const rules = (toolName: string, ruleContent: string | undefined, destination: string, behavior = 'allow') => ({
  type: 'addRules',
  rules: [{ toolName, ...(ruleContent ? { ruleContent } : {}) }],
  behavior,
  destination,
});

test('suggestions are shown with their scope', () => {
  const shell = { toolName: 'Bash', card: make.shell('x') };
  const texts = suggestionsOf({
    ...shell,
    request: {
      permission_suggestions: [
        { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
        rules('Edit', 'crates/**', 'projectSettings'),
        rules('Bash', 'cargo test:*', 'localSettings'),
        { type: 'addDirectories', directories: ['~/Desktop'], destination: 'session' },
        rules('mcp__postgres__query', undefined, 'userSettings'),
        rules('Bash', 'rm', 'session', 'deny'),
        { type: 'unheard' },
      ],
    },
  });
  expect(texts.map((one) => [one.index, `${one.before}${one.code ? `${one.before ? ' ' : ''}\`${one.code}\`` : ''}, ${one.scope}`])).toEqual([
    [0, 'all edits, this session'],
    [1, '`Edit(crates/**)`, this project'],
    [2, '`cargo test:*`, this project, only you'],
    [3, 'the folder `~/Desktop`, this session'],
    [4, '`mcp__postgres__query`, all projects, only you'],
  ]);
  expect(suggestionsOf({ ...shell, request: { suppress_always_allow_rule: true, permission_suggestions: [rules('Bash', 'x', 'session')] } })).toEqual([]);
  expect(suggestionsOf({ ...shell, request: {} })).toEqual([]);
});

test('"Always deny" uses the suggested rule, or else the call', () => {
  const rule = (toolName: string, card: Card | null, request = {}) => denyRule({ toolName, card, request });
  expect(rule('Bash', make.shell('rm x'), { permission_suggestions: [rules('Bash', 'rm:*', 'session')] })).toBe('Bash(rm:*)');
  expect(rule('Bash', make.shell('rm x'))).toBe('Bash(rm x)');
  expect(rule('Edit', make.change('Edit', '/a/b.rs', {}))).toBe('Edit(//a/b.rs)');
  expect(rule('WebFetch', make.fetch('https://docs.rs/tokio', '', ''))).toBe('WebFetch(domain:docs.rs)');
  expect(rule('mcp__a__b', null)).toBe('mcp__a__b');
});

const two = questionsOf({
  input: {
    questions: [
      {
        question: 'Clock?',
        header: 'Clock',
        multiSelect: false,
        options: [{ label: 'tokio (Recommended)', description: 'd', preview: 'p' }, { label: 'own' }],
      },
      { question: 'Tests?', header: 'Tests', multiSelect: true, options: [{ label: 'a' }, { label: 'b' }, { label: 'c' }] },
    ],
  },
});

test('answers are complete and in the order of the options, with custom text last', () => {
  const [first, second] = two;
  if (!first || !second) throw new Error('two questions');
  expect(plainLabel('tokio (Recommended)')).toBe('tokio');
  let clock = choose(first, emptyChoice(), 'own');
  clock = choose(first, clock, 'tokio (Recommended)');
  let tests = choose(second, choose(second, emptyChoice(), 'c'), 'a');
  expect(missing(two, [clock, emptyChoice()]).map((one) => one.question)).toEqual(['Tests?']);
  tests = chooseOwn(second, tests);
  expect(missing(two, [clock, tests]).map((one) => one.question)).toEqual(['Tests?']);
  tests = { ...tests, text: ' the doc test ' };
  expect(answersOf(two, [clock, tests])).toEqual({ 'Clock?': 'tokio (Recommended)', 'Tests?': 'a, c, the doc test' });
  expect(chooseOwn(first, clock).chosen).toEqual([]);
});

const request = {
  property_order: ['mail', 'n'],
  requested_schema: {
    required: ['mail', 'db'],
    properties: {
      db: { type: 'string', enum: ['dev', 'ci'], enumNames: ['Development', 'CI'] },
      n: { type: 'integer', minimum: 1, maximum: 10, default: 5 },
      mail: { type: 'string', format: 'email' },
      on: { type: 'boolean', default: true },
      share: { type: 'number', exclusiveMinimum: 0 },
      many: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }, { const: 'y' }] }, maxItems: 1 },
      at: { type: 'string', format: 'date' },
      link: { type: 'string', format: 'uri' },
      code: { type: 'string', pattern: '^[A-Z]{3}$', minLength: 2, maxLength: 4 },
      odd: { type: 'object' },
      pick: { oneOf: [{ const: 'l', title: 'Left' }] },
    },
  },
};

test('a form has a field of every kind, in the order of the schema', () => {
  const fields = fieldsOf(request);
  expect(fields.map((field) => [field.key, field.kind])).toEqual([
    ['mail', 'text'],
    ['n', 'number'],
    ['db', 'one'],
    ['on', 'switch'],
    ['share', 'number'],
    ['many', 'many'],
    ['at', 'text'],
    ['link', 'text'],
    ['code', 'text'],
    ['odd', 'json'],
    ['pick', 'one'],
  ]);
  expect(fields.filter((field) => field.required).map((field) => field.key)).toEqual(['mail', 'db']);
  expect(initialValues(fields)).toMatchObject({ n: '5', on: true, mail: '', many: [] });
});

test('errors are reported per field', () => {
  const fields = fieldsOf(request);
  const bad = (key: string, value: string | string[]) => problemOf(fields.find((field) => field.key === key) ?? expect.fail(key), value) !== null;
  expect(['mail', 'db'].map((key) => bad(key, ''))).toEqual([true, true]);
  expect([bad('mail', 'ops at x'), bad('mail', 'ops@x.example')]).toEqual([true, false]);
  expect([bad('n', '0'), bad('n', '1.5'), bad('n', 'x'), bad('n', '11'), bad('n', '10'), bad('n', '')]).toEqual([true, true, true, true, false, false]);
  expect([bad('share', '0'), bad('share', '0.1')]).toEqual([true, false]);
  expect([bad('many', ['x', 'y']), bad('many', ['x'])]).toEqual([true, false]);
  expect([bad('at', '2026-13-01'), bad('at', '2026-11-15')]).toEqual([true, false]);
  expect([bad('link', 'nowhere'), bad('link', 'https://a.example/')]).toEqual([true, false]);
  expect([bad('code', 'ABC'), bad('code', 'abc'), bad('code', 'A')]).toEqual([false, true, true]);
  expect([bad('odd', '{'), bad('odd', '{}')]).toEqual([true, false]);
});

test('a form sends values of the right type and omits empty ones', () => {
  const fields = fieldsOf(request);
  expect(contentOf(fields, { ...initialValues(fields), mail: 'a@b.c', db: 'ci', n: '7', many: ['x'], odd: '{"a":1}' })).toEqual({
    mail: 'a@b.c',
    n: 7,
    db: 'ci',
    on: true,
    many: ['x'],
    odd: { a: 1 },
  });
});

test('numeric enums stay numbers, times get a zone, a decimal comma is accepted', () => {
  const fields = fieldsOf({
    requested_schema: { properties: { n: { type: 'integer', enum: [1, 2] }, at: { type: 'string', format: 'date-time' }, part: { type: 'number' } } },
  });
  const content = contentOf(fields, { n: '2', at: '2026-11-15T10:00', part: '0,5' });
  expect([content['n'], content['part']]).toEqual([2, 0.5]);
  expect(content['at']).toMatch(/^2026-11-1\dT\d\d:\d\d:00\.000Z$/);
});

test('unsent form values survive a reload', () => {
  const shelf = new MemoryShelf();
  new AskForms(shelf).set('a', { message: 'not like this' });
  expect(new AskForms(shelf).get('a', { message: '', open: false })).toEqual({ message: 'not like this', open: false });
  new AskForms(shelf).forget('a');
  expect(shelf.length).toBe(0);
  for (let n = 0; n < 60; n += 1) new AskForms(shelf).set(`a${n}`, { n });
  expect(shelf.length).toBe(40);
});

test('each tool input has the right form', () => {
  expect([
    editKind(make.change('Edit', '/a', { edits: [{ old: '', new: 'x', all: false }] }), { new_string: 'x' }),
    editKind(make.change('Write', '/a', { content: '' }), { content: '' }),
    editKind(make.shell('x'), { command: 'x' }),
    editKind(make.change('Edit', '/a', {}), {}),
    editKind(make.fetch('', '', ''), {}),
  ]).toEqual(['edit', 'write', 'bash', 'json', 'json']);
  expect([fromJson('{"a":1}'), fromJson('[1]'), fromJson('{')]).toEqual([{ a: 1 }, null, null]);
  expect(changedLines('a\nb\nc', 'a\nx\nc')).toBe(1);
  expect(shortPath('/home/ada/tidepool/src/a.rs', '/home/ada/tidepool')).toBe('src/a.rs');
});

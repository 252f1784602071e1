import { expect, test } from 'vitest';
import { make, Script } from '../../gallery/Script';
import { apart, itemAt, momentsOf } from './replay';

test('moments of the same millisecond become different, others stay', () => {
  expect(apart([5, 5, 5, 9, 9])).toEqual([5, 6, 7, 9, 10]);
  expect(apart([])).toEqual([]);
});

test('an item appears at its time, and a call has its result only after its end', () => {
  const script = new Script();
  const began = script.at;
  script.prompt('go').wait(1);
  script.call({ card: make.shell('ls', { output: 'a file' }), result: 'a file', seconds: 5 });
  const moments = momentsOf(script.items);
  const seen = (after: number) =>
    script.items.flatMap((item) => {
      const then = itemAt(item, moments, began + after);
      return then ? [then.body.type === 'tool_call' && then.body.card.body.type === 'shell' ? [then.status, then.body.card.body.output] : then.body.type] : [];
    });
  expect(moments.times).toHaveLength(3);
  expect(seen(-1)).toEqual([]);
  expect(seen(0)).toEqual(['prompt']);
  expect(seen(2_000)).toEqual(['prompt', ['running', null]]);
  expect(seen(9_000)).toEqual(['prompt', ['done', 'a file']]);
});

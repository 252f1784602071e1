// @vitest-environment node
import { expect, test } from 'vitest';
import type { SessionView } from '../protocol';
import type { Change } from '../protocol/session';
import { info, state, testClient } from '../protocol/testing';
import { latestInfo, listenForSigns, sessionStanding } from './sessionStanding';

const START = 1_000_000;
const up = { phase: 'up', since: 0 } as Parameters<typeof sessionStanding>[0]['line'];

/** A running session whose state is from the start of its turn, and a function that lets text arrive. */
function running() {
  const { client } = testClient();
  const listed = info({ standing: 'running', lastSign: START, since: START });
  client.list.apply({ type: 'session', session: listed });
  let now = START;
  const listeners: ((change: Change) => void)[] = [];
  const session = {
    store: { id: 's', newest: 0, revision: null, item: () => undefined },
    state: () => state({ info: listed }),
    items: () => [],
    phase: () => 'live',
    onChange: (listener: (change: Change) => void) => void listeners.push(listener),
  } as unknown as SessionView;
  listenForSigns(session, () => now);
  const emit = (grown: number) => {
    for (const listener of listeners) listener({ grown: { size: grown } } as Change);
  };
  return { client, session, at: (later: number) => (now = START + later), emit, standing: () => sessionStanding({ client, session, line: up, now }) };
}

test('text that is being written is a sign of life', () => {
  const one = running();
  one.at(9_000);
  expect(one.standing()?.evidence).toContain('9 s');
  one.emit(0);
  expect(one.standing()?.evidence).toContain('9 s');
  one.emit(1);
  expect(one.standing()?.evidence).toContain('0 s');
  one.at(12_000);
  expect(one.standing()?.evidence).toContain('3 s');
});

test('the session list brings signs of life and activity without a new state', () => {
  const one = running();
  one.at(30_000);
  one.client.list.apply({ type: 'session', session: info({ standing: 'running', lastSign: START + 28_000, since: START, activity: [1, 2, 3] }) });
  expect(one.standing()?.evidence).toContain('2 s');
  expect(latestInfo(one.session, one.client)?.activity).toEqual([1, 2, 3]);
});

import { createEffect, createRoot } from 'solid-js';
import { expect, test } from 'vitest';
import { testClient } from './testing';

test('scopes are known whenever the connection is up', () => {
  const { client, last } = testClient();
  const seen: boolean[] = [];
  client.connection.line.listen((line) => {
    if (line.phase === 'up') seen.push(client.may('operate'));
  });
  client.connection.start();
  last().welcome();
  expect(seen).toEqual([true]);
});

test('permissions are evaluated again after the welcome', () => {
  const { client, last } = testClient();
  const decided: boolean[] = [];
  const dispose = createRoot((stop) => {
    createEffect(() => {
      decided.push(client.may('operate'));
    });
    return stop;
  });
  expect(decided).toEqual([false]);
  client.connection.start();
  last().welcome();
  expect(decided).toEqual([false, true]);
  last().welcome({ scopes: ['view'] });
  expect(decided).toEqual([false, true, false]);
  dispose();
});

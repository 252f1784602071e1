// What was spent, split by model: a day by asking for that day, a session by asking for it, a folder as the sum of its
// sessions. A turn belongs to a model where its session used one alone; else it is shown as of several.
import { createEffect, createMemo, createSignal, on, type Accessor } from 'solid-js';
import type { UsageInfo } from '../api/types';
import { dayKey } from './figures';
import { request } from './link';

export interface Part { model: string; cost: number }
export interface Stack { key: string; cost: number; turns: number; parts: readonly Part[] }
/** The part nobody could tell the model of. */
export const UNTOLD = '';

type Range = { from: number; to: number };

/** Noon of a day where the reader is: the same day at a bridge that is not on the other side of the earth. */
export function noon(key: string): number {
  const [year = 1970, month = 1, day = 1] = key.split('-').map(Number);
  return new Date(year, month - 1, day, 12).getTime();
}

/** The parts of a row: what is known, and the rest as untold; together what the row says. */
export function partsOf(row: { cost: number }, known: readonly Part[]): Part[] {
  const told = known.reduce((sum, part) => sum + part.cost, 0);
  const rest = row.cost - told;
  // Sums of many small figures differ in the last places.
  return rest > Math.max(1e-9, row.cost * 1e-6) ? [...known, { model: UNTOLD, cost: rest }] : [...known];
}

export const stack = (row: UsageInfo, known: readonly Part[]): Stack => ({ key: row.key, cost: row.cost, turns: row.turns, parts: partsOf(row, known) });

/** Sums the parts of several rows, by model. */
export function sumParts(lists: readonly (readonly Part[])[]): Part[] {
  const by = new Map<string, number>();
  for (const part of lists.flat()) by.set(part.model, (by.get(part.model) ?? 0) + part.cost);
  return [...by].map(([model, cost]) => ({ model, cost })).sort((a, b) => b.cost - a.cost);
}

/** Models in the order of their colours: the dearest first. */
export const modelsOf = (rows: readonly UsageInfo[]): string[] => [...rows].sort((a, b) => b.cost - a.cost).map((row) => row.key);

/** Asks for the parts of each key, a few at a time; what is known already is not asked again. */
export function createParts(keys: Accessor<readonly string[]>, fresh: Accessor<unknown>, ask: (key: string) => Promise<readonly UsageInfo[]>): Accessor<ReadonlyMap<string, readonly Part[]>> {
  const [known, setKnown] = createSignal<ReadonlyMap<string, readonly Part[]>>(new Map());
  let round = 0;
  createEffect(on([createMemo(() => keys().join('\n')), fresh], () => {
    const mine = (round += 1);
    const waiting = [...keys()];
    const found = new Map<string, readonly Part[]>();
    const next = async (): Promise<void> => {
      const key = waiting.shift();
      if (key === undefined || mine !== round) return;
      const rows = await ask(key).catch(() => []);
      found.set(key, rows.filter((row) => row.cost > 0).map((row) => ({ model: row.key, cost: row.cost })));
      await next();
    };
    void Promise.all(Array.from({ length: 8 }, next)).then(() => { if (mine === round) setKnown(found); });
  }));
  return known;
}

const ofDay = new Map<string, readonly UsageInfo[]>();

/** What a day cost, by model. Days that are over do not change. */
export async function askDay(key: string): Promise<readonly UsageInfo[]> {
  const kept = ofDay.get(key);
  if (kept) return kept;
  const at = noon(key);
  const { rows } = await request({ type: 'usage', by: 'model', from: at, to: at });
  if (key < dayKey(Date.now())) ofDay.set(key, rows);
  return rows;
}

export const askSession = (range: Range) => async (sessionId: string): Promise<readonly UsageInfo[]> => (await request({ type: 'usage', by: 'model', sessionId, ...range })).rows;

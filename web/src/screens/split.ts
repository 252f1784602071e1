// Cost split by model. The bridge reports a row per model for each day, folder, session and turn.
import type { UsageInfo } from '../api/types';

export interface Part {
  model: string;
  cost: number;
}
export interface Stack {
  key: string;
  cost: number;
  turns: number;
  parts: readonly Part[];
}
/** Label for cost whose model is unknown. */
export const UNKNOWN_MODEL = '';

/** The parts of a row: the known ones and the rest as unknown. Together they are the cost of the row. */
export function partsOf(row: { cost: number }, known: readonly Part[]): Part[] {
  const sum = known.reduce((sum, part) => sum + part.cost, 0);
  const rest = row.cost - sum;
  // Sums of many small numbers have rounding errors.
  return rest > Math.max(1e-9, row.cost * 1e-6) ? [...known, { model: UNKNOWN_MODEL, cost: rest }] : [...known];
}

export const stack = (row: UsageInfo, known: readonly Part[]): Stack => ({ key: row.key, cost: row.cost, turns: row.turns, parts: partsOf(row, known) });

/** The parts of every key, most expensive first. Rows without a model count as unknown. */
export function partsByKey(rows: readonly UsageInfo[]): ReadonlyMap<string, readonly Part[]> {
  const by = new Map<string, Part[]>();
  for (const row of rows) if (row.cost > 0) by.set(row.key, [...(by.get(row.key) ?? []), { model: row.model ?? UNKNOWN_MODEL, cost: row.cost }]);
  for (const parts of by.values()) parts.sort((a, b) => b.cost - a.cost);
  return by;
}

/** Models in the order of their colours: most expensive first. */
export const modelsOf = (rows: readonly UsageInfo[]): string[] => [...rows].sort((a, b) => b.cost - a.cost).map((row) => row.key);

// Sums of usage data.
import type { UsageInfo } from '../api/types';

const DAY = 86_400_000;

/** The local day of a time: 2026-11-15. */
export function dayKey(at: number): string {
  const day = new Date(at);
  return `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, '0')}-${String(day.getDate()).padStart(2, '0')}`;
}

export type Figure = 'cost' | 'turns' | 'input' | 'output' | 'cacheRead' | 'cacheWrite';
export const sum = (rows: readonly UsageInfo[], field: Figure): number => rows.reduce((all, row) => all + row[field], 0);

/** Adds the days without usage to the range. */
export function fillDays(rows: readonly UsageInfo[], from: number, days: number): UsageInfo[] {
  const by = new Map(rows.map((row) => [row.key, row]));
  return Array.from({ length: days }, (_, i) => {
    // Noon, since a day may have 23 or 25 hours.
    const key = dayKey(from + i * DAY + DAY / 2);
    return by.get(key) ?? { key, label: null, model: null, cost: 0, turns: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, duration: 0 };
  });
}

export function quantile(values: readonly number[], part: number): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}

/** A round step that gives about four grid lines. */
export function step(top: number): number {
  if (top <= 0) return 1;
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
}

export function csv(rows: readonly UsageInfo[]): string {
  const columns = ['key', 'turns', 'input', 'cacheRead', 'cacheWrite', 'output', 'duration', 'cost'] as const;
  return [columns.join(','), ...rows.map((row) => columns.map((name) => JSON.stringify(row[name])).join(','))].join('\n');
}

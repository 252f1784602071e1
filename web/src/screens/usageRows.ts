// The rows of the usage screen: fetched per day, folder, model, session and turn, and prepared for the charts.
import '../text/rooms';
import { createMemo, createSignal, type Accessor } from 'solid-js';
import type { UsageInfo } from '../api/types';
import { t } from '../text';
import { createAsked } from './asked';
import { dayName, modelName } from './charts';
import { csv, dayKey, fillDays, sum } from './figures';
import { folderName } from './groups';
import { infoOf, now, request, up } from './link';
import { modelsOf, partsByKey, stack, type Stack } from './split';

export type Days = '7' | '30' | '90';
export type By = 'day' | 'turn' | 'session' | 'folder' | 'model';
const DAY = 86_400_000;
/** Maximum number of bars and rows, the most expensive first. */
const MAX_ROWS = 30;

type Span = { from: number; to: number };
type Rows = Accessor<readonly UsageInfo[]> & { known: () => boolean };

function fetchRows(by: By, range: () => Span | null, split: string | null = null): Rows {
  const [rows] = createAsked(range, async (span) => (await request({ type: 'usage', by, split, ...span })).rows);
  return Object.assign(() => (rows.error ? [] : (rows.latest ?? [])), { known: () => rows.latest !== undefined || rows.error !== undefined });
}

export const byCost = <T extends { cost: number }>(rows: readonly T[], most: number): T[] => [...rows].sort((a, b) => b.cost - a.cost).slice(0, most);

/** The usage of the last `days` days. */
export function createUsage(days: Accessor<Days>) {
  const n = () => Number(days());
  const midnight = createMemo(() => new Date(now()).setHours(0, 0, 0, 0));
  const range = createMemo(() => (up() ? { from: midnight() - (n() - 1) * DAY, to: midnight() + DAY } : null));
  const earlier = createMemo(() => {
    const span = range();
    return span ? { from: span.from - n() * DAY, to: span.from - DAY / 2 } : null;
  });
  const rows = {
    day: fetchRows('day', range),
    turn: fetchRows('turn', range),
    session: fetchRows('session', range),
    folder: fetchRows('folder', range),
    model: fetchRows('model', range),
  };
  const before = fetchRows('day', earlier);
  const total = () => sum(rows.day(), 'cost');
  const past = () => sum(before(), 'cost');
  return {
    n,
    midnight,
    range,
    rows,
    /** Everything is loaded, or could not be. */
    known: () => Object.values(rows).every((one) => one.known()),
    total,
    /** Change against the period before; null without one. */
    change: () => (past() > 0 ? (total() - past()) / past() : null),
    today: () => rows.day().find((row) => row.key === dayKey(midnight())),
    filled: createMemo(() => fillDays(rows.day(), range()?.from ?? midnight(), n())),
    readTokens: () => sum(rows.day(), 'cacheRead') + sum(rows.day(), 'input') + sum(rows.day(), 'cacheWrite'),
    models: createMemo(() => modelsOf(rows.model())),
  };
}
export type Usage = ReturnType<typeof createUsage>;

/** What the chart shows, and what its bars are called. */
export function createChart({ midnight, range, rows, filled }: Usage) {
  const [by, setBy] = createSignal<By>('day');
  // Grouped by model as well. Sessions and turns are loaded when they are shown.
  const split = (which: By, always = false) => {
    const parts = fetchRows(which, () => (always || by() === which ? range() : null), 'model');
    return createMemo(() => partsByKey(parts()));
  };
  const parts = { day: split('day', true), folder: split('folder', true), session: split('session'), turn: split('turn') };
  const stacks = (which: keyof typeof parts, all: readonly UsageInfo[]) => all.map((row) => stack(row, parts[which]().get(row.key) ?? []));
  const folders = createMemo(() => stacks('folder', rows.folder()));
  const models = createMemo(() => rows.model().map((row) => stack(row, [{ model: row.key, cost: row.cost }])));
  const charted = createMemo((): readonly Stack[] => {
    switch (by()) {
      case 'day':
        return stacks('day', filled());
      case 'folder':
        return byCost(folders(), MAX_ROWS);
      case 'model':
        return byCost(models(), MAX_ROWS);
      default:
        return byCost(stacks(by() as 'turn' | 'session', rows[by()]()), MAX_ROWS);
    }
  });
  const tableRows = createMemo((): readonly UsageInfo[] =>
    by() === 'day' ? filled().filter((row) => row.turns > 0 || row.cost > 0) : byCost(rows[by()](), MAX_ROWS),
  );
  const sessionName = (key: string) => infoOf(key)?.title ?? rows.session().find((row) => row.key === key)?.label ?? t('sessions.untitled');
  const nameOf = ({ key }: { key: string }): string => {
    switch (by()) {
      case 'day':
        return key === dayKey(midnight()) ? t('settings.today') : dayName(key);
      case 'turn': {
        const turn = /^(.+)[/#:](\d+)$/.exec(key);
        return turn ? `${sessionName(turn[1] ?? '')}, ${t('settings.turn')} ${turn[2]}` : key;
      }
      case 'session':
        return sessionName(key);
      case 'folder':
        return folderName(key);
      case 'model':
        return modelName(key);
    }
  };
  return { by, setBy, folders, models, charted, tableRows, nameOf };
}
export type Chart = ReturnType<typeof createChart>;

/** Saves the days as a file. */
export function download({ filled, n }: Usage): void {
  const file = URL.createObjectURL(new Blob([csv(filled())], { type: 'text/csv' }));
  Object.assign(document.createElement('a'), { href: file, download: `usage-${n()}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(file), 60_000);
}

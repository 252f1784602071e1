// The charts: bars per day, shares as rows. Hover and focus name a bar; the figures are in a table beside them.
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { UsageInfo } from '../api/types';
import { locale, t } from '../text';
import { money, percent } from '../text/format';
import { step, sum } from './figures';

export const dayName = (key: string): string => {
  const at = new Date(`${key}T12:00:00`);
  return Number.isNaN(at.getTime()) ? key : new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' }).format(at);
};

export function DayBars(props: { rows: readonly UsageInfo[] }): JSX.Element {
  const [told, setTold] = createSignal<UsageInfo | null>(null);
  const stepBy = createMemo(() => step(Math.max(...props.rows.map((row) => row.cost), 0)));
  const top = () => stepBy() * Math.max(1, Math.ceil(Math.max(...props.rows.map((row) => row.cost), 0) / stepBy()));
  const lines = createMemo(() => Array.from({ length: Math.round(top() / stepBy()) + 1 }, (_, i) => i * stepBy()));
  // About four labels fit on a phone; the last day is always named.
  const named = (i: number) => i === props.rows.length - 1 || (i % Math.ceil(props.rows.length / 4) === 0 && i < props.rows.length - 3);
  const day = (row: UsageInfo) => (row === props.rows.at(-1) ? t('settings.today') : dayName(row.key));
  const tells = (row: UsageInfo) => t('settings.barTells', { day: day(row), cost: money(row.cost), turns: t('settings.turnsToday', { n: row.turns }) });
  const best = createMemo(() => props.rows.reduce<UsageInfo | null>((most, row) => (row.cost > (most?.cost ?? 0) ? row : most), null));
  return (
    <>
      <p class="tell" aria-hidden="true"><Show when={told() ?? best()}>{(row) => tells(row())}</Show></p>
      <div class="bars" role="group" aria-label={t('settings.chartLabel', { n: props.rows.length })}>
        <For each={lines()}>{(value) => <span class="rule" style={{ '--y': `${(value / top()) * 100}%` }} aria-hidden="true"><span>{stepBy() < 1 ? money(value) : `$${value}`}</span></span>}</For>
        <For each={props.rows}>{(row, i) => (
          <button type="button" aria-label={tells(row)} tabIndex={i() === props.rows.length - 1 ? 0 : -1} onPointerEnter={() => setTold(row)} onFocus={() => setTold(row)} onPointerLeave={() => setTold(null)} onBlur={() => setTold(null)}
            onKeyDown={(event) => {
              const to = event.key === 'ArrowLeft' ? event.currentTarget.previousElementSibling : event.key === 'ArrowRight' ? event.currentTarget.nextElementSibling : null;
              if (to instanceof HTMLButtonElement) { event.preventDefault(); to.focus(); }
            }}>
            <i style={{ '--h': row.cost / top() }} />
            <Show when={named(i())}><span aria-hidden="true">{day(row)}</span></Show>
          </button>
        )}</For>
      </div>
    </>
  );
}

const COLOURS = ['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c4)', 'var(--c5)', 'var(--c6)'];

export function Shares(props: { rows: readonly UsageInfo[]; name: (row: UsageInfo) => string; mono?: boolean; colours?: boolean }): JSX.Element {
  const rows = createMemo(() => [...props.rows].sort((a, b) => b.cost - a.cost).slice(0, 10));
  const total = () => sum(props.rows, 'cost');
  const most = () => Math.max(rows()[0]?.cost ?? 0, 1e-9);
  return (
    <Show when={rows().length} fallback={<p class="dim">{t('settings.noUsage')}</p>}>
      <ul class="hb">
        <For each={rows()}>{(row, i) => (
          <li>
            <span class="trunc" classList={{ mono: props.mono === true }} title={row.label ?? row.key}>{props.name(row)}</span>
            <span class="bar" aria-hidden="true"><i style={{ '--part': row.cost / most(), '--c': props.colours ? COLOURS[Math.min(i(), 5)] : 'var(--c1)' }} /></span>
            <span class="n">{money(row.cost)}</span>
            <span class="p">{row.cost > 0 ? percent(total() ? row.cost / total() : 0) : t('settings.free')}</span>
          </li>
        )}</For>
      </ul>
    </Show>
  );
}

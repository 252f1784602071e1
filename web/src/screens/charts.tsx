// Charts: bars stacked by model, shares as rows. Hover and focus name a bar; a table contains the figures. The drawing
// is one SVG that fills its box; labels are outside, so that they are not stretched.
import '../text/rooms';
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import { t } from '../text';
import { day, money, percent } from '../text/format';
import { step } from './figures';
import { modelNamed } from './models';
import { UNKNOWN_MODEL, type Part, type Stack } from './split';

export const dayName = (key: string): string => {
  const at = new Date(`${key}T12:00:00`);
  return Number.isNaN(at.getTime()) ? key : day(at.getTime());
};

const COLOURS = ['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c4)', 'var(--c5)', 'var(--c6)'];
const MOST = COLOURS.length;
/** The colour of a model, by its index; models beyond the sixth share one. */
export const colourOf = (models: readonly string[], model: string): string => {
  const at = models.indexOf(model);
  return model === UNKNOWN_MODEL || at < 0 ? 'var(--line-3)' : (COLOURS[Math.min(at, MOST - 1)] ?? 'var(--c6)');
};
export const modelName = (model: string): string => (model === UNKNOWN_MODEL ? t('settings.severalModels') : modelNamed(model));

export function Legend(props: { models: readonly string[]; rows: readonly Stack[] }): JSX.Element {
  const seen = createMemo(() => {
    const here = new Set(props.rows.flatMap((row) => row.parts.filter((part) => part.cost > 0).map((part) => part.model)));
    return [...props.models.filter((model) => here.has(model)), ...(here.has(UNKNOWN_MODEL) ? [UNKNOWN_MODEL] : [])];
  });
  return (
    <p class="legend">
      <For each={seen()}>
        {(model) => (
          <span title={model === UNKNOWN_MODEL ? undefined : model}>
            <i style={{ '--c': colourOf(props.models, model) }} />
            {modelName(model)}
          </span>
        )}
      </For>
    </p>
  );
}

/** The segments of a bar from the bottom up, as fractions of the height. */
export function boxes(parts: readonly Part[], models: readonly string[], top: number): { model: string; y: number; height: number }[] {
  const rank = (part: Part) => (part.model === UNKNOWN_MODEL ? models.length : models.indexOf(part.model));
  let under = 0;
  return [...parts]
    .sort((a, b) => rank(a) - rank(b))
    .map((part) => {
      const height = part.cost / top;
      under += height;
      return { model: part.model, y: 1 - under, height };
    });
}

const W = 1000;
const H = 200;

export function StackedBars(props: {
  rows: readonly Stack[];
  models: readonly string[];
  name: (row: Stack) => string;
  label: string;
  days?: boolean | undefined;
}): JSX.Element {
  const [told, setTold] = createSignal<Stack | null>(null);
  const most = createMemo(() => Math.max(...props.rows.map((row) => row.cost), 0));
  const stepBy = createMemo(() => step(most()));
  const top = () => stepBy() * Math.max(1, Math.ceil(most() / stepBy() - 1e-9));
  const lines = createMemo(() => Array.from({ length: Math.round(top() / stepBy()) + 1 }, (_, i) => i * stepBy()));
  const slot = () => W / Math.max(1, props.rows.length);
  const width = () => Math.min(slot() * 0.68, 60);
  // About four labels fit on a phone; the last day is always labelled. Bars that are not days are labelled if there is
  // space.
  const named = (i: number) =>
    props.days ? i === props.rows.length - 1 || (i % Math.ceil(props.rows.length / 4) === 0 && i < props.rows.length - 3) : props.rows.length <= 8;
  const tells = (row: Stack) => {
    const all = t('settings.barTells', { day: props.name(row), cost: money(row.cost), turns: t('settings.turnsToday', { n: row.turns }) });
    const parts = row.parts.filter((part) => part.cost > 0);
    return parts.length > 1 ? `${all} · ${parts.map((part) => `${modelName(part.model)} ${money(part.cost)}`).join(', ')}` : all;
  };
  const best = createMemo(() => props.rows.reduce<Stack | null>((dear, row) => (row.cost > (dear?.cost ?? 0) ? row : dear), null));
  return (
    <>
      <p class="tell" aria-hidden="true">
        <Show when={told() ?? best()}>{(row) => tells(row())}</Show>
      </p>
      <div class="bars" role="group" aria-label={props.label}>
        <For each={lines()}>
          {(value) => (
            <span class="rule" style={{ '--y': `${(value / top()) * 100}%` }} aria-hidden="true">
              <span>{stepBy() < 1 ? money(value) : `$${value}`}</span>
            </span>
          )}
        </For>
        <svg class="stacks" viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" aria-hidden="true">
          <For each={props.rows}>
            {(row, i) => (
              <For each={boxes(row.parts, props.models, top())}>
                {(box) => (
                  <rect
                    x={i() * slot() + (slot() - width()) / 2}
                    y={box.y * H}
                    width={width()}
                    height={Math.max(0, box.height * H)}
                    style={{ '--c': colourOf(props.models, box.model) }}
                    vector-effect="non-scaling-stroke"
                  />
                )}
              </For>
            )}
          </For>
        </svg>
        <For each={props.rows}>
          {(row, i) => (
            <Bar
              label={tells(row)}
              last={i() === props.rows.length - 1}
              name={named(i()) ? props.name(row) : null}
              days={props.days === true}
              onTell={(on) => setTold(on ? row : null)}
            />
          )}
        </For>
      </div>
    </>
  );
}

/** Rows with a bar each, stacked by model. */
export function Shares(props: { rows: readonly Stack[]; models: readonly string[]; name: (row: Stack) => string; mono?: boolean }): JSX.Element {
  const rows = createMemo(() => [...props.rows].sort((a, b) => b.cost - a.cost).slice(0, 10));
  const total = () => props.rows.reduce((sum, row) => sum + row.cost, 0);
  const most = () => Math.max(rows()[0]?.cost ?? 0, 1e-9);
  return (
    <Show when={rows().length} fallback={<p class="dim">{t('settings.noUsage')}</p>}>
      <ul class="hb">
        <For each={rows()}>
          {(row) => (
            <li>
              <span class="trunc" classList={{ mono: props.mono === true }} title={row.key}>
                {props.name(row)}
              </span>
              <span class="bar" aria-hidden="true">
                <For each={[...boxes(row.parts, props.models, most())]}>
                  {(box) => <i style={{ '--part': box.height, '--c': colourOf(props.models, box.model) }} />}
                </For>
              </span>
              <span class="n">{money(row.cost)}</span>
              <span class="p">{row.cost > 0 ? percent(total() ? row.cost / total() : 0) : t('settings.free')}</span>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

/** The area of a bar for pointer and keyboard, with its label. */
function Bar(props: { label: string; last: boolean; name: string | null; days: boolean; onTell: (on: boolean) => void }): JSX.Element {
  return (
    <button
      type="button"
      aria-label={props.label}
      tabIndex={props.last ? 0 : -1}
      onPointerEnter={() => props.onTell(true)}
      onFocus={() => props.onTell(true)}
      onPointerLeave={() => props.onTell(false)}
      onBlur={() => props.onTell(false)}
      onKeyDown={(event) => {
        const to =
          event.key === 'ArrowLeft' ? event.currentTarget.previousElementSibling : event.key === 'ArrowRight' ? event.currentTarget.nextElementSibling : null;
        if (to instanceof HTMLButtonElement) {
          event.preventDefault();
          to.focus();
        }
      }}
    >
      <Show when={props.name}>
        <span class={props.days ? '' : 'trunc'} aria-hidden="true">
          {props.name}
        </span>
      </Show>
    </button>
  );
}

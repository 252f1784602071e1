// The session over time: records per interval, turns, pending requests, failures, compactions. A slider over it scrubs.
import '../text/places';
import { createMemo, For, Show, type JSX } from 'solid-js';
import type { TimelineData, TurnInfo } from '../api/types';
import { t } from '../text';
import { clock, duration, seconds } from '../text/format';
import { sessionHref } from '../route/route';

const W = 1000;
const H = 64;

export const waited = (turns: readonly TurnInfo[]): number =>
  turns.reduce((sum, turn) => sum + turn.waits.reduce((n, [from, to]) => n + Math.max(0, to - from), 0), 0);
export const turnAt = (turns: readonly TurnInfo[], at: number): TurnInfo | undefined => turns.findLast((turn) => turn.began <= at) ?? turns[0];

export function Timeline(props: { id: string; data: TimelineData; at: number; onAt: (at: number) => void }): JSX.Element {
  const span = () => Math.max(1, props.data.to - props.data.from);
  const x = (at: number) => ((at - props.data.from) / span()) * W;
  const top = createMemo(() => Math.max(1, ...props.data.flow));
  const slice = () => W / Math.max(1, props.data.flow.length);
  const bad = (turn: TurnInfo) => turn.end === 'error' || turn.end === 'died';
  const place = (at: number) => `${Math.min(100, Math.max(0, (x(at) / W) * 100))}%`;
  // Short sessions need seconds to distinguish positions.
  const timeLabel = (at: number) => (span() < 600_000 ? seconds(at) : clock(at));
  const scale = createMemo(() => Array.from({ length: 6 }, (_, i) => props.data.from + (span() * i) / 5));
  const label = () =>
    t('places.timelineLabel', { from: clock(props.data.from), to: clock(props.data.to), turns: t('places.turnCount', { n: props.data.turns.length }) });
  return (
    <div class="tl">
      <svg viewBox={`0 0 ${W} ${H + 8}`} preserveAspectRatio="none" role="img" aria-label={label()}>
        <For each={props.data.flow}>
          {(value, i) => {
            const height = () => (value > 0 ? 3 + (value / top()) * (H - 16) : 1);
            return <rect class={value > 0 ? 'bar' : 'zero'} x={i() * slice()} y={H - height()} width={Math.max(1, slice() - 1)} height={height()} />;
          }}
        </For>
        <For each={props.data.turns}>
          {(turn) => (
            <>
              <path class={turn.origin ? 'theirs' : 'mine'} d={`M${x(turn.began)} 4V${H}`} vector-effect="non-scaling-stroke" />
              <For each={turn.waits}>{([from, to]) => <rect class="wait" x={x(from)} y={H + 2} width={Math.max(2, x(to) - x(from))} height="4" />}</For>
              <Show when={bad(turn) && turn.ended}>{(ended) => <rect class="err" x={x(ended()) - 3} y={H + 2} width="6" height="4" />}</Show>
            </>
          )}
        </For>
        <path class="cursor" d={`M${x(props.at)} 0V${H + 8}`} vector-effect="non-scaling-stroke" />
      </svg>
      <For each={props.data.breaks.filter(({ at }) => at >= props.data.from && at <= props.data.to)}>
        {({ at, kind }) => (
          <svg
            class="jag"
            viewBox="0 0 10 64"
            preserveAspectRatio="none"
            role="img"
            aria-label={kind === 'cleared' ? t('places.clearedAt', { time: timeLabel(at) }) : t('places.cutAt', { time: timeLabel(at) })}
            style={{ '--x': place(at) }}
          >
            <path d="M5 0v16l-4 8 8 16-4 8v16" vector-effect="non-scaling-stroke" />
          </svg>
        )}
      </For>
      <div class="turnlabels not-phone">
        <For each={props.data.turns.length <= 30 ? props.data.turns : []}>
          {(turn) => (
            <a
              classList={{ theirs: turn.origin !== null }}
              href={sessionHref(props.id, 'transcript', turn.item)}
              style={{ '--x': place(turn.began) }}
              aria-label={t('places.turnLink', { n: turn.turn + 1, time: clock(turn.began) })}
            >
              {turn.turn + 1}
            </a>
          )}
        </For>
      </div>
      <input
        type="range"
        min={props.data.from}
        max={props.data.to}
        step={Math.max(1, Math.round(span() / 500))}
        value={props.at}
        aria-label={t('places.scrub')}
        aria-valuetext={t('places.scrubValue', { time: clock(props.at), turn: (turnAt(props.data.turns, props.at)?.turn ?? 0) + 1 })}
        onInput={(event) => props.onAt(Number(event.currentTarget.value))}
      />
      <div class="scale num" aria-hidden="true">
        <For each={scale()}>
          {(at, i) => <span style={{ '--x': `${i() * 20}%` }}>{i() > 0 && timeLabel(at) === timeLabel(scale()[i() - 1] ?? 0) ? '' : timeLabel(at)}</span>}
        </For>
      </div>
    </div>
  );
}

export function TimelineWords(props: { data: TimelineData }): JSX.Element {
  const wait = () => waited(props.data.turns);
  return (
    <>
      {duration(props.data.to - props.data.from)} · {t('places.turnCount', { n: props.data.turns.length })}
      <Show when={wait() > 0}> · {t('places.waitedFor', { time: duration(wait()) })}</Show>
    </>
  );
}

export function Legend(): JSX.Element {
  const parts = [
    ['var(--accent-2)', () => t('places.legendRecords')],
    ['var(--ink)', () => t('places.legendYours')],
    ['var(--other-2)', () => t('places.legendTheirs')],
    ['var(--ask-2)', () => t('places.legendWaits')],
    ['var(--bad-2)', () => t('places.legendError')],
    ['var(--line-3)', () => t('places.legendCuts')],
  ] as const;
  return (
    <p class="legend" aria-hidden="true">
      <For each={parts}>
        {([colour, word]) => (
          <span>
            <i style={{ '--c': colour }} />
            {word()}
          </span>
        )}
      </For>
    </p>
  );
}

// The session over time: records per slice, turns, waits, ends that failed. A slider over it scrubs.
import { createMemo, For, Show, type JSX } from 'solid-js';
import type { TimelineData, TurnInfo } from '../api/types';
import { t } from '../text';
import { clock, duration } from '../text/format';
import { sessionHref } from '../route/route';

const W = 1000;
const H = 64;

export const waited = (turns: readonly TurnInfo[]): number => turns.reduce((sum, turn) => sum + turn.waits.reduce((n, [from, to]) => n + Math.max(0, to - from), 0), 0);
export const turnAt = (turns: readonly TurnInfo[], at: number): TurnInfo | undefined => turns.findLast((turn) => turn.began <= at) ?? turns[0];

export function Timeline(props: { id: string; data: TimelineData; at: number; onAt: (at: number) => void }): JSX.Element {
  const span = () => Math.max(1, props.data.to - props.data.from);
  const x = (at: number) => ((at - props.data.from) / span()) * W;
  const top = createMemo(() => Math.max(1, ...props.data.flow));
  const slice = () => W / Math.max(1, props.data.flow.length);
  const bad = (turn: TurnInfo) => turn.end === 'error' || turn.end === 'died';
  const scale = createMemo(() => Array.from({ length: 6 }, (_, i) => props.data.from + (span() * i) / 5));
  const label = () => t('sessions.timelineLabel', { from: clock(props.data.from), to: clock(props.data.to), turns: t('sessions.turnCount', { n: props.data.turns.length }) });
  return (
    <div class="tl">
      <svg viewBox={`0 0 ${W} ${H + 8}`} preserveAspectRatio="none" role="img" aria-label={label()}>
        <For each={props.data.flow}>{(value, i) => {
          const height = () => (value > 0 ? 3 + (value / top()) * (H - 16) : 1);
          return <rect class={value > 0 ? 'bar' : 'zero'} x={i() * slice()} y={H - height()} width={Math.max(1, slice() - 1)} height={height()} />;
        }}</For>
        <For each={props.data.turns}>{(turn) => (
          <>
            <path class={turn.origin ? 'theirs' : 'mine'} d={`M${x(turn.began)} 4V${H}`} vector-effect="non-scaling-stroke" />
            <For each={turn.waits}>{([from, to]) => <rect class="wait" x={x(from)} y={H + 2} width={Math.max(2, x(to) - x(from))} height="4" />}</For>
            <Show when={bad(turn) && turn.ended}>{(ended) => <rect class="err" x={x(ended()) - 3} y={H + 2} width="6" height="4" />}</Show>
          </>
        )}</For>
        <path class="cursor" d={`M${x(props.at)} 0V${H + 8}`} vector-effect="non-scaling-stroke" />
      </svg>
      <div class="turnlabels not-phone">
        <For each={props.data.turns.length <= 30 ? props.data.turns : []}>{(turn) => (
          <a href={sessionHref(props.id, 'transcript', turn.seq)} style={{ '--x': `${(x(turn.began) / W) * 100}%` }} aria-label={t('sessions.turnLink', { n: turn.turn, time: clock(turn.began) })}>{turn.turn}</a>
        )}</For>
      </div>
      <input type="range" min={props.data.from} max={props.data.to} step={Math.max(1, Math.round(span() / 500))} value={props.at} aria-label={t('sessions.scrub')}
        aria-valuetext={t('sessions.scrubValue', { time: clock(props.at), turn: turnAt(props.data.turns, props.at)?.turn ?? 0 })} onInput={(event) => props.onAt(Number(event.currentTarget.value))} />
      <div class="scale num" aria-hidden="true"><For each={scale()}>{(at, i) => <span style={{ '--x': `${i() * 20}%` }}>{clock(at)}</span>}</For></div>
    </div>
  );
}

export function TimelineWords(props: { data: TimelineData }): JSX.Element {
  const wait = () => waited(props.data.turns);
  return <>{duration(props.data.to - props.data.from)} · {t('sessions.turnCount', { n: props.data.turns.length })}<Show when={wait() > 0}> · {t('sessions.waitedFor', { time: duration(wait()) })}</Show></>;
}

export function Legend(): JSX.Element {
  const parts = [['var(--accent-2)', () => t('sessions.legendRecords')], ['var(--ink)', () => t('sessions.legendYours')], ['var(--other-2)', () => t('sessions.legendTheirs')], ['var(--ask-2)', () => t('sessions.legendWaits')], ['var(--bad-2)', () => t('sessions.legendError')]] as const;
  return <p class="legend" aria-hidden="true"><For each={parts}>{([colour, word]) => <span><i style={{ '--c': colour }} />{word()}</span>}</For></p>;
}

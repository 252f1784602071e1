// Rows about a whole turn: its origin, its folded calls, its failure and its end; and breaks between turns.
import { createSignal, For, Show, type JSX } from 'solid-js';
import type { PromptItem } from '../api/types';
import { Markdown } from '../markdown/Markdown';
import { t } from '../text';
import { clock, duration, moment, money, percent, tokens } from '../text/format';
import { Button, CopyButton, Icon, IconButton, LinkButton } from '../ui';
import { Call } from './cards/Call';
import { copyLink } from './items';
import { outcomeText } from './marks';
import { textOf, type Cell, type Turn } from './model';
import { observe, useFolds, useServices } from './services';

/** The text the model wrote in a turn, as Markdown. */
const textOfTurn = (turn: Turn): string => turn.items.flatMap((cell) => textOf(cell.as('text')?.text) || []).join('\n\n');

const promptOf = (turn: Turn): PromptItem | undefined => turn.items.findLast((cell) => cell.as('prompt'))?.as('prompt');

export function OriginBox(props: { turn: Turn }): JSX.Element {
  const turn = observe(props.turn);
  const name = () => {
    const origin = turn().origin;
    switch (origin?.kind) {
      case 'task':
        return origin.outcome === 'failed'
          ? t('transcript.originTaskFailed')
          : origin.outcome === 'stopped'
            ? t('transcript.originTaskStopped')
            : t('transcript.originTask');
      case 'wakeup':
        return t('transcript.originWake');
      case 'peer':
        return t('transcript.originPeer');
      case 'channel':
        return t('transcript.originChannel');
      case 'continuation':
        return t('transcript.originContinuation');
      default:
        return t('transcript.originUnknown');
    }
  };
  return (
    <>
      <time class="at" dateTime={new Date(turn().at).toISOString()} title={moment(turn().at)}>
        {clock(turn().at)}
      </time>
      <div class="said origin">
        <span class="by">{t('transcript.notFromYou')}</span>
        <b class="t-other strong">{name()}</b>
        <Show when={turn().origin?.text}> · {turn().origin?.text}</Show>
      </div>
    </>
  );
}

/** Several read-only calls as one row that contains them. */
export function Looked(props: { cells: readonly Cell[] }): JSX.Element {
  const folds = useFolds();
  const key = () => `looked:${props.cells[0]?.id ?? ''}`;
  const open = () => folds.isOpen(key(), false);
  const calls = () => props.cells.flatMap((cell) => cell.as('tool_call') ?? []);
  const reads = () => calls().filter((call) => call.card.verb === 'read').length;
  const words = () =>
    [
      reads() > 0 ? t('transcript.files', { n: reads() }) : '',
      props.cells.length > reads() ? t('transcript.searches', { n: props.cells.length - reads() }) : '',
    ]
      .filter(Boolean)
      .join(', ');
  const time = () => (calls().at(-1)?.ended ?? 0) - (calls()[0]?.started ?? 0);
  return (
    <details
      class="call"
      open={open()}
      onToggle={(event) => {
        if (event.currentTarget.open !== open()) folds.set(key(), event.currentTarget.open);
      }}
    >
      <summary>
        <Icon name="read" class="ic" />
        <span class="nm">{t('transcript.nameLooked')}</span>
        <span class="tg sans">{words()}</span>
        <span class="mt">{time() > 0 ? duration(time()) : ''}</span>
        <Icon name="chevron" class="chev" />
      </summary>
      <Show when={open()}>
        <div class="inner">
          <For each={props.cells}>{(cell) => <Call cell={cell} />}</For>
        </div>
      </Show>
    </details>
  );
}

/** The number of a turn for people, counted from 1. */
export const turnNumber = ({ n }: Turn): number | string => (n === null ? '' : n + 1);

/** Why a turn failed, if no item says so. */
export function TurnError(props: { turn: Turn }): JSX.Element {
  const turn = observe(props.turn);
  return (
    <Show when={turn().end?.as('turn_end')}>
      {(end) => (
        <div class="mark err">
          <Icon name="warn" />
          <div class="grow">
            <span>{outcomeText(end())}</span>
          </div>
        </div>
      )}
    </Show>
  );
}

export function TurnEndLine(props: { turn: Turn }): JSX.Element {
  const services = useServices();
  const turn = observe(props.turn);
  const link = () => services.permalink(turn().first.id);
  return (
    <Show when={turn().end?.as('turn_end')}>
      {(end) => {
        const outcome = () => end().outcome.type;
        const failed = () => outcome() !== 'completed' && outcome() !== 'stopped';
        const input = () => {
          const used = end().tokens;
          return used ? used.input + used.cacheRead + used.cacheWrite : 0;
        };
        return (
          <div class="end">
            <a class="mid" href={link()} title={moment(turn().end?.item.at ?? 0)}>
              {t('transcript.turnN', { n: turnNumber(turn()) })}
            </a>
            <Show when={outcome() !== 'completed'}>
              <span class={failed() ? 't-bad' : ''}>{failed() ? t('transcript.endError') : t('transcript.endStopped')}</span>
            </Show>
            <Show when={end().duration > 0}>
              <span>{duration(end().duration)}</span>
            </Show>
            <Show when={end().calls > 0}>
              <span>{t('transcript.calls', { n: end().calls })}</span>
            </Show>
            <Show when={end().cost !== null}>
              <span>{money(end().cost ?? 0)}</span>
            </Show>
            <Show when={input() > 0}>
              <span>{t('transcript.tokensIn', { tokens: tokens(input()), part: percent((end().tokens?.cacheRead ?? 0) / input()) })}</span>
            </Show>
            <Show when={(end().tokens?.output ?? 0) > 0}>
              <span>{t('transcript.tokensOut', { tokens: tokens(end().tokens?.output ?? 0) })}</span>
            </Show>
            <Show when={failed() && services.retry?.(promptOf(turn()))}>
              {(retry) => (
                <Button small icon="retry" onClick={() => retry()()}>
                  {t('transcript.retryTurn')}
                </Button>
              )}
            </Show>
            <span class="endacts">
              <Show when={textOfTurn(turn())}>
                <CopyButton text={() => textOfTurn(turn())} label={t('transcript.copyAnswer')} />
              </Show>
              <IconButton small icon="link" label={t('transcript.link')} onClick={() => copyLink(link())} />
            </span>
          </div>
        );
      }}
    </Show>
  );
}

export function BreakLine(props: { cell: Cell }): JSX.Element {
  const services = useServices();
  const cell = observe(props.cell);
  const [open, setOpen] = createSignal(false);
  const time = () => clock(cell().item.at);
  const compaction = () => cell().as('compaction');
  const title = () =>
    compaction()
      ? t('transcript.compacted', { time: time() })
      : cell().as('notice')?.kind === 'cleared'
        ? t('transcript.cleared', { time: time() })
        : t('transcript.rewound', { time: time() });
  const summary = () => textOf(compaction()?.summary);
  return (
    <>
      <div class="cut">
        <svg class="zig" viewBox="0 0 14 20" aria-hidden="true">
          <path d="M7 0v5l-4 3 8 4-4 3v5" />
        </svg>
        <span>
          {title()}
          <Show when={compaction()?.before && compaction()?.after}>
            {' '}
            · {t('transcript.compactedTokens', { before: tokens(compaction()?.before ?? 0), after: tokens(compaction()?.after ?? 0) })}
          </Show>
          <Show when={summary()}>
            {' '}
            ·{' '}
            <LinkButton aria-expanded={open()} onClick={() => setOpen(!open())}>
              {t('transcript.whatWasKept')}
            </LinkButton>
          </Show>
        </span>
      </div>
      <Show when={open()}>
        <div class="kept box pad">
          <Markdown text={summary()} services={services} />
        </div>
      </Show>
    </>
  );
}

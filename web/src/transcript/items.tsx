// Rows of the transcript other than calls: messages, thinking, command output and errors.
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import { Terminal } from '../ansi/Terminal';
import { Markdown } from '../markdown/Markdown';
import { t } from '../text';
import { age, clock, duration, moment, money, percent, tokens } from '../text/format';
import { Button, copyText, CopyButton, Icon, LinkButton, Menu, IconButton, toast } from '../ui';
import { Call } from './cards/Call';
import { HeavyText, JsonTree, PictureView } from './cards/parts';
import { markText, markTone } from './marks';
import {
  textOf,
  type Break,
  type CallItem,
  type CommandItem,
  type Item,
  type MarkItem,
  type PromptItem,
  type TextItem,
  type ThinkingItem,
  type Turn,
  type UnknownItem,
} from './model';
import { observe, useFolds, useNow, useServices } from './services';

export function ItemView(props: { item: Item; depth?: number | undefined }): JSX.Element {
  const item = props.item;
  switch (item.kind) {
    case 'text':
      return <Prose item={item} />;
    case 'thinking':
      return <Thinking item={item} />;
    case 'call':
      return <Call item={item} depth={props.depth} />;
    case 'mark':
      return <Mark item={item} />;
    case 'command':
      return <Command item={item} />;
    case 'unknown':
      return <Unknown item={item} />;
    case 'prompt':
      return <Prompt item={item} />;
  }
}

export function Prose(props: { item: TextItem }): JSX.Element {
  const services = useServices();
  const item = observe(props.item);
  // The text changes every frame; memos avoid setting the other attributes each time.
  const kind = createMemo(() => (item().synthetic ? 'synthetic' : ''));
  const streaming = createMemo(() => item().streaming);
  return (
    <div class="saying">
      <Markdown text={item().text} streaming={streaming()} services={services} class={kind()} />
      <Show when={item().unfinished}>
        <p class="unfinished">{t('transcript.unfinished')}</p>
      </Show>
      <Show when={!streaming()}>
        <div class="acts">
          <CopyButton text={() => item().text} label={t('transcript.copyText')} />
          <IconButton small icon="link" label={t('transcript.link')} onClick={() => copyLink(services.permalink(item().seq))} />
        </div>
      </Show>
    </div>
  );
}

function copyLink(link: string): void {
  void copyText(new URL(link, location.href).href).then((done) => done && toast(t('transcript.linkCopied')));
}

/** The text the model wrote in a turn, as Markdown. */
const textOfTurn = (turn: Turn): string =>
  turn.items
    .filter((item): item is TextItem => item.kind === 'text')
    .map((item) => item.text)
    .join('\n\n');

const promptOf = (turn: Turn): PromptItem | undefined => turn.items.findLast((item): item is PromptItem => item.kind === 'prompt');

const lastSentence = (text: string): string =>
  text
    .trim()
    .split(/(?<=[.!?])\s+|\n+/)
    .at(-1) ?? '';
const firstSentence = (text: string): string =>
  text
    .trim()
    .replace(/\*\*/g, '')
    .split(/(?<=[.!?])\s+|\n+/)[0] ?? '';

export function Thinking(props: { item: ThinkingItem }): JSX.Element {
  const folds = useFolds();
  const services = useServices();
  const item = observe(props.item);
  const key = () => `think:${props.item.key}`;
  const open = () => folds.isOpen(key(), false);
  const time = () => (item().ended === undefined ? 0 : (item().ended ?? 0) - item().began);
  const words = createMemo(() => (item().streaming ? 0 : item().text.split(/\s+/).filter(Boolean).length));
  return (
    <details
      class="think"
      classList={{ run: item().streaming }}
      open={open()}
      onToggle={(event) => {
        if (event.currentTarget.open !== open()) folds.set(key(), event.currentTarget.open);
      }}
    >
      <summary>
        <Icon name="think" />
        <span>
          <Show when={item().streaming} fallback={time() >= 1000 ? t('transcript.thought', { time: duration(time()) }) : t('transcript.thoughtPlain')}>
            <ThinkingTime since={item().began} />
          </Show>
        </span>
        <span class="pv trunc">
          <Show when={!open()}>{item().redacted ? t('transcript.redacted') : item().streaming ? lastSentence(item().text) : firstSentence(item().text)}</Show>
        </span>
        <span class="mt">
          <Show when={item().unfinished}>
            <span class="unfinished">{t('transcript.unfinishedShort')}</span>
          </Show>
          <Show when={words() > 0 && open() && !item().unfinished}>{t('transcript.words', { n: words() })}</Show>
        </span>
        <Icon name="chevron" class="chev" />
      </summary>
      <Show when={open()}>
        <div class="body">
          <Markdown text={item().redacted ? t('transcript.redacted') : item().text} streaming={item().streaming} services={services} />
        </div>
      </Show>
    </details>
  );
}

function ThinkingTime(props: { since: number }): JSX.Element {
  const now = useNow();
  return <>{t('transcript.thinking', { time: age(now() - props.since) })}</>;
}

export function Prompt(props: { item: PromptItem }): JSX.Element {
  const services = useServices();
  const item = observe(props.item);
  const mine = () => item().device !== undefined && item().device === services.device?.();
  const by = () =>
    [item().foreign ? t('transcript.foreign') : t('transcript.you'), !mine() && item().by ? item().by : '', item().steered ? t('transcript.steered') : '']
      .filter(Boolean)
      .join(' · ');
  return (
    <>
      <time class="at" dateTime={new Date(item().at).toISOString()} title={moment(item().at)}>
        {clock(item().at)}
      </time>
      <div class="said" classList={{ foreign: item().foreign, doubtful: item().state !== 'delivered' }}>
        <span class="by">
          {by()}
          <span class="only-phone"> · {clock(item().at)}</span>
          <Menu
            label={t('transcript.messageMenu')}
            items={() => [
              { label: t('transcript.copyText'), icon: 'copy', onSelect: () => void copyText(textOf(item().text)) },
              { label: t('transcript.link'), icon: 'link', onSelect: () => copyLink(services.permalink(item().seq)) },
              ...(services.promptMenu ? ['separator' as const, ...services.promptMenu(item())] : []),
            ]}
            trigger={(attributes) => <IconButton small icon="dots" label={t('transcript.messageMenu')} {...attributes} />}
          />
        </span>
        <HeavyText value={item().text}>{(text) => <MessageText text={text} id={item().key} />}</HeavyText>
        <Show when={item().images.length > 0}>
          <span class="saidpics">
            <For each={item().images}>{(picture) => <PictureView picture={picture} />}</For>
          </span>
        </Show>
        <Show when={item().state === 'indeterminate'}>
          <span class="doubt t-ask">{t('transcript.indeterminate')}</span>
        </Show>
        <Show when={item().state === 'failed'}>
          <span class="doubt t-bad">{t('transcript.failed')}</span>
        </Show>
        <Show when={item().state !== 'delivered' && services.retry?.(item())}>
          {(retry) => (
            <Button small icon="retry" onClick={() => retry()()}>
              {t('transcript.retryTurn')}
            </Button>
          )}
        </Show>
      </div>
    </>
  );
}

const MAX_MESSAGE_LINES = 24;
const FOLDED_MESSAGE_LINES = 12;
const MAX_MESSAGE_CHARS = 4000;

/** A message of the user; long pasted text is folded. */
function MessageText(props: { text: string; id: string }): JSX.Element {
  const folds = useFolds();
  const key = () => `said:${props.id}`;
  const lines = createMemo(() => props.text.split('\n'));
  const long = () => lines().length > MAX_MESSAGE_LINES || props.text.length > MAX_MESSAGE_CHARS;
  const open = () => !long() || folds.isOpen(key(), false);
  const shown = () =>
    open()
      ? props.text
      : lines()
          .slice(0, FOLDED_MESSAGE_LINES)
          .join('\n')
          .slice(0, MAX_MESSAGE_CHARS / 2);
  return (
    <>
      <span class="saidtext">{shown()}</span>
      <Show when={long()}>
        <span class="saidmore">
          <Show when={!open()}>… {t('transcript.lineCount', { n: lines().length })} · </Show>
          <LinkButton onClick={() => folds.set(key(), !open())}>{open() ? t('ui.showLess') : t('ui.showAll')}</LinkButton>
        </span>
      </Show>
    </>
  );
}

export function OriginBox(props: { turn: Turn }): JSX.Element {
  const turn = observe(props.turn);
  const name = () => {
    const origin = turn().origin;
    switch (origin?.kind) {
      case 'task':
        return origin.status === 'failed'
          ? t('transcript.originTaskFailed')
          : origin.status === 'stopped' || origin.status === 'killed'
            ? t('transcript.originTaskStopped')
            : t('transcript.originTask');
      case 'wake':
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

export function Mark(props: { item: MarkItem }): JSX.Element {
  const services = useServices();
  const item = observe(props.item);
  const facts = () => item().facts;
  const live = () => facts().what === 'retry' && !(facts() as { over?: boolean }).over;
  return (
    <div class={`mark ${markTone(facts()).tone}`}>
      <Icon name={markTone(facts()).icon} />
      <div class="grow">
        <Show when={live()} fallback={<span>{markText(facts(), item().at, 0, services.modelName)}</span>}>
          <Countdown item={item()} />
        </Show>
        <Show when={detail(item())}>
          {(more) => (
            <details class="told">
              <summary>
                <Icon name="chevron" class="chev" />
                {more().title}
              </summary>
              <div class="box">
                <Terminal text={more().text} />
              </div>
            </details>
          )}
        </Show>
      </div>
    </div>
  );
}

function Countdown(props: { item: MarkItem }): JSX.Element {
  const now = useNow();
  return <span>{markText(props.item.facts, props.item.at, now())}</span>;
}

function detail(item: MarkItem): { title: string; text: string } | undefined {
  const facts = item.facts;
  if (facts.what === 'process' && facts.stderr.length > 0) return { title: t('transcript.lastWords'), text: facts.stderr.join('\n') };
  if (facts.what === 'hook' && facts.outcome !== 'blocked' && facts.output) return { title: t('transcript.output'), text: facts.output };
  // The title repeats the text already.
  if (facts.what === 'error' && facts.text && !markText(facts, item.at, 0).startsWith(facts.text)) return { title: t('transcript.output'), text: facts.text };
  return undefined;
}

export function Command(props: { item: CommandItem }): JSX.Element {
  const services = useServices();
  const folds = useFolds();
  const key = () => `cmd:${props.item.key}`;
  const short = () => props.item.output.split('\n').length <= 12;
  const open = () => folds.isOpen(key(), short());
  return (
    <details
      class="call"
      classList={{ err: props.item.failed }}
      open={open()}
      onToggle={(event) => {
        if (event.currentTarget.open !== open()) folds.set(key(), event.currentTarget.open);
      }}
    >
      <summary>
        <Icon name="slash" class="ic" />
        <span class="nm">{t('transcript.nameSlash')}</span>
        <span class="tg">{props.item.name ? `/${props.item.name}` : ''}</span>
        <span class="mt">
          {props.item.output
            .split('\n', 1)[0]
            ?.replace(/^#+\s*/, '')
            .slice(0, 50)}
        </span>
        <Icon name="chevron" class="chev" />
      </summary>
      <Show when={open()}>
        <div class="body">
          <div class="box pad">
            <Markdown text={props.item.output} services={services} />
          </div>
        </div>
      </Show>
    </details>
  );
}

export function Unknown(props: { item: UnknownItem }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  return (
    <details class="call" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="unknown" class="ic" />
        <span class="nm">{t('transcript.nameUnknown')}</span>
        <span class="tg">{props.item.type}</span>
        <span class="mt">{t('transcript.keptAsItCame')}</span>
        <Icon name="chevron" class="chev" />
      </summary>
      <Show when={open()}>
        <div class="body">
          <div class="box">
            <JsonTree value={props.item.raw} />
          </div>
        </div>
      </Show>
    </details>
  );
}

/** Several read-only calls as one row that contains them. */
export function Looked(props: { items: readonly CallItem[] }): JSX.Element {
  const folds = useFolds();
  const key = () => `looked:${props.items[0]?.key ?? ''}`;
  const open = () => folds.isOpen(key(), false);
  const reads = () => props.items.filter((call) => call.name === 'Read' || call.name === 'NotebookRead').length;
  const words = () =>
    [
      reads() > 0 ? t('transcript.files', { n: reads() }) : '',
      props.items.length > reads() ? t('transcript.searches', { n: props.items.length - reads() }) : '',
    ]
      .filter(Boolean)
      .join(', ');
  const time = () => (props.items.at(-1)?.ended ?? 0) - (props.items[0]?.began ?? 0);
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
          <For each={props.items}>{(call) => <Call item={call} />}</For>
        </div>
      </Show>
    </details>
  );
}

export function TurnEndLine(props: { turn: Turn }): JSX.Element {
  const services = useServices();
  const turn = observe(props.turn);
  return (
    <Show when={turn().end}>
      {(end) => (
        <div class="end">
          <a class="mid" href={services.permalink(turn().seq)} title={moment(end().at)}>
            {t('transcript.turnN', { n: turn().n })}
          </a>
          <Show when={end().outcome !== 'success'}>
            <span class={end().outcome === 'error' ? 't-bad' : ''}>{end().outcome === 'error' ? t('transcript.endError') : t('transcript.endStopped')}</span>
          </Show>
          <Show when={end().duration !== undefined}>
            <span>{duration(end().duration ?? 0)}</span>
          </Show>
          <Show when={turn().calls > 0}>
            <span>{t('transcript.calls', { n: turn().calls })}</span>
          </Show>
          <Show when={end().cost !== undefined}>
            <span>{money(end().cost ?? 0)}</span>
          </Show>
          <Show when={end().input > 0}>
            <span>{t('transcript.tokensIn', { tokens: tokens(end().input), part: percent(end().cached / end().input) })}</span>
          </Show>
          <Show when={end().output > 0}>
            <span>{t('transcript.tokensOut', { tokens: tokens(end().output) })}</span>
          </Show>
          <Show when={end().outcome === 'error' && services.retry?.(promptOf(turn()))}>
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
            <IconButton small icon="link" label={t('transcript.link')} onClick={() => copyLink(services.permalink(turn().seq))} />
          </span>
        </div>
      )}
    </Show>
  );
}

export function BreakLine(props: { cut: Break }): JSX.Element {
  const services = useServices();
  const cut = observe(props.cut);
  const [open, setOpen] = createSignal(false);
  const title = () =>
    cut().what === 'compacted'
      ? t('transcript.compacted', { time: clock(cut().at) })
      : cut().what === 'cleared'
        ? t('transcript.cleared', { time: clock(cut().at) })
        : t('transcript.rewound', { time: clock(cut().at) });
  return (
    <>
      <div class="cut">
        <svg class="zig" viewBox="0 0 14 20" aria-hidden="true">
          <path d="M7 0v5l-4 3 8 4-4 3v5" />
        </svg>
        <span>
          {title()}
          <Show when={cut().before !== undefined && cut().after !== undefined}>
            {' '}
            · {t('transcript.compactedTokens', { before: tokens(cut().before ?? 0), after: tokens(cut().after ?? 0) })}
          </Show>
          <Show when={cut().summary}>
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
          <Markdown text={cut().summary} services={services} />
        </div>
      </Show>
    </>
  );
}

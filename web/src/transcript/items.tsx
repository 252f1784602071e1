// Rows of the transcript other than calls: messages, thinking, command output and errors.
import { createMemo, createResource, createSignal, For, Match, Show, Suspense, Switch, type JSX } from 'solid-js';
import type { CommandItem, Item, ItemBody, ItemId, PromptItem, Text, Thinking as ThinkingBody } from '../api/types';
import { Markdown } from '../markdown/Markdown';
import { t } from '../text';
import { age, clock, duration, moment } from '../text/format';
import { Button, copyText, CopyButton, Icon, LinkButton, Menu, IconButton, toast } from '../ui';
import { lazy } from '../ui/part';
import { Call } from './cards/Call';
import { HeavyText, PictureView } from './cards/parts';
import { markDetail, markText, markTone, type Mark } from './marks';
import { textOf, type Cell, type Turn } from './model';
import { observe, useFolds, useNow, useServices } from './services';

const details = () => import('./cards/details');
const Output = lazy(async () => ({ default: (await details()).Output }));
const RawLines = lazy(async () => ({ default: (await details()).RawLines }));

type BodyOf<T extends ItemBody['type']> = Extract<ItemBody, { type: T }>;

/** What a row is called in style sheets and tests. */
export const rowName = ({ type }: ItemBody): string => (type === 'tool_call' ? 'call' : ROWS.has(type) ? type : 'mark');
const ROWS = new Set<ItemBody['type']>(['prompt', 'text', 'thinking', 'command', 'unknown']);

/** An item. Its type may change, as when a retry becomes an error. */
export function ItemView(props: { cell: Cell; turn?: Turn | undefined; depth?: number | undefined }): JSX.Element {
  const cell = observe(props.cell);
  const item = () => cell().item;
  const of = <T extends ItemBody['type']>(type: T): BodyOf<T> | undefined => cell().as(type);
  return (
    <Switch fallback={<MarkView item={item()} mark={item().body as Mark} turn={props.turn} />}>
      <Match when={of('text')}>{(body) => <Prose item={item()} text={body().text} synthetic={body().synthetic} />}</Match>
      <Match when={of('thinking')}>{(body) => <Thinking item={item()} body={body()} />}</Match>
      <Match when={item().body.type === 'tool_call'}>
        <Call cell={props.cell} depth={props.depth} />
      </Match>
      <Match when={of('command')}>{(body) => <Command item={item()} body={body()} />}</Match>
      <Match when={of('unknown')}>{(body) => <Unknown id={item().id} type={body().rawType} />}</Match>
      <Match when={of('prompt')}>{(body) => <Prompt cell={props.cell} item={item()} body={body()} />}</Match>
    </Switch>
  );
}

function Prose(props: { item: Item; text: Text; synthetic: boolean }): JSX.Element {
  const services = useServices();
  // The text changes every frame; memos avoid setting the other attributes each time.
  const kind = createMemo(() => (props.synthetic ? 'synthetic' : ''));
  const streaming = createMemo(() => props.item.status === 'streaming');
  return (
    <div class="saying">
      <Show
        when={typeof props.text === 'string'}
        fallback={<HeavyText value={props.text}>{(text) => <Markdown text={text} services={services} class={kind()} />}</HeavyText>}
      >
        <Markdown text={textOf(props.text)} streaming={streaming()} services={services} class={kind()} />
      </Show>
      <Show when={props.item.status === 'interrupted'}>
        <p class="unfinished">{t('transcript.unfinished')}</p>
      </Show>
      <Show when={!streaming()}>
        <div class="acts">
          <CopyButton text={() => textOf(props.text)} label={t('transcript.copyText')} />
          <IconButton small icon="link" label={t('transcript.link')} onClick={() => copyLink(services.permalink(props.item.id))} />
        </div>
      </Show>
    </div>
  );
}

export function copyLink(link: string): void {
  void copyText(new URL(link, location.href).href).then((done) => done && toast(t('transcript.linkCopied')));
}

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

function Thinking(props: { item: Item; body: ThinkingBody }): JSX.Element {
  const folds = useFolds();
  const services = useServices();
  const key = () => `think:${props.item.id}`;
  const open = () => folds.isOpen(key(), false);
  const streaming = () => props.item.status === 'streaming';
  const time = () => props.body.duration ?? 0;
  const text = () => textOf(props.body.text);
  /** Only the API can read it. */
  const redacted = () => text() === '' && !streaming();
  const words = createMemo(() => (streaming() ? 0 : text().split(/\s+/).filter(Boolean).length));
  const preview = () => (redacted() ? t('transcript.redacted') : streaming() ? lastSentence(text()) : firstSentence(text()));
  const unfinished = () => props.item.status === 'interrupted';
  return (
    <details
      class="think"
      classList={{ run: streaming() }}
      open={open()}
      onToggle={(event) => {
        if (event.currentTarget.open !== open()) folds.set(key(), event.currentTarget.open);
      }}
    >
      <summary>
        <Icon name="think" />
        <span>
          <Show when={streaming()} fallback={time() >= 1000 ? t('transcript.thought', { time: duration(time()) }) : t('transcript.thoughtPlain')}>
            <ThinkingTime since={props.item.at} />
          </Show>
        </span>
        <span class="pv trunc">
          <Show when={!open()}>{preview()}</Show>
        </span>
        <span class="mt">
          <Show when={unfinished()}>
            <span class="unfinished">{t('transcript.unfinishedShort')}</span>
          </Show>
          <Show when={words() > 0 && open() && !unfinished()}>{t('transcript.words', { n: words() })}</Show>
        </span>
        <Icon name="chevron" class="chev" />
      </summary>
      <Show when={open()}>
        <div class="body">
          <Markdown text={redacted() ? t('transcript.redacted') : text()} streaming={streaming()} services={services} />
        </div>
      </Show>
    </details>
  );
}

function ThinkingTime(props: { since: number }): JSX.Element {
  const now = useNow();
  return <>{t('transcript.thinking', { time: age(now() - props.since) })}</>;
}

function Prompt(props: { cell: Cell; item: Item; body: PromptItem }): JSX.Element {
  const services = useServices();
  const foreign = () => props.body.source === 'other';
  const mine = () => props.body.sender?.device != null && props.body.sender.device === services.device?.();
  const by = () =>
    [foreign() ? t('transcript.foreign') : t('transcript.you'), mine() ? '' : props.body.sender?.name, props.body.steered ? t('transcript.steered') : '']
      .filter(Boolean)
      .join(' · ');
  return (
    <>
      <time class="at" dateTime={new Date(props.item.at).toISOString()} title={moment(props.item.at)}>
        {clock(props.item.at)}
      </time>
      <div class="said" classList={{ foreign: foreign(), doubtful: props.body.delivery !== 'delivered' }}>
        <span class="by">
          {by()}
          <span class="only-phone"> · {clock(props.item.at)}</span>
          <Menu
            label={t('transcript.messageMenu')}
            items={() => [
              { label: t('transcript.copyText'), icon: 'copy', onSelect: () => void copyText(textOf(props.body.text)) },
              { label: t('transcript.link'), icon: 'link', onSelect: () => copyLink(services.permalink(props.item.id)) },
              ...(services.promptMenu ? ['separator' as const, ...services.promptMenu(props.body, props.cell)] : []),
            ]}
            trigger={(attributes) => <IconButton small icon="dots" label={t('transcript.messageMenu')} {...attributes} />}
          />
        </span>
        <HeavyText value={props.body.text}>{(text) => <MessageText text={text} id={props.item.id} />}</HeavyText>
        <Show when={props.body.images.length > 0}>
          <span class="saidpics">
            <For each={props.body.images}>{(picture) => <PictureView picture={picture} />}</For>
          </span>
        </Show>
        <Show when={props.body.delivery === 'indeterminate'}>
          <span class="doubt t-ask">{t('transcript.indeterminate')}</span>
        </Show>
        <Show when={props.body.delivery === 'failed'}>
          <span class="doubt t-bad">{t('transcript.failed')}</span>
        </Show>
        <Show when={props.body.delivery !== 'delivered' && services.retry?.(props.body)}>
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
function MessageText(props: { text: string; id: ItemId }): JSX.Element {
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

function MarkView(props: { item: Item; mark: Mark; turn: Turn | undefined }): JSX.Element {
  const services = useServices();
  const cancelled = () => props.turn?.items.filter((cell) => cell.item.status === 'cancelled').length;
  const text = (now: number) => markText(props.mark, props.item, { now, named: services.modelName, cancelled: cancelled() });
  const live = () => props.mark.type === 'retry' && props.item.status !== 'done';
  const [open, setOpen] = createSignal(false);
  return (
    <div class={`mark ${markTone(props.mark).tone}`}>
      <Icon name={markTone(props.mark).icon} />
      <div class="grow">
        <Show when={live()} fallback={<span>{text(0)}</span>}>
          <Countdown text={text} />
        </Show>
        <Show when={markDetail(props.mark, text(0))}>
          {(more) => (
            <details class="told" onToggle={(event) => setOpen(event.currentTarget.open)}>
              <summary>
                <Icon name="chevron" class="chev" />
                {more().title}
              </summary>
              <Show when={open()}>
                <Suspense>
                  <Output text={more().text} />
                </Suspense>
              </Show>
            </details>
          )}
        </Show>
      </div>
    </div>
  );
}

function Countdown(props: { text: (now: number) => string }): JSX.Element {
  const now = useNow();
  return <span>{props.text(now())}</span>;
}

function Command(props: { item: Item; body: CommandItem }): JSX.Element {
  const services = useServices();
  const folds = useFolds();
  const key = () => `cmd:${props.item.id}`;
  const output = (): Text => props.body.output ?? '';
  const short = () => textOf(output()).split('\n').length <= 12;
  const open = () => folds.isOpen(key(), short());
  return (
    <details
      class="call"
      classList={{ err: props.body.failed }}
      open={open()}
      onToggle={(event) => {
        if (event.currentTarget.open !== open()) folds.set(key(), event.currentTarget.open);
      }}
    >
      <summary>
        <Icon name="slash" class="ic" />
        <span class="nm">{t('transcript.nameSlash')}</span>
        <span class="tg">{props.body.name ? `/${props.body.name}` : ''}</span>
        <span class="mt">
          {textOf(output())
            .split('\n', 1)[0]
            ?.replace(/^#+\s*/, '')
            .slice(0, 50)}
        </span>
        <Icon name="chevron" class="chev" />
      </summary>
      <Show when={open()}>
        <div class="body">
          <div class="box pad">
            <HeavyText value={output()}>{(text) => <Markdown text={text} services={services} />}</HeavyText>
          </div>
        </div>
      </Show>
    </details>
  );
}

/** A message that this version does not know, with the text as received. */
function Unknown(props: { id: ItemId; type: string | null }): JSX.Element {
  const services = useServices();
  const [open, setOpen] = createSignal(false);
  const [raw] = createResource(
    () => (open() && services.rawOf ? props.id : undefined),
    (id) => services.rawOf?.(id),
  );
  return (
    <details class="call" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="unknown" class="ic" />
        <span class="nm">{t('transcript.nameUnknown')}</span>
        <span class="tg">{props.type}</span>
        <span class="mt">{t('transcript.keptAsItCame')}</span>
        <Icon name="chevron" class="chev" />
      </summary>
      <Show when={open()}>
        <div class="body">
          <Show when={!raw.error} fallback={<p class="cutnote">{t('transcript.fetchFailed')}</p>}>
            <Suspense>
              <RawLines lines={raw.state === 'ready' ? (raw() ?? []) : []} />
            </Suspense>
          </Show>
        </div>
      </Show>
    </details>
  );
}

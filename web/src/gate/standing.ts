// The status of a session: glyph, text, evidence, style of the gate, group and window title. Session list, head, gate
// and title all show what this module returns.
import type { AskInfo, SessionInfo, SessionState } from '../api/types';
import type { Line } from '../protocol/connection';
import { groupOf, type Group } from '../protocol/sessions';
import { t } from '../text';
import { age, clock, count, when } from '../text/format';
import type { GlyphShape } from '../ui';
import { folderName } from '../text/paths';

export type Ground = 'neutral' | 'run' | 'warn' | 'bad' | 'off';

export interface Standing {
  /** Name of the state in the design; for tests and styles. */
  name:
    | 'idle'
    | 'unread'
    | 'starting'
    | 'running'
    | 'waiting'
    | 'retrying'
    | 'limited'
    | 'stalled'
    | 'stopping'
    | 'crashed'
    | 'stopped'
    | 'lost'
    | 'external'
    | 'offline'
    | 'catching';
  shape: GlyphShape;
  /** Grey instead of the colour of the shape. */
  quiet: boolean;
  word: string;
  /** The subject: a command, a path. Monospaced if a program wrote it. */
  about: string | null;
  mono: boolean;
  /** The evidence with its age. */
  evidence: string | null;
  /** A short form for a row of the session list. */
  short: string;
  /** The figure at the right edge of a row. */
  figure: string;
  ground: Ground;
  group: Group;
  /** For the window title, if the session needs the user. */
  title: string | null;
  /** True if the status is current, false if it is the last known one. */
  known: boolean;
}

export interface Circumstances {
  now: number;
  line: Pick<Line, 'phase' | 'since'>;
  unread?: boolean;
  state?: SessionState | null;
  /** The running call: its command, or its name and subject. */
  target?: string | null;
  /** The kind of block that is being streamed. */
  writing?: 'thinking' | 'text' | 'call' | null;
  catching?: { have: number; of: number } | null;
}

/** The name of a tool for people: `mcp__postgres__query` is postgres › query. */
export function toolWords(name: string): string {
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name);
  return mcp ? `${mcp[1]} › ${mcp[2]}` : name;
}

/** The name of the call that a request is about. */
export function titleOfAsk({ card, toolName }: Pick<AskInfo, 'card' | 'toolName'>): string {
  const body = card?.body;
  if (body?.type === 'mcp') return `${body.serverTitle ?? body.server} › ${body.toolTitle ?? body.tool}`;
  return card?.title ?? toolWords(toolName);
}

/** The kind of a request as text: "Permission needed: Edit". */
export function askWords(ask: Pick<AskInfo, 'kind' | 'toolName' | 'card'>): string {
  switch (ask.kind) {
    case 'question':
      return t('asks.questionsWait', { n: ask.card?.body.type === 'question' ? ask.card.body.questions.length : 1 });
    case 'plan':
      return t('asks.planWaits');
    case 'elicitation':
      return t('asks.serverAsks', { server: ask.toolName });
    case 'dialog':
    case 'other':
      return t('asks.dialogWaits');
    default:
      return t('asks.waits', { tool: titleOfAsk(ask) });
  }
}

/** Text for the oldest request, from the data in the session list. */
function briefWords({ about, ask }: SessionInfo): string {
  if (ask) return askWords({ kind: ask.kind, toolName: ask.toolName, card: null });
  return about ? t('asks.waits', { tool: toolWords(about) }) : t('asks.waitsPlain');
}

/** The age in the width of a figure: now, 42 s, 9 m, 3 h, then the day. */
function figureAt(at: number, now: number): string {
  const passed = now - at;
  if (passed < 10_000) return t('asks.now');
  if (passed < 60_000) return `${Math.floor(passed / 1_000)} s`;
  if (passed < 3_600_000) return `${Math.floor(passed / 60_000)} m`;
  return passed < 86_400_000 ? `${Math.floor(passed / 3_600_000)} h` : when(at, now);
}

export function standingOf(info: SessionInfo, c: Circumstances): Standing {
  const base = standingNow(info, c);
  if (c.catching) {
    const { have, of } = c.catching;
    return {
      ...base,
      name: 'catching',
      shape: 'dots',
      quiet: true,
      word: t('asks.catching'),
      about: null,
      mono: false,
      evidence: t('asks.catchingUp', { have: count(have), of: count(of) }),
      ground: 'off',
      known: false,
    };
  }
  if (c.line.phase === 'up' || c.line.phase === 'connecting') return base;
  // Disconnected: shows the status from before the connection was lost.
  return {
    ...base,
    name: 'offline',
    shape: 'dots',
    quiet: true,
    word: wasWords(base.name, c.line.since),
    about: null,
    evidence: null,
    short: folderName(info.projectPath),
    ground: 'off',
    title: null,
    known: false,
  };
}

function wasWords(name: Standing['name'], at: number): string {
  const time = clock(at);
  switch (name) {
    case 'running':
    case 'starting':
    case 'retrying':
    case 'limited':
    case 'stopping':
      return t('asks.wasRunning', { time });
    case 'stalled':
      return t('asks.wasStalled', { time });
    case 'waiting':
      return t('asks.wasWaiting', { time });
    case 'crashed':
      return t('asks.exited');
    default:
      return t('asks.wasIdle', { time });
  }
}

/** What all states have in common; a state changes what differs. */
function plainOf(info: SessionInfo, now: number): Omit<Standing, 'name' | 'shape' | 'word'> {
  return {
    quiet: false,
    about: null,
    mono: false,
    evidence: null,
    short: folderName(info.projectPath),
    figure: figureAt(info.lastActivityAt, now),
    ground: 'neutral',
    group: groupOf(info),
    title: null,
    known: true,
  };
}

const ageOf = (at: number, now: number): string => age(Math.max(0, now - at));

/** What a state shows beside what all have in common. */
type Shown = Pick<Standing, 'name' | 'shape' | 'word'> & Partial<Standing>;

function waiting(info: SessionInfo, { now, state }: Circumstances): Shown {
  const ask = state?.asks[0];
  const since = ageOf(ask?.at ?? info.ask?.at ?? info.since, now);
  const word = ask ? askWords(ask) : briefWords(info);
  return { name: 'waiting', shape: 'down', word, evidence: since, short: since, figure: since, ground: 'warn', title: word };
}

function starting(_info: SessionInfo, { state }: Circumstances): Shown {
  const version = state?.process.version;
  return {
    name: 'starting',
    shape: 'starting',
    word: t('asks.starting'),
    evidence: version ? t('asks.agentVersion', { version }) : null,
    figure: t('asks.now'),
  };
}

function running(info: SessionInfo, { now, state, writing, target }: Circumstances): Shown {
  const compacts = state?.activity.evidence === 'compacting';
  const word = compacts ? t('asks.compacting') : writing === 'thinking' ? t('asks.thinking') : writing === 'text' ? t('asks.writing') : t('asks.running');
  const about = compacts || writing ? null : (target ?? (info.about && toolWords(info.about)));
  const sign = info.lastSign === null ? null : t('asks.ago', { age: ageOf(info.lastSign, now) });
  return {
    name: 'running',
    shape: 'flow',
    word,
    about,
    mono: true,
    evidence: info.lastSign === null ? null : t('asks.lastSign', { age: ageOf(info.lastSign, now) }),
    short: [info.about && about ? firstWord(toolWords(info.about)) : null, sign].filter(Boolean).join(' · '),
    ground: 'run',
    figure: figureAt(info.lastSign ?? info.since, now),
  };
}

function retrying(info: SessionInfo, { now, state }: Circumstances): Shown {
  const retry = state?.retry;
  const wait = retry ? Math.max(0, retry.until - now) : 0;
  const still = { shape: 'still', ground: 'warn' } as const;
  if ((retry?.status === 429 || info.about === 'rate limit') && (!retry || wait > 60_000)) {
    const word = t('asks.limited');
    if (!retry) return { ...still, name: 'limited', word };
    const time = clock(retry.until);
    return { ...still, name: 'limited', word, evidence: t('asks.resets', { time, age: age(wait) }), short: t('asks.resetsShort', { time }) };
  }
  const word = t('asks.retrying');
  if (!retry) return { ...still, name: 'retrying', word, about: info.about };
  const next = wait > 0 ? t('asks.nextTry', { age: age(wait + 999) }) : t('asks.triesNow');
  const attempt = retry.max ? t('asks.attemptOf', { n: retry.attempt, max: retry.max }) : t('asks.attempt', { n: retry.attempt });
  return { ...still, name: 'retrying', word, about: retryWords(retry.error, retry.status), evidence: `${next}, ${attempt}`, short: next };
}

function stalled(info: SessionInfo, { now, target }: Circumstances): Shown {
  const silent = ageOf(info.lastSign ?? info.since, now);
  return {
    name: 'stalled',
    shape: 'still',
    word: t('asks.noSign', { age: silent }),
    about: target ?? info.about,
    mono: true,
    ...(info.about ? { short: firstWord(info.about) } : {}),
    figure: silent,
    ground: 'warn',
  };
}

function stopping(info: SessionInfo, { now }: Circumstances): Shown {
  const since = ageOf(info.since, now);
  return { name: 'stopping', shape: 'still', quiet: true, word: t('asks.stopping'), evidence: t('asks.stoppingSince', { age: since }), short: since };
}

function crashed(info: SessionInfo, { now, state }: Circumstances): Shown {
  const why = exitWords(state?.process.signal ?? null, state?.process.code ?? null) ?? info.about;
  return {
    name: 'crashed',
    shape: 'broken',
    word: t('asks.exited'),
    about: why,
    evidence: t('asks.ago', { age: ageOf(info.since, now) }),
    ...(why === null ? {} : { short: why }),
    ground: 'bad',
    title: t('asks.exited'),
  };
}

function lost(info: SessionInfo, { now }: Circumstances): Shown {
  const word = t('asks.lost');
  return { name: 'lost', shape: 'broken', word, evidence: t('asks.lostHow', { age: ageOf(info.since, now) }), ground: 'bad', title: word };
}

const external = (): Shown => ({
  name: 'external',
  shape: 'dots',
  quiet: true,
  word: t('asks.external'),
  evidence: t('asks.externalHow'),
  short: t('asks.fromTerminal'),
});

/** Without a turn: finished and not read, or `otherwise`. */
const resting =
  (name: 'idle' | 'stopped', otherwise: () => string) =>
  (_info: SessionInfo, { unread }: Circumstances): Shown =>
    unread ? { name: 'unread', shape: 'unread', word: t('asks.finished') } : { name, shape: 'idle', word: otherwise() };

const idle = resting('idle', () => t('asks.idle'));
const SHOWN: Partial<Record<SessionInfo['standing'], (info: SessionInfo, c: Circumstances) => Shown>> = {
  waiting,
  starting,
  running,
  retrying,
  stalled,
  stopping,
  crashed,
  lost,
  external,
  stopped: resting('stopped', () => t('asks.stopped')),
};

function standingNow(info: SessionInfo, c: Circumstances): Standing {
  const asks = (c.state?.asks.length ?? 0) > 0 || info.pendingAsks > 0;
  const show = asks ? waiting : (SHOWN[info.standing] ?? idle);
  return { ...plainOf(info, c.now), ...show(info, c) };
}

const firstWord = (text: string): string => text.split(/\s/, 1)[0] ?? text;

/** "overloaded (529)" */
function retryWords(error: string | null, status: number | null): string {
  const known: { [error: string]: string } = {
    overloaded_error: t('asks.overloaded'),
    rate_limit: t('asks.rateLimited'),
    rate_limit_error: t('asks.rateLimited'),
    timeout: t('asks.timedOut'),
    api_error: t('asks.apiError'),
  };
  const words = (error && (known[error] ?? error)) || t('asks.apiError');
  return status ? `${words} (${status})` : words;
}

export function exitWords(signal: number | null, code: number | null): string | null {
  if (signal !== null) return t('asks.bySignal', { n: signal });
  return code === null ? null : t('asks.withCode', { n: code });
}

/** "(2) Permission needed: Edit · Sluice": the number of sessions that need the user, and the oldest of them. */
export function windowTitle(base: string, waiting: readonly Standing[]): string {
  const [first] = waiting;
  return first?.title ? `(${waiting.length}) ${first.title} · ${base}` : base;
}

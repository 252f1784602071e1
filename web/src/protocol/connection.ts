// The connection to the bridge. It counts as up only while frames arrive and is probed otherwise. It reconnects
// automatically without a limit; an interruption of less than two seconds is not reported.
import type { Bye, Command, ServerMessage, Welcome } from '../api/types';
import { Observable, Topic } from './topic';

export const VERSION = 2;
/** Milliseconds during which a lost connection is not reported. */
export const GRACE_PERIOD = 2_000;
export const CONNECT_TIMEOUT = 10_000;
export const PROBE_TIMEOUT = 5_000;
/** A connection that lasted this many milliseconds resets the reconnect backoff. */
const STABLE_AFTER = 5_000;
/** Close code of a socket whose device was revoked. */
const CLOSE_REVOKED = 1008;
const INITIAL_PING_INTERVAL = 15_000;
const STEPS = [0, 500, 1_000, 2_000, 4_000, 8_000, 15_000] as const;

/** The part of a WebSocket that is used, so that tests can replace it. */
export interface Wire {
  /** The hello message was already sent on it. */
  readonly greeted?: boolean;
  /** Delivers messages that arrived before there was a listener. */
  replay?(): void;
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
}

export interface ConnectionOptions {
  open: () => Wire;
  client: string;
  build?: string | null;
  /** Positions of the sessions that are loaded; they are resumed with the welcome message. */
  revisions: () => Record<string, number>;
  /** Checks whether the bridge accepts this device; called when a connection could not be opened. */
  paired?: () => Promise<boolean>;
  /** Reloads the page, once per build. */
  reload?: (build: string | null) => void;
  /** Random number between 0 and 1; spreads the reconnects of many pages. */
  random?: () => number;
  /** Keeps reconnecting, slowly, while the page is hidden, for notifications. */
  triesHidden?: () => boolean;
}

export type Phase =
  /** Not connected yet, or for less than two seconds. */
  | 'connecting'
  | 'up'
  /** Disconnected; `since` is the time. */
  | 'lost'
  /** The bridge does not accept this device any more. */
  | 'unpaired';

/** Why the connection ended: the reason sent by the bridge, or that this device was revoked. */
export type CloseReason = Bye | 'revoked';

export interface Line {
  readonly phase: Phase;
  readonly since: number;
  /** Number of attempts since the connection was lost. */
  readonly tries: number;
  /** Time of the next attempt; null during an attempt or while the page is hidden. */
  readonly nextTry: number | null;
  /** The reason sent by the bridge before it closed the connection. */
  readonly bye: CloseReason | null;
}

export class Connection {
  readonly line: Observable<Line>;
  readonly messages = new Topic<ServerMessage>();
  /** Published when a connection is open and welcomed: pending commands can be sent. */
  readonly opened = new Topic<void>();
  welcome: Welcome | null = null;
  /** Offset of the bridge's clock to the local clock. */
  skew = 0;

  private wire: Wire | null = null;
  private open = false;
  private hidden = false;
  private stopped = false;
  private lostAt: number;
  private tries = 0;
  private triedAt = 0;
  private upAt = 0;
  /** Number of consecutive connections that failed early. */
  private earlyFailures = 0;
  private lastFrameAt = 0;
  private bye: CloseReason | null = null;
  private pingEvery = INITIAL_PING_INTERVAL;
  private retry: ReturnType<typeof setTimeout> | null = null;
  private grace: ReturnType<typeof setTimeout> | null = null;
  private watch: ReturnType<typeof setTimeout> | null = null;
  /** Timeout of the running watchdog. */
  private watchTimeout = 0;
  /** Callers that wait for the next pong. */
  private pings: (() => void)[] = [];
  private probing: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly options: ConnectionOptions) {
    this.lostAt = Date.now();
    this.line = new Observable<Line>({ phase: 'connecting', since: this.lostAt, tries: 0, nextTry: null, bye: null });
  }

  /** The current time at the bridge. */
  now(): number {
    return Date.now() + this.skew;
  }

  start(): void {
    this.stopped = false;
    this.bye = null;
    this.tries = 0;
    this.lostAt = Date.now();
    this.line.set({ phase: 'connecting', since: this.lostAt, tries: 0, nextTry: null, bye: null });
    this.startGrace();
    this.attempt();
  }

  stop(): void {
    this.stopped = true;
    this.clear('retry', 'grace', 'watch', 'probing');
    this.drop();
  }

  /** True if a message can be sent now. */
  get up(): boolean {
    return this.open && this.welcome !== null;
  }

  send(message: Command): boolean {
    if (!this.open || !this.wire) return false;
    try {
      this.wire.send(JSON.stringify(message));
      return true;
    } catch {
      this.fail();
      return false;
    }
  }

  /** Connects immediately: the user asked for it, or the device is back online. */
  tryNow(): void {
    if (this.stopped || this.open) return;
    // Restarts an attempt that hangs, but not one that has just started.
    if (this.wire && Date.now() - this.triedAt < 1_000) return;
    this.clear('watch');
    this.drop();
    this.attempt();
  }

  /** The page became visible: probes the connection instead of reopening it. */
  foreground(): void {
    this.hidden = false;
    if (this.stopped) return;
    if (this.open) this.probe();
    else this.tryNow();
  }

  background(): void {
    this.hidden = true;
    if (!this.open && !this.wire && this.retry !== null) {
      this.clear('retry');
      this.plan();
    }
  }

  online(): void {
    if (this.open) this.probe();
    else this.tryNow();
  }

  /** Sends a ping. If nothing arrives, the connection is closed and reopened. */
  probe(): void {
    if (!this.open || this.probing !== null) return;
    const sentAt = Date.now();
    this.send({ type: 'ping' });
    this.probing = setTimeout(() => {
      this.probing = null;
      if (this.lastFrameAt < sentAt) this.fail();
    }, PROBE_TIMEOUT);
  }

  /** Resolves when the bridge answers a ping. Stays pending if the connection ends first. */
  reached(): Promise<void> {
    return new Promise((resolve) => {
      this.pings.push(resolve);
      this.probe();
    });
  }

  private attempt(): void {
    this.clear('retry');
    if (this.stopped) return;
    this.tries += 1;
    this.triedAt = Date.now();
    this.publishLine(null);
    let wire: Wire;
    try {
      wire = this.options.open();
    } catch {
      this.fail();
      return;
    }
    this.wire = wire;
    this.watchTimeout = 0;
    this.watch = setTimeout(() => this.fail(), CONNECT_TIMEOUT);
    wire.onopen = () => {
      if (this.wire !== wire) return;
      this.open = true;
      this.onFrame();
      if (!wire.greeted)
        this.send({
          type: 'hello',
          version: VERSION,
          client: this.options.client,
          build: this.options.build ?? null,
          capabilities: [],
          revisions: this.options.revisions(),
        });
    };
    wire.onmessage = (event) => {
      if (this.wire === wire) this.receive(event.data);
    };
    wire.onclose = ({ code, reason }) => {
      if (this.wire !== wire) return;
      if (code === CLOSE_REVOKED && reason === 'revoked') this.unpaired();
      else this.fail();
    };
    wire.replay?.();
  }

  private receive(data: unknown): void {
    this.onFrame();
    let message: ServerMessage;
    try {
      const read: unknown = JSON.parse(String(data));
      if (typeof read !== 'object' || read === null || typeof (read as { type?: unknown }).type !== 'string') return;
      message = read as ServerMessage;
    } catch {
      return;
    }
    switch (message.type) {
      case 'ping':
        this.send({ type: 'pong' });
        return;
      case 'pong':
        for (const resolve of this.pings.splice(0)) resolve();
        return;
      case 'welcome':
        this.greet(message);
        return;
      case 'bye':
        this.onBye(message.reason);
        return;
      default:
        // Messages before the welcome are for clients without a hello message.
        if (this.welcome) this.messages.publish(message);
    }
  }

  private greet(welcome: Welcome & { type: 'welcome' }): void {
    this.welcome = welcome;
    this.skew = welcome.now - Date.now();
    this.pingEvery = welcome.limits.pingEvery || INITIAL_PING_INTERVAL;
    this.upAt = Date.now();
    this.bye = null;
    this.clear('grace');
    this.onFrame();
    // Before `up` is published: its listeners read the scopes of this device.
    this.messages.publish(welcome);
    this.line.set({ phase: 'up', since: Date.now(), tries: 0, nextTry: null, bye: null });
    const { build } = this.options;
    if (build && welcome.build && build !== welcome.build) this.options.reload?.(welcome.build);
    this.opened.publish();
  }

  private onBye(reason: Bye): void {
    this.bye = reason;
    // The connection stays open: a page of another build is better than none.
    if (reason === 'reload') {
      this.options.reload?.(this.welcome?.build ?? null);
      return;
    }
    this.fail();
  }

  private unpaired(): void {
    // A device that was accepted before was revoked.
    if (this.upAt > 0) this.bye ??= 'revoked';
    this.clear('retry', 'grace', 'watch', 'probing');
    this.drop();
    this.stopped = true;
    this.line.set({ phase: 'unpaired', since: Date.now(), tries: this.tries, nextTry: null, bye: this.bye });
  }

  /** Any frame shows that the connection works. Without one for two and a half ping intervals, the connection is closed. */
  private onFrame(): void {
    this.lastFrameAt = Date.now();
    if (this.probing !== null) this.clear('probing');
    const patience = this.welcome ? Math.max(this.pingEvery * 2.5, 1_000) : CONNECT_TIMEOUT;
    // Hundreds of frames may arrive per second: the timer is not restarted by each; it checks the time when it fires.
    if (this.watch !== null && this.watchTimeout === patience) return;
    this.clear('watch');
    this.watchTimeout = patience;
    this.listenOn(patience, patience);
  }

  private listenOn(ms: number, patience: number): void {
    this.watch = setTimeout(() => {
      this.watch = null;
      const rest = this.lastFrameAt + patience - Date.now();
      if (rest > 0) this.listenOn(rest, patience);
      else this.fail();
    }, ms);
  }

  private fail(): void {
    // A connection that was never welcomed does not count.
    const was = this.up;
    this.clear('watch', 'probing');
    this.drop();
    if (this.stopped) return;
    if (was) {
      this.lostAt = Date.now();
      // Backs off from a bridge that accepts and drops connections repeatedly.
      this.earlyFailures = this.lostAt - this.upAt >= STABLE_AFTER ? 0 : this.earlyFailures + 1;
      this.tries = Math.max(0, this.earlyFailures - 1);
      this.line.set({ phase: 'connecting', since: this.lostAt, tries: 0, nextTry: null, bye: this.bye });
      this.startGrace();
    } else if (this.options.paired) {
      void this.options.paired().then(
        (known) => {
          if (!known && !this.open && !this.stopped) this.unpaired();
        },
        () => undefined,
      );
    }
    this.plan();
  }

  private plan(): void {
    if (this.hidden && !this.options.triesHidden?.()) {
      this.publishLine(null);
      return;
    }
    const step = STEPS[Math.min(this.tries, STEPS.length - 1)] ?? 15_000;
    const base = this.hidden ? 60_000 : this.bye === 'restarting' ? Math.min(step, 1_000) : step;
    const wait = Math.round(base * (0.8 + 0.4 * (this.options.random ?? Math.random)()));
    this.clear('retry');
    this.retry = setTimeout(() => {
      this.retry = null;
      this.attempt();
    }, wait);
    this.publishLine(Date.now() + wait);
  }

  private startGrace(): void {
    this.clear('grace');
    this.grace = setTimeout(() => {
      this.grace = null;
      if (this.line.value.phase === 'connecting') this.line.set({ ...this.line.value, phase: 'lost' });
    }, GRACE_PERIOD);
  }

  private publishLine(nextTry: number | null): void {
    const { phase } = this.line.value;
    if (phase === 'up' || phase === 'unpaired') return;
    this.line.set({ phase, since: this.lostAt, tries: this.tries, nextTry, bye: this.bye });
  }

  private drop(): void {
    const wire = this.wire;
    this.wire = null;
    this.open = false;
    this.welcome = null;
    this.pings = [];
    if (!wire) return;
    wire.onopen = wire.onmessage = wire.onclose = null;
    try {
      wire.close();
    } catch {
      /* it was never open */
    }
  }

  private clear(...names: ('retry' | 'grace' | 'watch' | 'probing')[]): void {
    for (const name of names) {
      const timer = this[name];
      if (timer !== null) clearTimeout(timer);
      this[name] = null;
    }
  }
}

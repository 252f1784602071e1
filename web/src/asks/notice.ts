// Notifies the user when a session needs attention and the page is not visible: window title, badge, notification and
// sound. The last two are opt-in, and so is the content of notifications. A notification is closed when its reason is
// gone.
import { createEffect, onCleanup } from 'solid-js';
import type { SessionInfo } from '../api/types';
import { standingOf, windowTitle } from '../gate/standing';
import type { Client } from '../protocol';
import { t } from '../text';

export interface NoticeOptions {
  /** off: none; plain: without content of the session; content: with its title. */
  notices: () => 'off' | 'plain' | 'content';
  sound: () => boolean;
  /** Title of the page when no session needs attention. If undefined, the title is not changed. */
  title?: (() => string) | undefined;
  /** Called when a notification is clicked. */
  onOpen: (sessionId: string) => void;
}

/** Why a session needs attention. Each `key` notifies once. */
export function callOf(info: SessionInfo, unread: boolean): { key: string; kind: 'ask' | 'crash' | 'stall' | 'finished' } | null {
  if (info.archived) return null;
  if (info.pendingAsks > 0 || info.standing === 'waiting') return { key: `ask ${info.since} ${info.pendingAsks}`, kind: 'ask' };
  if (info.standing === 'crashed' || info.standing === 'lost') return { key: `crash ${info.since}`, kind: 'crash' };
  if (info.standing === 'stalled') return { key: `stall ${info.since}`, kind: 'stall' };
  return unread ? { key: `finished ${info.finishedAt}`, kind: 'finished' } : null;
}

export class Notices {
  private readonly called = new Map<string, string>();
  private readonly open = new Map<string, Notification>();
  private first = true;

  constructor(
    private readonly client: Client,
    private readonly options: NoticeOptions,
  ) {}

  /** Compares the session list with the last one: notifies about what is new, closes what is over. */
  look(): void {
    const line = this.client.connection.line.value;
    if (!this.client.list.current) return;
    const away = typeof document !== 'undefined' && (document.hidden || !document.hasFocus());
    let over = this.first;
    for (const info of this.client.list.all()) {
      const call = callOf(info, this.client.list.unread(info));
      if (!call) {
        over = this.called.delete(info.sessionId) || over;
        this.close(info.sessionId);
        continue;
      }
      if (this.called.get(info.sessionId) === call.key) continue;
      this.called.set(info.sessionId, call.key);
      // States from before the page was opened are not notified.
      if (this.first || !away) continue;
      const standing = standingOf(info, { now: this.client.connection.now(), line, unread: this.client.list.unread(info) });
      this.call(info, standing.word);
    }
    for (const id of [...this.open.keys()]) if (!this.client.list.get(id)) this.close(id);
    if (over) this.unring();
    this.first = false;
    this.badge();
  }

  /** "(2) Permission needed: Edit · Sluice" */
  title(base: string): string {
    const line = this.client.connection.line.value;
    const waiting = this.client.list.waiting().map((info) => standingOf(info, { now: this.client.connection.now(), line }));
    return windowTitle(
      base,
      waiting.filter((standing) => standing.title !== null),
    );
  }

  private badge(): void {
    const count = this.client.list.waiting().length;
    const device = globalThis.navigator as Navigator & { setAppBadge?: (n: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
    void (count > 0 ? device?.setAppBadge?.(count) : device?.clearAppBadge?.())?.catch(() => undefined);
  }

  private call(info: SessionInfo, word: string): void {
    if (this.options.sound()) beep();
    const how = this.options.notices();
    if (how === 'off' || typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
    this.close(info.sessionId);
    const title = how === 'content' ? (info.title ?? t('asks.untitled')) : t('asks.aSession');
    const options = { body: word, tag: `sluice-${info.sessionId}` };
    try {
      const notice = new Notification(title, options);
      notice.onclick = () => {
        window.focus();
        this.options.onOpen(info.sessionId);
        notice.close();
      };
      notice.onclose = () => this.open.delete(info.sessionId);
      this.open.set(info.sessionId, notice);
    } catch {
      // Phones support notifications only in a service worker. It opens the session on click; `unring` closes the
      // notification.
      void navigator.serviceWorker?.getRegistration('/').then(
        (worker) => worker?.showNotification(title, { ...options, data: info.sessionId }),
        () => undefined,
      );
    }
  }

  private close(sessionId: string): void {
    this.open.get(sessionId)?.close();
    this.open.delete(sessionId);
  }

  /** Closes the notifications that the service worker showed while the page was closed, once no session needs attention. */
  private unring(): void {
    if (typeof navigator === 'undefined' || !navigator.serviceWorker?.controller) return;
    void navigator.serviceWorker
      .getRegistration('/')
      .then((worker) => worker?.getNotifications())
      .then(
        (all) => {
          for (const one of all ?? []) if (typeof one.data === 'string' && !this.called.has(one.data)) one.close();
        },
        () => undefined,
      );
  }
}

/** Plays two short synthesized tones; nothing is fetched. */
export function beep(): void {
  try {
    const audio = new AudioContext();
    const gain = audio.createGain();
    gain.gain.value = 0.04;
    gain.connect(audio.destination);
    for (const [at, pitch] of [
      [0, 660],
      [0.12, 880],
    ] as const) {
      const tone = audio.createOscillator();
      tone.frequency.value = pitch;
      tone.connect(gain);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + at + 0.09);
    }
    setTimeout(() => void audio.close(), 500);
  } catch {
    /* browsers allow sound only after a user gesture */
  }
}

/** Requests the browser's permission. Must be called in a click handler. */
export async function allowNotices(): Promise<boolean> {
  if (typeof Notification === 'undefined') return false;
  return (await Notification.requestPermission()) === 'granted';
}

/** Notifies while the component is mounted. */
export function useNotices(client: Client, options: NoticeOptions): void {
  const notices = new Notices(client, options);
  const look = () => {
    notices.look();
    if (options.title) document.title = notices.title(options.title());
  };
  let due = false;
  onCleanup(
    client.list.changed.listen(() => {
      if (due) return;
      due = true;
      queueMicrotask(() => {
        due = false;
        look();
      });
    }),
  );
  onCleanup(client.connection.line.listen(look));
  if (options.title)
    createEffect(() => {
      document.title = notices.title(options.title?.() ?? '');
    });
  look();
}

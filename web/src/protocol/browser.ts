// The client in a real browser: where the bridge is, when the page is looked at, what other tabs do.
import { Client, type ClientOptions } from './client';
import type { Wire } from './connection';

const RELOADED = 'sluice.reloaded';

/** Whether the bridge knows this device. A plain GET is refused as unauthorised, or as no upgrade. */
async function paired(): Promise<boolean> {
  const answer = await fetch('/ws', { credentials: 'same-origin', cache: 'no-store' });
  return answer.status !== 401;
}

/** Loads the page anew, but only once for a build: two builds that disagree must not loop. */
function reload(build: string | null): void {
  const mark = build ?? 'asked';
  try {
    const last = sessionStorage.getItem(RELOADED);
    if (last === mark || last === `${mark}@${Math.floor(Date.now() / 60_000)}`) return;
    sessionStorage.setItem(RELOADED, build === null ? `asked@${Math.floor(Date.now() / 60_000)}` : mark);
  } catch {
    return;
  }
  location.reload();
}

export function pageBuild(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name="sluice-build"]')?.content || null;
}

/** Who wants to be called is called from a hidden page too, so its line is kept. */
function wantsCalls(): boolean {
  try { return (localStorage.getItem('sluice.notices') ?? 'off') !== 'off'; } catch { return false; }
}

/** Makes the client of this page and starts it.
 * `begin` false: the device is not known yet; the line is begun by `connection.start()` once it is. */
export function startClient(options: Partial<ClientOptions> = {}, begin = true): Client {
  const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`;
  const client = new Client({ open: () => new WebSocket(address) as unknown as Wire, client: 'sluice-web', build: pageBuild(), paired, reload, triesHidden: wantsCalls, ...options });
  const seen = () => (document.hidden ? client.connection.background() : client.connection.foreground());
  document.addEventListener('visibilitychange', () => { seen(); if (document.hidden) void client.cache.flush(); });
  window.addEventListener('pageshow', (event) => { if (event.persisted) client.connection.foreground(); });
  window.addEventListener('pagehide', () => void client.cache.flush());
  window.addEventListener('online', () => client.connection.online());
  // A line that may be cut is asked at once, not after minutes of silence.
  window.addEventListener('offline', () => client.connection.probe());
  window.addEventListener('storage', (event) => { if (event.key === null || event.key.startsWith('sluice.outbox.')) client.outbox.read(); });
  if (document.hidden) client.connection.background();
  if (begin) client.connection.start();
  else client.connection.stop();
  return client;
}

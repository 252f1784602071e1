// The client in a browser: address of the bridge, page visibility, other tabs.
import { Client, type ClientOptions } from './client';
import type { Wire } from './connection';

const RELOADED = 'sluice.reloaded';

/** True if the bridge accepts this device. It answers a plain GET with "unauthorized" or "upgrade required". */
async function paired(): Promise<boolean> {
  const answer = await fetch('/ws', { credentials: 'same-origin', cache: 'no-store' });
  return answer.status !== 401;
}

/** Reloads the page, but only once per build: two builds that disagree must not loop. */
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

/** With notifications enabled, the connection is kept while the page is hidden. */
function wantsCalls(): boolean {
  try {
    return (localStorage.getItem('sluice.notices') ?? 'off') !== 'off';
  } catch {
    return false;
  }
}

/** What `boot/first.js` started: the connection, its hello message and the session it subscribed to. */
interface First {
  socket: WebSocket;
  heard: unknown[];
  session: string | null;
  id: string;
}

function takeFirst(begun: (first: First) => void, told: () => void): Wire | null {
  const first = (window as { sluiceFirst?: First }).sluiceFirst;
  if (!first || first.socket.readyState > WebSocket.OPEN) return null;
  const { socket, heard } = first;
  const wire: Wire = {
    greeted: true,
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (text) => socket.send(text),
    close: () => socket.close(),
    replay: () => {
      if (socket.readyState === WebSocket.OPEN) wire.onopen?.();
      for (const data of heard.splice(0)) wire.onmessage?.({ data });
      told();
    },
  };
  socket.onopen = () => wire.onopen?.();
  socket.onmessage = (event) => wire.onmessage?.(event);
  socket.onclose = (event) => wire.onclose?.(event);
  begun(first);
  return wire;
}

/** Creates the client of this page; `connection.start()` connects. */
export function makeClient(options: Partial<ClientOptions> = {}): Client {
  const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`;
  let fresh = true;
  const open = (): Wire => {
    const first = fresh
      ? takeFirst(
          ({ session, id }) => {
            if (session) client.begun(session, id);
          },
          () => client.settle(),
        )
      : null;
    fresh = false;
    return first ?? (new WebSocket(address) as unknown as Wire);
  };
  const client: Client = new Client({ open, client: 'sluice-web', build: pageBuild(), paired, reload, triesHidden: wantsCalls, ...options });
  const seen = () => (document.hidden ? client.connection.background() : client.connection.foreground());
  document.addEventListener('visibilitychange', () => {
    seen();
    if (document.hidden) void client.cache.flush();
  });
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) client.connection.foreground();
  });
  window.addEventListener('pagehide', () => void client.cache.flush());
  window.addEventListener('online', () => client.connection.online());
  // Probes a connection that may be interrupted immediately, instead of waiting for its timeout.
  window.addEventListener('offline', () => client.connection.probe());
  window.addEventListener('storage', (event) => {
    if (event.key === null || event.key.startsWith('sluice.outbox.')) client.outbox.read();
  });
  if (document.hidden) client.connection.background();
  return client;
}

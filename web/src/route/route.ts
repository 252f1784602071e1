// The route, stored in the fragment: it is not sent to any server, and a link to a message survives a reload.
//   #/                        sessions            #/new?folder=PATH      a new session
//   #/s/ID                    transcript          #/s/ID/ITEM            the same, at an item
//   #/s/ID/rRECORD            the same, at a hit of a search
//   #/s/ID/changes            what changed        #/s/ID/overview        timeline and panels
//   #/s/ID/files?path=&line=  its files
//   #/usage #/settings/PART #/help #/keys         #/welcome              the first visit
// `?beside=ID,ID` shows more sessions side by side; `?q=` and `?folder=` filter the list.
import { createSignal } from 'solid-js';

export type View = 'transcript' | 'changes' | 'files' | 'overview';
export type Route =
  | { at: 'sessions'; q: string; folder: string }
  | { at: 'new'; folder: string }
  | { at: 'session'; id: string; view: View; item: number | null; beside: readonly string[]; record?: number; path?: string; line?: number | null }
  | { at: 'usage' }
  | { at: 'settings'; part: string }
  | { at: 'help' }
  | { at: 'keys' }
  | { at: 'welcome' };

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

export function parse(hash: string): Route {
  const text = hash.replace(/^#/, '');
  const cut = text.indexOf('?');
  const query = new URLSearchParams(cut < 0 ? '' : text.slice(cut + 1));
  const [first = '', second = '', third = ''] = (cut < 0 ? text : text.slice(0, cut)).split('/').filter(Boolean).map(decode);
  switch (first) {
    case 's': {
      if (!second) break;
      const view: View = third === 'changes' || third === 'files' || third === 'overview' ? third : 'transcript';
      const item = /^\d{1,15}$/.test(third) ? Number(third) : null;
      const hit = /^r(\d{1,15})$/.exec(third);
      const session = { at: 'session' as const, id: second, view, item, beside: (query.get('beside') ?? '').split(',').filter(Boolean) };
      if (hit) return { ...session, record: Number(hit[1]) };
      if (view !== 'files') return session;
      const line = /^[1-9]\d{0,6}$/.exec(query.get('line') ?? '');
      return { ...session, path: query.get('path') ?? '', line: line ? Number(line[0]) : null };
    }
    case 'new':
      return { at: 'new', folder: query.get('folder') ?? '' };
    case 'settings':
      return { at: 'settings', part: second };
    case 'usage':
    case 'help':
    case 'keys':
    case 'welcome':
      return { at: first };
  }
  return { at: 'sessions', q: query.get('q') ?? '', folder: query.get('folder') ?? '' };
}

const withQuery = (path: string, query: Readonly<Record<string, string>>): string => {
  const set = Object.entries(query).filter(([, value]) => value !== '');
  return set.length ? `${path}?${new URLSearchParams(set)}` : path;
};

export function format(route: Route): string {
  switch (route.at) {
    case 'sessions':
      return withQuery('#/', { q: route.q, folder: route.folder });
    case 'new':
      return withQuery('#/new', { folder: route.folder });
    case 'session': {
      const place = route.record === undefined ? route.item : `r${route.record}`;
      const tail = route.view !== 'transcript' ? `/${route.view}` : place === null ? '' : `/${place}`;
      return withQuery(`#/s/${encodeURIComponent(route.id)}${tail}`, {
        beside: route.beside.join(','),
        path: route.path ?? '',
        line: route.line ? String(route.line) : '',
      });
    }
    case 'settings':
      return route.part ? `#/settings/${route.part}` : '#/settings';
    default:
      return `#/${route.at}`;
  }
}

/** The address of a session, for links. */
export const sessionHref = (
  id: string,
  view: View = 'transcript',
  item: number | null = null,
  beside: readonly string[] = [],
  path = '',
  line: number | null = null,
): string => format({ at: 'session', id, view, item, beside, path, line });

/** The address of a hit of a search; the session finds the item it is in. */
export const hitHref = (id: string, record: number): string => format({ at: 'session', id, view: 'transcript', item: null, beside: [], record });

const [route, setRoute] = createSignal<Route>(parse(typeof location === 'undefined' ? '' : location.hash), {
  equals: (a, b) => format(a) === format(b),
});
export { route };

/** Navigates; `replace` adds no history entry. */
export function go(to: Route | string, replace = false): void {
  const hash = typeof to === 'string' ? to : format(to);
  if (replace) {
    history.replaceState(history.state, '', hash);
    setRoute(parse(hash));
  } else if (location.hash !== hash) {
    location.hash = hash;
    setRoute(parse(hash));
  }
}

export function listen(): () => void {
  const changed = () => setRoute(parse(location.hash));
  addEventListener('hashchange', changed);
  addEventListener('popstate', changed);
  changed();
  return () => {
    removeEventListener('hashchange', changed);
    removeEventListener('popstate', changed);
  };
}

/** Returns a pairing code in the fragment and removes it from the address and the history. */
export function takePairingCode(): string | null {
  const found = /^#pair=([^&]*)/.exec(location.hash);
  if (!found) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return decode(found[1] ?? '');
}

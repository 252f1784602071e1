// Service worker: caches the page, scripts and styles of one build for a fast start, and shows notifications for push
// messages. It never caches records, blobs or API responses. The cache of an old build is deleted. On the first visit
// only the files that the page has just loaded are cached, which needs no second transfer.
export {};
declare const self: ServiceWorkerGlobalScope;

const CACHE = 'shell-__BUILD__';
const SHELL = JSON.parse('__SHELL__') as string[];

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(SHELL))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith('shell-') && name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate' && url.pathname === '/') event.respondWith(freshPage(request));
  else if (url.pathname.startsWith('/assets/')) event.respondWith(keptFile(request));
});

// The page itself is requested from the server first, since it names the files of the current build.
async function freshPage(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put('/', response.clone());
    return response;
  } catch {
    return (await cache.match('/')) ?? Response.error();
  }
}

// Names of files contain a hash, so a cached file is always current.
async function keptFile(request: Request): Promise<Response> {
  const cached = await caches.match(request);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) await (await caches.open(CACHE)).put(request, response.clone());
  return response;
}

interface Told {
  session?: string;
  title?: string;
  body?: string;
}

// A push message: a session needs the user. The content to show was chosen in the page; by default there is none.
self.addEventListener('push', (event) => {
  event.waitUntil(ring(event.data));
});

async function ring(data: PushMessageData | null): Promise<void> {
  let payload: Told = {};
  try {
    payload = (data?.json() ?? {}) as Told;
  } catch {
    // Unknown payload; browsers require a notification nevertheless.
  }
  const open = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (open.some((page) => page.focused)) return;
  const chosen = (await (await caches.match('/notices'))?.json().catch(() => null)) as { content?: boolean; words?: string } | null | undefined;
  const session = payload.session ?? '';
  await self.registration.showNotification(chosen?.content ? (payload.title ?? 'Sluice') : (chosen?.words ?? 'Sluice'), {
    body: payload.body ?? '',
    tag: `sluice-${session}`,
    icon: '/icon.svg',
    data: session,
  });
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(typeof event.notification.data === 'string' ? event.notification.data : ''));
});

async function show(session: string): Promise<void> {
  const place = session ? `/#/s/${encodeURIComponent(session)}` : '/#/';
  const [page] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  try {
    if (page) {
      await page.focus();
      await page.navigate(place);
      return;
    }
  } catch {
    // A page that this worker does not control: opens another one.
  }
  await self.clients.openWindow(place);
}

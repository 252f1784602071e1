// Keeps the shell (page, scripts, styles) of one build for a fast start, and nothing else: no record,
// no blob, no answer of the API is ever kept here. A new build has a new name, the old one goes.
// On the first visit only what the page has just loaded is kept, so it costs no second transfer.
export {};
declare const self: ServiceWorkerGlobalScope;

const CACHE = 'shell-__BUILD__';
const SHELL = JSON.parse('__SHELL__') as string[];

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches.keys()
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

// The page itself is asked from the server first: it names the files of the current build.
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

// Hashed files never change, so the kept one is right.
async function keptFile(request: Request): Promise<Response> {
  const kept = await caches.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await (await caches.open(CACHE)).put(request, response.clone());
  return response;
}

// Web push: notifications while the page is closed. Needs a secure origin, browser support and a click of the user.
import '../text/rooms';
import { t } from '../text';

export const pushPossible = (): boolean => window.isSecureContext && 'PushManager' in window && 'serviceWorker' in navigator;

/** An error with a message for the user. */
export class PushTrouble extends Error {}

const worker = async (): Promise<ServiceWorkerRegistration | null> => (await navigator.serviceWorker.getRegistration('/')) ?? null;

const bytesOf = (key: string): Uint8Array<ArrayBuffer> => {
  const text = atob(key.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
};

async function call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new PushTrouble(t('settings.pushUnreachable'));
  }
  if (answer.ok) return answer;
  const problem = (await answer.json().catch(() => null)) as { message?: string } | null;
  throw new PushTrouble(answer.status === 404 ? t('settings.pushNotHere') : t('settings.pushRefused', { why: problem?.message ?? String(answer.status) }));
}

export async function pushIsOn(): Promise<boolean> {
  const found = await worker();
  return (await found?.pushManager.getSubscription().catch(() => null)) != null;
}

export async function pushOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new PushTrouble(t('settings.noticeDenied'));
  const found = await worker();
  if (!found) throw new PushTrouble(t('settings.pushNoWorker'));
  const { key } = (await (await call('GET', '/api/push/key')).json()) as { key: string };
  let made: PushSubscription;
  try {
    made = await found.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
  } catch (error) {
    throw new PushTrouble(t('settings.pushNoService', { why: error instanceof Error ? error.message : String(error) }));
  }
  const { endpoint, keys } = made.toJSON();
  try {
    await call('POST', '/api/push/subscribe', { endpoint, keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' } });
  } catch (error) {
    // The bridge did not accept the subscription, so it would never receive a message.
    await made.unsubscribe().catch(() => false);
    throw error;
  }
}

export async function pushOff(): Promise<void> {
  const made = await (await worker())?.pushManager.getSubscription();
  if (!made) return;
  const { endpoint } = made;
  await made.unsubscribe();
  await call('DELETE', '/api/push/subscribe', { endpoint });
}

/** Stores whether the service worker may show content. Workers cannot read local storage, so it is stored in a cache. */
export async function tellWorker(content: boolean): Promise<void> {
  try {
    const cache = await caches.open('notices');
    await cache.put('/notices', new Response(JSON.stringify({ content, words: t('asks.aSession') })));
  } catch {
    // Without a cache, notifications have no content.
  }
}

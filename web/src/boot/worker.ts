// The one place that needs a Trusted Types policy: the address of our own service worker.
import { whenIdle } from '../ui/task';

interface ScriptPolicy { createScriptURL(url: string): unknown }
interface TrustedTypesFactory { createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy }

const WORKER = '/sw.js';
const LATER = 1_500;

export function registerWorker(): void {
  if (!('serviceWorker' in navigator) || !import.meta.env.PROD) return;
  const factory = (globalThis as { trustedTypes?: TrustedTypesFactory }).trustedTypes;
  const policy = factory?.createPolicy('sluice-worker', {
    createScriptURL: (url) => {
      if (url !== WORKER) throw new TypeError('not our worker');
      return url;
    },
  });
  const url = (policy ? policy.createScriptURL(WORKER) : WORKER) as string;
  const register = () => void navigator.serviceWorker.register(url, { scope: '/' }).catch(() => undefined);
  // It is for the next visit, and fetches all files of the page once more: not while this one is being shown.
  addEventListener('load', () => setTimeout(() => whenIdle(register), LATER), { once: true });
}

// The one place that needs a Trusted Types policy: the address of our own service worker.
interface ScriptPolicy { createScriptURL(url: string): unknown }
interface TrustedTypesFactory { createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy }

const WORKER = '/sw.js';
let asked = false;

/** Keeps the shell for a fast start, where the browser allows it. Once is enough. */
export function registerWorker(): void {
  if (asked || !('serviceWorker' in navigator) || !import.meta.env.PROD) return;
  asked = true;
  const factory = (globalThis as { trustedTypes?: TrustedTypesFactory }).trustedTypes;
  const policy = factory?.createPolicy('sluice-worker', {
    createScriptURL: (url) => {
      if (url !== WORKER) throw new TypeError('not our worker');
      return url;
    },
  });
  const url = (policy ? policy.createScriptURL(WORKER) : WORKER) as string;
  void navigator.serviceWorker.register(url, { scope: '/' }).catch(() => undefined);
}

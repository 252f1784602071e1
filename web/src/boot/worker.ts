// Registers the service worker. The only place that needs a Trusted Types policy, for the worker's URL.
interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}
interface TrustedTypesFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy;
}

const WORKER = '/sw.js';
let requested = false;
let policy: ScriptPolicy | undefined;

function workerUrl(): string {
  const factory = (globalThis as { trustedTypes?: TrustedTypesFactory }).trustedTypes;
  policy ??= factory?.createPolicy('sluice-worker', {
    createScriptURL: (url) => {
      if (url !== WORKER) throw new TypeError('not our worker');
      return url;
    },
  });
  return (policy ? policy.createScriptURL(WORKER) : WORKER) as string;
}

/** Registers the service worker, which caches the page. A failed registration is retried after the next connection. */
export function registerWorker(): void {
  if (requested || !('serviceWorker' in navigator) || !import.meta.env.PROD) return;
  requested = true;
  try {
    void navigator.serviceWorker.register(workerUrl(), { scope: '/' }).catch(() => {
      requested = false;
    });
  } catch {
    // Blocked by the content security policy: the page loads from the network.
  }
}

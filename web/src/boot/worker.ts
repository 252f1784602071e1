// The one place that needs a Trusted Types policy: the address of our own service worker.
interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}
interface TrustedTypesFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy;
}

const WORKER = '/sw.js';
let asked = false;
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

/** Keeps the shell for a fast start, where the browser allows it. After a failure the next connection tries it again. */
export function registerWorker(): void {
  if (asked || !('serviceWorker' in navigator) || !import.meta.env.PROD) return;
  asked = true;
  try {
    void navigator.serviceWorker.register(workerUrl(), { scope: '/' }).catch(() => {
      asked = false;
    });
  } catch {
    // The page's policy does not allow it: the page starts from the network.
  }
}

// Parts of the page that are loaded on demand.
import { lazy as solidLazy, type Component } from 'solid-js';

const LOAD_ERROR = /dynamically imported module|importing a module script failed|unable to preload css/i;
const MIN_RETRY_DELAY = 250;
const MAX_RETRY_DELAY = 8_000;

/**
 * Loads a part and retries while the bridge cannot be reached. Browsers remember an address that failed, so each retry
 * uses a different one.
 */
export async function fetched<T>(
  load: () => Promise<T>,
  again: (address: string) => Promise<T> = (address) => import(/* @vite-ignore */ address) as Promise<T>,
): Promise<T> {
  let wait = MIN_RETRY_DELAY;
  let next = load;
  for (let tries = 1; ; tries += 1) {
    try {
      return await next();
    } catch (error) {
      const words = String(error);
      if (!LOAD_ERROR.test(words)) throw error;
      const address = /https?:\/\/\S+?\.js/.exec(words)?.[0];
      next = address ? () => again(`${address}?again=${tries}`) : load;
      await new Promise((resolve) => {
        setTimeout(resolve, wait);
      });
      // The bundler's loader requests a style sheet only once; the module itself loads without it, so it is added here.
      const sheet = /preload CSS for (\S+\.css)/i.exec(words)?.[1];
      if (sheet) document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `${sheet}?again=${tries}` }));
      wait = Math.min(wait * 2, MAX_RETRY_DELAY);
    }
  }
}

/** A component that is loaded on demand. */
// biome-ignore lint/suspicious/noExplicitAny: the properties of any component
export function lazy<T extends Component<any>>(load: () => Promise<{ default: T }>): T & { preload: () => Promise<{ default: T }> } {
  return solidLazy(() => fetched(load));
}

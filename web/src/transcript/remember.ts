// Caches answers of the server, since rows are rendered again whenever they scroll into view.
import type { TranscriptServices } from './services';

/** Caches the most recent answers; a failed request is not cached. */
export function remember<Args extends readonly unknown[], Answer>(
  ask: (...args: Args) => Promise<Answer>,
  keyOf: (...args: Args) => string,
  most: number,
): (...args: Args) => Promise<Answer> {
  const cache = new Map<string, Promise<Answer>>();
  return (...args) => {
    const key = keyOf(...args);
    const cached = cache.get(key);
    if (cached) {
      cache.delete(key);
      cache.set(key, cached);
      return cached;
    }
    const answer = ask(...args);
    cache.set(key, answer);
    answer.catch(() => {
      if (cache.get(key) === answer) cache.delete(key);
    });
    if (cache.size > most) {
      const oldest = cache.keys().next().value;
      if (oldest !== undefined) cache.delete(oldest);
    }
    return answer;
  };
}

export function remembering(services: TranscriptServices): TranscriptServices {
  return {
    ...services,
    highlight: remember(
      (lang: string, text: string) => services.highlight(lang, text),
      (lang, text) => `${lang}\u0000${text}`,
      300,
    ),
    diffOf: remember(
      (call: string) => services.diffOf(call),
      (call) => call,
      200,
    ),
    blobText: remember(
      (hash: string) => services.blobText(hash),
      (hash) => hash,
      8,
    ),
  };
}

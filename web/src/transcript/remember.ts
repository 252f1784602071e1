// Caches answers of the server, since rows are rendered again whenever they scroll into view.
import type { TranscriptServices } from './services';

/** Caches the most recent answers; a failed request is not cached. */
export function remember<Args extends readonly unknown[], Answer>(
  ask: (...args: Args) => Promise<Answer>,
  keyOf: (...args: Args) => string,
  most: number,
): (...args: Args) => Promise<Answer> {
  const kept = new Map<string, Promise<Answer>>();
  return (...args) => {
    const key = keyOf(...args);
    const known = kept.get(key);
    if (known) {
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    const answer = ask(...args);
    kept.set(key, answer);
    answer.catch(() => {
      if (kept.get(key) === answer) kept.delete(key);
    });
    if (kept.size > most) {
      const oldest = kept.keys().next().value;
      if (oldest !== undefined) kept.delete(oldest);
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
      (seq: number, id: string) => services.diffOf(seq, id),
      (seq, id) => `${seq} ${id}`,
      200,
    ),
    blobText: remember(
      (hash: string) => services.blobText(hash),
      (hash) => hash,
      8,
    ),
  };
}

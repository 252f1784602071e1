// Data fetched from the bridge. Like a Solid resource, but without suspense: while it is fetched again the old answer
// stays, and nothing around it is hidden.
import { batch, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';

export interface Asked<T> {
  /** The last answer. */
  readonly latest: T | undefined;
  /** Why the last request failed. */
  readonly error: unknown;
  readonly loading: boolean;
}

/** Fetches when `source` returns a value and again when the value changes. Outdated answers are dropped. */
export function createAsked<S, T>(
  source: () => S | null | undefined | false,
  fetcher: (source: S) => Promise<T>,
): readonly [Asked<T>, { refetch: () => Promise<void> }] {
  const [latest, setLatest] = createSignal<T | undefined>();
  const [error, setError] = createSignal<unknown>();
  const [loading, setLoading] = createSignal(false);
  let current = 0;
  const ask = (key: S): Promise<void> => {
    const mine = (current += 1);
    setLoading(true);
    return fetcher(key).then(
      (value) => {
        if (mine === current)
          batch(() => {
            setLatest(() => value);
            setError(undefined);
            setLoading(false);
          });
      },
      (problem: unknown) => {
        if (mine === current)
          batch(() => {
            setError(() => problem ?? new Error('refused'));
            setLoading(false);
          });
      },
    );
  };
  const wanted = (key: S | null | undefined | false): key is S => key !== null && key !== undefined && key !== false;
  // The answer may change the source; only a different value triggers another request.
  const question = createMemo(source);
  createEffect(
    on(question, (key) => {
      if (wanted(key)) void ask(key);
    }),
  );
  onCleanup(() => {
    current += 1;
  });
  return [
    {
      get latest() {
        return latest();
      },
      get error() {
        return error();
      },
      get loading() {
        return loading();
      },
    },
    {
      refetch: () => {
        const key = source();
        return wanted(key) ? ask(key) : Promise.resolve();
      },
    },
  ];
}

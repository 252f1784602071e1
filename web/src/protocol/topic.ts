import { createSignal } from 'solid-js';

// Publish/subscribe: listeners are called in order and can unsubscribe.
export type Listener<T> = (value: T) => void;

export class Topic<T> {
  private readonly listeners = new Set<Listener<T>>();

  listen(listener: Listener<T>): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  publish(value: T): void {
    for (const listener of [...this.listeners]) listener(value);
  }

  get heard(): boolean {
    return this.listeners.size > 0;
  }
}

/** A value that notifies listeners when it changes. Solid computations that read `value` run again after the listeners. */
export class Observable<T> {
  private readonly topic = new Topic<T>();
  private readonly signal = createSignal(undefined, { equals: false });
  constructor(private current: T) {}

  get value(): T {
    this.signal[0]();
    return this.current;
  }

  set(next: T): void {
    if (Object.is(next, this.current)) return;
    this.current = next;
    this.topic.publish(next);
    this.signal[1]();
  }

  /** Calls the listener with every later value. */
  listen(listener: Listener<T>): () => void {
    return this.topic.listen(listener);
  }
}

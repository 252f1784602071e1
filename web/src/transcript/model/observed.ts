/** Notifies observers about changes. */
export abstract class Observed {
  private watchers: Set<() => void> | undefined;

  watch(watcher: () => void): () => void {
    (this.watchers ??= new Set()).add(watcher);
    return () => this.watchers?.delete(watcher);
  }

  notify(): void {
    if (this.watchers) for (const watcher of [...this.watchers]) watcher();
  }
}

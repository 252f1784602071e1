// Notifies observers of transcript items about changes. Changes made inside `Changes.run` are published once, at its
// end.

export class Changes {
  private depth = 0;
  private readonly dirty = new Set<Observed>();

  run(work: () => void): void {
    this.depth += 1;
    try {
      work();
    } finally {
      this.depth -= 1;
      if (this.depth === 0) this.flush();
    }
  }

  add(one: Observed): void {
    this.dirty.add(one);
    if (this.depth === 0) this.flush();
  }

  private flush(): void {
    const all = [...this.dirty];
    this.dirty.clear();
    for (const one of all) one.notify();
  }
}

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

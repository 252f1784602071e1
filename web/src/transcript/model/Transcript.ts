// The items of a transcript as they are shown: in order, grouped by turn, those of subagents below their calls. Each item
// can be observed alone, so that streamed text renders one row.
import type { Item, ItemId } from '../../api/types';
import { Cell, same } from './cell';
import { group, type Entry } from './entries';
import { Observed } from './observed';

export class Transcript extends Observed {
  entries: readonly Entry[] = [];
  private readonly cells = new Map<ItemId, Cell>();
  /** All items by id, which is their order. */
  private order: Cell[] = [];

  constructor(items: readonly Item[] = []) {
    super();
    if (items.length > 0) this.apply(items);
  }

  get(id: ItemId): Cell | undefined {
    return this.cells.get(id);
  }

  /** Adds, replaces and removes items. Observers are notified once. */
  apply(items: readonly Item[], removed: readonly ItemId[] = []): void {
    const fresh: Cell[] = [];
    const changed: Cell[] = [];
    let moved = false;
    for (const item of items) {
      const cell = this.cells.get(item.id);
      if (cell) {
        if (cell.item === item) continue;
        moved ||= !sameShape(cell.item, item);
        cell.item = item;
        changed.push(cell);
      } else {
        const made = new Cell(item);
        this.cells.set(item.id, made);
        fresh.push(made);
      }
    }
    let gone = false;
    for (const id of removed) gone = this.cells.delete(id) || gone;
    if (gone) this.order = this.order.filter((cell) => this.cells.get(cell.id) === cell);
    if (fresh.length > 0) this.insert(fresh);
    if (fresh.length > 0 || gone || moved) this.arrange();
    for (const cell of changed) cell.notify();
  }

  /** Removes the items before this one. */
  forget(before: ItemId): void {
    this.apply(
      [],
      this.order.filter((cell) => cell.id < before).map((cell) => cell.id),
    );
  }

  private insert(fresh: Cell[]): void {
    fresh.sort((a, b) => a.id - b.id);
    const [first] = fresh;
    const last = fresh.at(-1);
    if (first && first.id > (this.order.at(-1)?.id ?? -1)) this.order.push(...fresh);
    else if (last && last.id < (this.order[0]?.id ?? Number.POSITIVE_INFINITY)) this.order = [...fresh, ...this.order];
    else this.order = [...this.order, ...fresh].sort((a, b) => a.id - b.id);
  }

  /** Puts every item at its place: in its turn, or below the call of its subagent. */
  private arrange(): void {
    const top: Cell[] = [];
    const below = new Map<Cell, Cell[]>();
    for (const cell of this.order) {
      if (cell.item.parent === null) top.push(cell);
      // The call may be part of an older page.
      const parent = cell.item.parent === null ? undefined : this.cells.get(cell.item.parent);
      if (parent) {
        const list = below.get(parent);
        if (list) list.push(cell);
        else below.set(parent, [cell]);
      }
    }
    for (const cell of this.order) {
      const children = below.get(cell);
      if (!children ? cell.children.length === 0 : same(children, cell.children)) continue;
      cell.children = children ?? [];
      cell.notify();
    }
    this.entries = group(top, this.entries);
    this.notify();
  }
}

/** True if both are shown at the same place, in the same kind of row. */
const sameShape = (a: Item, b: Item): boolean =>
  a.turn === b.turn && a.parent === b.parent && a.status === b.status && a.body.type === b.body.type && a.body.type !== 'turn_end';

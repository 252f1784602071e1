import type { Item, ItemBody, ItemId } from '../../api/types';
import { bodyOf, type BodyOf } from '../../protocol/items';
import { Observed } from './observed';

/** An item and the place of its observers. It stays the same object while the item changes. */
export class Cell extends Observed {
  /** The items of the subagent that this call started. */
  children: readonly Cell[] = [];
  constructor(public item: Item) {
    super();
  }
  get id(): ItemId {
    return this.item.id;
  }
  /** Returns the content if it is of this type. */
  as<T extends ItemBody['type']>(type: T): BodyOf<T> | undefined {
    return bodyOf(this.item, type);
  }
}

export const same = <T>(a: readonly T[], b: readonly T[]): boolean => a.length === b.length && a.every((one, i) => one === b[i]);

// Reads items by the type of their content.
import type { Image, Item, ItemBody, ItemId, Picture } from '../api/types';

export type BodyOf<T extends ItemBody['type']> = Extract<ItemBody, { type: T }>;

/** Returns the content of an item if it is of this type. */
export function bodyOf<T extends ItemBody['type']>(item: Item | undefined, type: T): BodyOf<T> | undefined {
  return item?.body.type === type ? (item.body as BodyOf<T>) : undefined;
}

/** An image of a message, to be sent again. */
export const imageOf = ({ data, mimeType }: Picture): Image => (typeof data === 'string' ? { data, mimeType } : { hash: data.$blob.hash, mimeType });

export interface Found<T extends ItemBody['type']> {
  id: ItemId;
  item: Item;
  body: BodyOf<T>;
}

/** Returns the newest item of this type. */
export function lastOf<T extends ItemBody['type']>(items: readonly Item[], type: T): Found<T> | undefined {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    const body = bodyOf(item, type);
    if (item && body) return { id: item.id, item, body };
  }
  return undefined;
}

/** Returns the newest message of a person, not the prompt of a subagent. */
export function lastPrompt(items: readonly Item[]): Found<'prompt'> | undefined {
  return lastOf(
    items.filter((item) => item.body.type === 'prompt' && item.body.source !== 'agent'),
    'prompt',
  );
}

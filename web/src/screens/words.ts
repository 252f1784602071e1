import '../text/rooms';
import { t, type Key } from '../text';
import type { Action, Place } from '../keys/keymap';

/** The name of an action. */
export const actionWord = (id: Action): string => (t as (key: Key) => string)(`keys.a_${id}` as Key);
export const placeWord = (place: Place): string => (t as (key: Key) => string)(`keys.${place}` as Key);

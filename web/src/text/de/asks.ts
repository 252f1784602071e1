import type { Translation } from '..';
import type en from '../en/asks';

export default {
} satisfies Translation<typeof en>;

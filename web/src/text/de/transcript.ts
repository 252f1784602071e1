import type { Translation } from '..';
import type en from '../en/transcript';

export default {
} satisfies Translation<typeof en>;

import type { Translation } from '..';
import type en from '../en/settings';

export default {
} satisfies Translation<typeof en>;

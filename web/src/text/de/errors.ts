import type { Translation } from '..';
import type en from '../en/errors';

export default {
} satisfies Translation<typeof en>;

import type { Translation } from '..';
import type en from '../en/composer';

export default {
} satisfies Translation<typeof en>;

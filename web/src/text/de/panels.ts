import type { Translation } from '..';
import type en from '../en/panels';

export default {
} satisfies Translation<typeof en>;

import type { Translation } from '..';
import type en from '../en/sessions';

export default {
} satisfies Translation<typeof en>;

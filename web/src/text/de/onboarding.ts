import type { Translation } from '..';
import type en from '../en/onboarding';

export default {
} satisfies Translation<typeof en>;

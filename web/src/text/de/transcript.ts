import type { Translation } from '..';
import type en from '../en/transcript';

export default {
  taskDone: 'erledigt',
  taskOpen: 'offen',
} satisfies Translation<typeof en>;

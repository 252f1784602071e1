import type { Translation } from '..';
import type en from '../en/errors';

export default {
  timeout: 'Die Bridge hat nicht rechtzeitig geantwortet. Ob es wirkte, zeigt das Gespräch.',
  decided: 'Schon entschieden von {who} um {time}.',
  someone: 'jemandem',
  scope: 'Dieses Gerät darf das nicht.',
  storage: 'Die Bridge kann nicht auf ihre Platte schreiben. Nichts ist geschehen.',
} satisfies Translation<typeof en>;

import type { Translation } from '..';
import type en from '../en/errors';

export default {
  timeout: 'Die Bridge hat nicht rechtzeitig geantwortet. Die Konversation zeigt, ob der Befehl wirksam wurde.',
  decided: 'Bereits von {who} um {time} entschieden.',
  someone: 'jemandem',
  scope: 'Diesem Gerät fehlt das erforderliche Recht.',
  storage: 'Die Bridge kann nicht auf ihren Datenträger schreiben. Es wurde nichts geändert.',
} satisfies Translation<typeof en>;

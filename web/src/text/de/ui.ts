import type { Translation } from '..';
import type en from '../en/ui';

export default {
  close: 'Schließen',
  cancel: 'Abbrechen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyFailed: 'Der Browser hat das Kopieren verweigert',
  undo: 'Rückgängig',
  dismiss: 'Ausblenden',
  more: 'Mehr',
  showAll: 'Alles anzeigen',
  showLess: 'Weniger anzeigen',
  raw: 'Roh',
  wrap: 'Zeilen umbrechen',
  external: 'öffnet eine andere Website',
  resize: 'Größe ändern',
  required: 'erforderlich',
  notifications: 'Benachrichtigungen',
  skip: 'Zum Inhalt springen',
} satisfies Translation<typeof en>;

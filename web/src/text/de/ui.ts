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
  showAll: 'Alles zeigen',
  showLess: 'Weniger zeigen',
  raw: 'Roh',
  wrap: 'Zeilen umbrechen',
  external: 'führt nach außen',
  resize: 'Größe ändern',
  required: 'nötig',
  notifications: 'Meldungen der Seite',
  skip: 'Zum Inhalt springen',
} satisfies Translation<typeof en>;

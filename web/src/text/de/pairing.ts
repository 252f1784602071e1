import type { Translation } from '..';
import type en from '../en/pairing';

export default {
  pairTitle: 'Gib den Code aus deinem Terminal ein',
  pairWords: 'Dieser Browser ist noch nicht gekoppelt. Der Code zeigt, dass du Zugang zum Rechner hast.',
  pairLabel: 'Kopplungscode, 8 Zeichen',
  pairHint: 'Einmal gültig, zehn Minuten lang. Er enthält kein 0, O, 1 oder I.',
  device: 'Name dieses Geräts',
  pair: 'Koppeln',
  pairing: 'Wird gekoppelt',
  revocable: 'Du kannst den Zugang in den Einstellungen widerrufen.',
  whereCode: 'Wo du den Code findest',
  termServe: 'sluice serve',
  termAt: 'Sluice ist unter',
  termCode: 'der Teil nach #pair= ist der Code',
  lost: 'Kein Terminal offen? Dieser Befehl gibt auf dem Rechner einen neuen Code aus:',
  wrong: 'Der Code ist falsch, bereits verwendet oder abgelaufen.',
  lockedFor: 'Zu viele falsche Codes. Versuche es in {age} erneut.',
  unreachable: 'Die Bridge antwortet nicht. Läuft sie?',
  refused: 'Von der Bridge abgelehnt: {why}',
  revoked: 'Der Zugang dieses Geräts wurde widerrufen. Kopple es mit einem neuen Code.',
  kindPhone: 'Telefon',
  kindTablet: 'Tablet',
  kindComputer: 'Rechner',
} satisfies Translation<typeof en>;

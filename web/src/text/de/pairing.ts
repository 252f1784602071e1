import type { Translation } from '..';
import type en from '../en/pairing';

export default {
  pairTitle: 'Gib den Code aus deinem Terminal ein',
  pairWords: 'Dieser Browser war noch nie hier. Der Code zeigt, dass du den Rechner siehst, auf dem es läuft.',
  pairLabel: 'Kopplungscode, 8 Zeichen',
  pairHint: 'Er gilt einmal, zehn Minuten lang. Er enthält kein 0, O, 1 oder I.',
  device: 'Name dieses Geräts',
  pair: 'Koppeln',
  pairing: 'Koppelt',
  revocable: 'In den Einstellungen entziehbar.',
  whereCode: 'Wo der Code steht',
  termServe: 'sluice serve',
  termAt: 'Sluice ist unter',
  termCode: 'der Teil nach #pair= ist der Code',
  lost: 'Terminal verloren? Auf dem Rechner selbst gibt dies einen neuen Code aus:',
  wrong: 'Dieser Code ist falsch, schon benutzt oder älter als zehn Minuten.',
  lockedFor: 'Zu viele falsche Codes. Wieder möglich in {age}.',
  unreachable: 'Die Bridge antwortet nicht. Läuft sie?',
  refused: 'Die Bridge lehnte ab: {why}',
  revoked: 'Diesem Gerät wurde der Zugang entzogen. Kopple es mit einem neuen Code.',
  kindPhone: 'Telefon',
  kindTablet: 'Tablet',
  kindComputer: 'Rechner',
} satisfies Translation<typeof en>;

// Formatting of numbers and times: 42 s, 1 m 12 s, 14:31, Tue, 61 %, 121.8 k, $1.84, 96 kB.
import { locale } from '.';

// Not with the browser's `Intl`: creating its first formatter delays the first paint by about 10 ms.
const MONTHS = {
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  de: ['Jan.', 'Feb.', 'März', 'Apr.', 'Mai', 'Juni', 'Juli', 'Aug.', 'Sept.', 'Okt.', 'Nov.', 'Dez.'],
} as const;
const DAYS = { en: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'], de: ['So', 'Mo', 'Di', 'Mi', 'Do', 'Fr', 'Sa'] } as const;
/** 3 Nov */
export const day = (at: number): string => {
  const then = new Date(at);
  return `${then.getDate()}${locale() === 'de' ? '.' : ''} ${MONTHS[locale()][then.getMonth()] ?? ''}`;
};
/** 3 Nov 2025 */
const date = (at: number): string => `${day(at)} ${new Date(at).getFullYear()}`;
/** A number with at least `least` and at most `most` decimal places. */
function number(value: number, most: number, least = 0): string {
  const step = 10 ** most;
  let text = (Math.round(value * step) / step).toFixed(most);
  while (text.includes('.') && (text.endsWith('.') || (text.endsWith('0') && text.length - text.indexOf('.') - 1 > least))) text = text.slice(0, -1);
  return locale() === 'de' ? text.replace('.', ',') : text;
}
const two = (value: number): string => String(value).padStart(2, '0');

/** An integer with thin spaces as group separators: 1 240. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${number(ms / 1000, 1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} m${s % 60 ? ` ${s % 60} s` : ''}`;
  const m = Math.round(s / 60);
  return `${Math.floor(m / 60)} h${m % 60 ? ` ${m % 60} m` : ''}`;
}

/** Whole seconds, for durations that are updated: 0 s, 42 s, 1 m 12 s. */
export const age = (ms: number): string => (ms < 10_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : duration(ms));

/** 14:31:02 */
export const seconds = (at: number): string => `${clock(at)}:${two(new Date(at).getSeconds())}`;
export function clock(at: number): string {
  const then = new Date(at);
  return `${two(then.getHours())}:${two(then.getMinutes())}`;
}

/** A time relative to now: 14:31 today, Tue this week, 3 Nov, 3 Nov 2025. */
export function when(at: number, now: number = Date.now()): string {
  const then = new Date(at);
  const today = new Date(now);
  if (then.toDateString() === today.toDateString()) return clock(at);
  if (now - at < 6 * 86_400_000 && at <= now) return DAYS[locale()][then.getDay()] ?? '';
  if (then.getFullYear() === today.getFullYear()) return day(at);
  return date(at);
}

/** Complete date and time, for tooltips and screen readers. */
export const moment = (at: number): string => `${date(at)}, ${seconds(at)}`;

export function tokens(value: number): string {
  if (value < 1000) return String(Math.round(value));
  if (value < 1_000_000) return `${number(value / 1000, value < 100_000 ? 1 : value % 1000 ? 1 : 0)} k`;
  return `${number(value / 1_000_000, 2)} M`;
}

export const percent = (part: number): string => `${Math.round(part * 100)} %`;

export function money(usd: number): string {
  const digits = usd !== 0 && Math.abs(usd) < 0.1 ? (Math.abs(usd) < 0.01 ? 4 : 3) : 2;
  const [whole = '', ...rest] = number(usd, digits, 2).split(/(?=[.,])/);
  return `$${whole.replace(/\B(?=(\d{3})+(?!\d))/g, locale() === 'de' ? '.' : ',')}${rest.join('')}`;
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${number(value / 1000, value < 10_000 ? 1 : 0)} kB`;
  return `${number(value / 1_000_000, 1)} MB`;
}

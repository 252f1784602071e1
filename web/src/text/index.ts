// Translation: all interface texts go through `t`. The English texts define the type, so an incomplete language does
// not compile. A message is a string with {params}, or one string per plural form chosen by the param `n`.
import { createSignal } from 'solid-js';
import { en } from './en';
import type { all } from './all';

type English = typeof all;

export type Plural = { readonly one: string; readonly other: string };
export type Message = string | Plural;
type Messages = { readonly [Area in keyof English]: { readonly [Key in keyof English[Area]]: Message } };
export type Key = { [Area in keyof English]: `${Area & string}.${keyof English[Area] & string}` }[keyof English];

/** Type of a translated area: every key of the English one, plural forms where it has them. */
export type Translation<Area> = { readonly [Key in keyof Area]: Area[Key] extends string ? string : Plural };

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Lookup<K extends Key> = K extends `${infer Area}.${infer Name}`
  ? Area extends keyof English
    ? Name extends keyof English[Area]
      ? English[Area][Name]
      : never
    : never
  : never;
type ParamsOf<M> = M extends string ? Names<M> : M extends Plural ? Names<M['one']> | Names<M['other']> | 'n' : never;
type Params<K extends Key> = { readonly [Name in ParamsOf<Lookup<K>>]: string | number };
type Rest<K extends Key> = [ParamsOf<Lookup<K>>] extends [never] ? [] : [params: Params<K>];

export type Locale = 'en' | 'de';
export const locales: readonly Locale[] = ['en', 'de'];

const [locale, setLocaleSignal] = createSignal<Locale>('en');
const english: Partial<Messages> = { ...en };
let messages: Partial<Messages> = english;

/** Adds the texts of a part that is loaded on demand. */
export const addEnglish = (more: Partial<Messages>): void => void Object.assign(english, more);

export { locale };

/** Switches the language; German is loaded on demand. */
export async function setLocale(next: Locale): Promise<void> {
  messages = next === 'de' ? (await import('./de')).de : english;
  if (typeof document !== 'undefined') document.documentElement.lang = next;
  setLocaleSignal(next);
}

/** The first supported language of the browser's preferences. */
export function preferredLocale(): Locale {
  for (const wanted of navigator.languages) {
    const short = wanted.slice(0, 2);
    if (short === 'en' || short === 'de') return short;
  }
  return 'en';
}

export function fill(text: string, params: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    return value === undefined ? whole : String(value);
  });
}

export function t<K extends Key>(key: K, ...rest: Rest<K>): string {
  locale();
  const [area, name] = key.split('.') as [keyof Messages, string];
  const message = (messages[area] as Readonly<Record<string, Message>> | undefined)?.[name];
  const params: Readonly<Record<string, string | number>> = rest[0] ?? {};
  if (message === undefined) return key;
  if (typeof message === 'string') return fill(message, params);
  // English and German have the same plural rule.
  const form = Number(params['n'] ?? 0) === 1 ? message.one : message.other;
  return fill(form, params);
}

/** The parts of a message around one of its params, for a message that contains an element. */
export function around<K extends Key>(key: K, hole: string, params: Readonly<Record<string, string | number>> = {}): [string, string] {
  const text = (t as (key: Key, params: object) => string)(key, { ...params, [hole]: '\u0000' });
  const at = text.indexOf('\u0000');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

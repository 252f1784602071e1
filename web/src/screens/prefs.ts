// Settings of this device. Stored in the browser under `sluice.*`, not sent to the server.
import { createSignal, type Accessor } from 'solid-js';
import { preferredLocale, setLocale, type Locale } from '../text';

export type Theme = 'system' | 'light' | 'dark';
export type Motion = 'system' | 'less';
export type Density = 'normal' | 'tight';

const [full, setFull] = createSignal(false);
/** True if the browser could not store something: unsent text may be lost on reload. */
export const storageFull = full;

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`sluice.${name}`);
  } catch {
    return null;
  }
}

/** Stores a setting. Returns false if the browser refused; then it applies until the page is closed, and a notice is shown. */
export function keep(name: string, value: string | null): boolean {
  try {
    if (value === null) localStorage.removeItem(`sluice.${name}`);
    else localStorage.setItem(`sluice.${name}`, value);
    setFull(false);
    return true;
  } catch {
    setFull(true);
    return false;
  }
}

/** Called by other modules when the browser refused to store something. */
export const noteStorageFull = (): void => void setFull(true);

/** The value, and a function that changes it and returns true if the change was stored. */
type Choice<T extends string> = readonly [Accessor<T>, (next: T) => boolean];

function choice<T extends string>(name: string, values: readonly T[], fallback: T, apply: (value: T) => void = () => {}): Choice<T> {
  const read = recall(name);
  const [value, setValue] = createSignal<T>(values.find((one) => one === read) ?? fallback);
  apply(value());
  return [
    value,
    (next) => {
      setValue(() => next);
      apply(next);
      return keep(name, next === fallback ? null : next);
    },
  ];
}

const root = (): DOMStringMap => document.documentElement.dataset;
const mark = (name: string, value: string | null): void => {
  if (value === null) delete root()[name];
  else root()[name] = value;
};

export const [theme, setTheme] = choice<Theme>('theme', ['system', 'light', 'dark'], 'system', (value) => mark('theme', value === 'system' ? null : value));
export const [density, setDensity] = choice<Density>('density', ['normal', 'tight'], 'normal', (value) => mark('density', value === 'tight' ? value : null));
export const [motion, setMotion] = choice<Motion>('motion', ['system', 'less'], 'system', (value) => mark('motion', value === 'less' ? value : null));
export const [enter, setEnter] = choice<'send' | 'line'>('enter', ['send', 'line'], 'send');
export const [diffs, setDiffs] = choice<'unified' | 'split'>('diffs', ['unified', 'split'], 'unified');
export const [notices, setNotices] = choice<'off' | 'plain' | 'content'>('notices', ['off', 'plain', 'content'], 'off');
export const [sound, setSound] = choice<'off' | 'on'>('sound', ['off', 'on'], 'off');
export const [reading, setReading] = choice<'off' | 'on'>('readBlocks', ['off', 'on'], 'off');
export const [anchor, setAnchor] = choice<'end' | 'top'>('anchor', ['end', 'top'], 'end');
export const [panelOpen, setPanelOpen] = choice<'open' | 'closed'>('panel', ['open', 'closed'], 'open');

const [language, setLanguageSignal] = createSignal<Locale | 'system'>((['en', 'de'] as const).find((one) => one === recall('language')) ?? 'system');
export { language };
export async function setLanguage(next: Locale | 'system'): Promise<boolean> {
  await setLocale(next === 'system' ? preferredLocale() : next);
  setLanguageSignal(next);
  return keep('language', next === 'system' ? null : next);
}
export const firstLocale = (): Promise<void> => setLocale(language() === 'system' ? preferredLocale() : (language() as Locale));

/** Initial values for a new session; '' means the agent's default. */
export const [newAgent, setNewAgent] = free('new.agent');
export const [newModel, setNewModel] = free('new.model');
export const [newMode, setNewMode] = free('new.mode');
export const [newEffort, setNewEffort] = free('new.effort');

function free(name: string): Choice<string> {
  const [value, setValue] = createSignal(recall(name) ?? '');
  return [
    value,
    (next) => {
      setValue(next);
      return keep(name, next || null);
    },
  ];
}

/** True if animations are reduced, by the system or by the user's setting. */
export const calm = (): boolean => motion() === 'less' || matchMedia('(prefers-reduced-motion: reduce)').matches;

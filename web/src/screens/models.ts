// Names of models. An agent announces short names ("opus": "Opus"); usage data contains full ids ("claude-opus-5-5").
// The full id is always shown in the tooltip.
import { createSignal } from 'solid-js';
import type { ModelInfo } from '../api/types';
import { keep, recall } from './prefs';

const KEY = 'models';
const MAX_MODELS = 40;
const isModel = (one: unknown): one is ModelInfo => typeof (one as ModelInfo | null)?.value === 'string' && typeof (one as ModelInfo).name === 'string';

function storedModels(): ModelInfo[] {
  try {
    const read: unknown = JSON.parse(recall(KEY) ?? '[]');
    return Array.isArray(read) ? read.filter(isModel) : [];
  } catch {
    return [];
  }
}

const [known, setKnown] = createSignal<readonly ModelInfo[]>(storedModels());

/** Stores the models that an agent announced, for screens without a session. */
export function learnModels(models: readonly ModelInfo[]): void {
  const now = known();
  if (models.every((one) => now.some((old) => old.value === one.value && old.name === one.name))) return;
  const next = [...models, ...now.filter((old) => !models.some((one) => one.value === old.value))].slice(0, MAX_MODELS);
  setKnown(next);
  keep(KEY, JSON.stringify(next.map(({ value, name }) => ({ value, name }))));
}

/** Older ids have the version before the family, newer ones after it; a date and a size in brackets may follow. */
const ID = /^claude-(?:(\d{1,2}(?:-\d{1,2})?)-)?([a-z]+)(?:-(\d{1,2}(?:-\d{1,2})?))?(?:-(?:\d{8}|latest))?(\[\w+\])?$/;

/** The name of a model with its version; the id if the name is unknown. */
export function nameOf(id: string, models: readonly ModelInfo[]): string {
  const exact = models.find((one) => one.value === id);
  if (exact) return exact.name;
  const [, before, family, after, size] = ID.exec(id) ?? [];
  const named = family === undefined ? undefined : models.find((one) => one.value === family);
  const version = (after ?? before ?? '').replace('-', '.');
  return named ? [named.name.includes(version) ? named.name : `${named.name} ${version}`, size].filter(Boolean).join(' ').trim() : id;
}

export const modelNamed = (id: string): string => nameOf(id, known());

// Form for the JSON schema of an MCP server: flat, primitive fields, enums, lists of enums.
import { isObject } from '../protocol/storage';
import { t } from '../text';

/** `raw` is the value that is sent; it may be a number. */
export interface SchemaOption {
  value: string;
  label: string;
  raw: unknown;
}
interface Base {
  key: string;
  label: string;
  description: string | null;
  required: boolean;
}
export type FormField = Base &
  (
    | { kind: 'text'; format: 'email' | 'uri' | 'date' | 'date-time' | null; min: number | null; max: number | null; pattern: string | null; initial: string }
    | { kind: 'number'; whole: boolean; min: number | null; max: number | null; above: number | null; below: number | null; initial: string }
    | { kind: 'switch'; initial: boolean }
    | { kind: 'one'; options: SchemaOption[]; initial: string }
    | { kind: 'many'; options: SchemaOption[]; min: number | null; max: number | null; initial: string[] }
    /** An unsupported type: entered as JSON. */
    | { kind: 'json'; initial: string }
  );
export type FormValue = string | boolean | string[];
export type FormValues = { [key: string]: FormValue };

type Schema = { [key: string]: unknown };
const num = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const str = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Options with their labels, from any of the schema's notations: enum and enumNames, or oneOf and anyOf with const and title. */
function optionsOf(schema: Schema): SchemaOption[] | null {
  if (Array.isArray(schema['enum'])) {
    const names: unknown[] = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
    return schema['enum'].map((value, index) => ({ value: String(value), label: str(names[index]) ?? String(value), raw: value as unknown }));
  }
  const list = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(list) && list.length > 0 && list.every((one) => isObject(one) && 'const' in one)) {
    return (list as Schema[]).map((one) => ({ value: String(one['const']), label: str(one['title']) ?? String(one['const']), raw: one['const'] }));
  }
  return null;
}

export function fieldsOf(request: { [key: string]: unknown }): FormField[] {
  const schema = isObject(request['requested_schema']) ? request['requested_schema'] : {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  const order: unknown[] = Array.isArray(request['property_order']) ? request['property_order'] : [];
  const keys = [...order.filter((key): key is string => typeof key === 'string' && key in properties), ...Object.keys(properties)];
  return [...new Set(keys)].map((key): FormField => {
    const one = isObject(properties[key]) ? properties[key] : {};
    const base: Base = { key, label: str(one['title']) ?? key, description: str(one['description']), required: required.has(key) };
    const options = optionsOf(one);
    const initial = one['default'];
    if (options) return { ...base, kind: 'one', options, initial: initial === undefined ? '' : String(initial) };
    switch (one['type']) {
      case 'string': {
        const format = str(one['format']);
        return {
          ...base,
          kind: 'text',
          format: format === 'email' || format === 'uri' || format === 'date' || format === 'date-time' ? format : null,
          min: num(one['minLength']),
          max: num(one['maxLength']),
          pattern: str(one['pattern']),
          initial: str(initial) ?? '',
        };
      }
      case 'number':
      case 'integer':
        return {
          ...base,
          kind: 'number',
          whole: one['type'] === 'integer',
          min: num(one['minimum']),
          max: num(one['maximum']),
          above: num(one['exclusiveMinimum']),
          below: num(one['exclusiveMaximum']),
          initial: initial === undefined ? '' : String(initial),
        };
      case 'boolean':
        return { ...base, kind: 'switch', initial: initial === true };
      case 'array': {
        const items = isObject(one['items']) ? optionsOf(one['items']) : null;
        if (items)
          return {
            ...base,
            kind: 'many',
            options: items,
            min: num(one['minItems']),
            max: num(one['maxItems']),
            initial: Array.isArray(initial) ? initial.map(String) : [],
          };
        break;
      }
      default:
        break;
    }
    return { ...base, kind: 'json', initial: initial === undefined ? '' : JSON.stringify(initial) };
  });
}

export const initialValues = (fields: readonly FormField[]): FormValues => Object.fromEntries(fields.map((field) => [field.key, field.initial]));

/** Accepts a decimal comma. */
const decimal = (text: string): number => Number(text.trim().replace(',', '.'));

const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;
const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** Returns what is wrong with a field, or null. */
export function problemOf(field: FormField, value: FormValue | undefined): string | null {
  switch (field.kind) {
    case 'text': {
      const text = typeof value === 'string' ? value : '';
      if (text === '') return field.required ? t('forms.needed') : null;
      if (field.min !== null && text.length < field.min) return t('forms.tooShort', { n: field.min });
      if (field.max !== null && text.length > field.max) return t('forms.tooLong', { n: field.max });
      if (field.format === 'email' && !EMAIL.test(text)) return t('forms.notEmail');
      if (field.format === 'uri' && !URL.canParse(text)) return t('forms.notUrl');
      if (field.format === 'date' && (!DATE.test(text) || Number.isNaN(Date.parse(text)))) return t('forms.notDate');
      if (field.format === 'date-time' && Number.isNaN(Date.parse(text))) return t('forms.notDate');
      if (field.pattern !== null) {
        try {
          if (!new RegExp(field.pattern, 'u').test(text)) return t('forms.notPattern', { pattern: field.pattern });
        } catch {
          /* patterns of other regex dialects cannot be checked here */
        }
      }
      return null;
    }
    case 'number': {
      const text = typeof value === 'string' ? value.trim() : '';
      if (text === '') return field.required ? t('forms.needed') : null;
      const number = decimal(text);
      if (!Number.isFinite(number)) return t('forms.notNumber');
      if (field.whole && !Number.isInteger(number)) return t('forms.notWhole');
      if (field.min !== null && number < field.min) return t('forms.tooSmall', { n: field.min });
      if (field.max !== null && number > field.max) return t('forms.tooLarge', { n: field.max });
      if (field.above !== null && number <= field.above) return t('forms.notAbove', { n: field.above });
      if (field.below !== null && number >= field.below) return t('forms.notBelow', { n: field.below });
      return null;
    }
    case 'one':
      return typeof value === 'string' && value !== ''
        ? field.options.some((option) => option.value === value)
          ? null
          : t('forms.needed')
        : field.required
          ? t('forms.needed')
          : null;
    case 'many': {
      const chosen = Array.isArray(value) ? value : [];
      if (field.required && chosen.length === 0) return t('forms.needed');
      if (chosen.length > 0 && field.min !== null && chosen.length < field.min) return t('forms.tooFew', { n: field.min });
      if (field.max !== null && chosen.length > field.max) return t('forms.tooMany', { n: field.max });
      return null;
    }
    case 'json': {
      const text = typeof value === 'string' ? value.trim() : '';
      if (text === '') return field.required ? t('forms.needed') : null;
      try {
        JSON.parse(text);
        return null;
      } catch {
        return t('asks.notJson');
      }
    }
    case 'switch':
      return null;
  }
}

/** Returns the values to send: numbers as numbers; empty fields are omitted. */
export function contentOf(fields: readonly FormField[], values: FormValues): { [key: string]: unknown } {
  const content: { [key: string]: unknown } = {};
  for (const field of fields) {
    const value = values[field.key];
    if (field.kind === 'switch') content[field.key] = value === true;
    else if (field.kind === 'many') {
      if (Array.isArray(value) && value.length > 0) content[field.key] = value.map((one) => rawOf(field.options, one));
    } else if (typeof value === 'string' && value.trim() !== '') {
      if (field.kind === 'number') content[field.key] = decimal(value);
      else if (field.kind === 'one') content[field.key] = rawOf(field.options, value);
      // The browser's date-time field has no time zone; the server receives UTC.
      else if (field.kind === 'text' && field.format === 'date-time') content[field.key] = new Date(value).toISOString();
      else if (field.kind === 'json') {
        try {
          content[field.key] = JSON.parse(value) as object;
        } catch {
          /* reported by problemOf */
        }
      } else content[field.key] = value;
    }
  }
  return content;
}

const rawOf = (options: readonly SchemaOption[], value: string): unknown => options.find((option) => option.value === value)?.raw ?? value;

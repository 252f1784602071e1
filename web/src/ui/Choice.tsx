import { createUniqueId, For, Show, splitProps, type JSX } from 'solid-js';
import { Icon } from './Icon';
import { t } from '../text';

export interface FieldProps {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  required?: boolean | undefined;
  /** The control. Spread the attributes on it, which connect label, hint and error to it. */
  children: (attributes: FieldAttributes) => JSX.Element;
}
export interface FieldAttributes {
  id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
  readonly 'aria-required': boolean | undefined;
}

export function Field(props: FieldProps): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="field">
      <label class="lab" for={id}>
        {props.label}
        <Show when={props.required}>
          <span class="dim"> · {t('ui.required')}</span>
        </Show>
      </label>
      {props.children({
        id,
        get 'aria-describedby'() {
          return props.error ? `${id}-e` : props.hint ? `${id}-h` : undefined;
        },
        get 'aria-invalid'() {
          return props.error ? true : undefined;
        },
        get 'aria-required'() {
          return props.required;
        },
      })}
      <Show when={props.hint && !props.error}>
        <p class="hint" id={`${id}-h`}>
          {props.hint}
        </p>
      </Show>
      <Show when={props.error}>
        <p class="error" id={`${id}-e`}>
          {props.error}
        </p>
      </Show>
    </div>
  );
}

export function Input(props: Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'style'> & { mono?: boolean | undefined }): JSX.Element {
  const [own, native] = splitProps(props, ['class', 'mono']);
  return <input type="text" {...native} class={`input ${own.mono ? 'mono' : ''} ${own.class ?? ''}`} />;
}

export function TextArea(props: Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, 'style'> & { mono?: boolean | undefined }): JSX.Element {
  const [own, native] = splitProps(props, ['class', 'mono']);
  return <textarea {...native} class={`input ${own.mono ? 'mono' : ''} ${own.class ?? ''}`} />;
}

export interface Option<T extends string> {
  value: T;
  label: string;
  disabled?: boolean | undefined;
}

export interface SelectProps<T extends string> extends Omit<JSX.SelectHTMLAttributes<HTMLSelectElement>, 'style' | 'onChange' | 'value'> {
  value: T;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
}

/** A controlled select: a new choice is shown once the owner has updated `value`, for example after saving. */
export function Select<T extends string>(props: SelectProps<T>): JSX.Element {
  const [own, native] = splitProps(props, ['value', 'options', 'onChange', 'class']);
  const pick = (select: HTMLSelectElement) => {
    const next = select.value as T;
    select.value = own.value;
    own.onChange(next);
  };
  return (
    <span class={`select ${own.class ?? ''}`}>
      <select {...native} class="input" onChange={(event) => pick(event.currentTarget)}>
        <For each={own.options}>
          {(option) => (
            <option value={option.value} selected={option.value === own.value} disabled={option.disabled}>
              {option.label}
            </option>
          )}
        </For>
      </select>
      <Icon name="down" />
    </span>
  );
}

export function Switch(props: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: string;
  disabled?: boolean | undefined;
  id?: string | undefined;
}): JSX.Element {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      id={props.id}
      aria-checked={props.checked}
      aria-label={props.label}
      disabled={props.disabled}
      onClick={() => props.onChange(!props.checked)}
    />
  );
}

/** A controlled checkbox, like `Select`. */
export function Checkbox(props: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean | undefined;
  children: JSX.Element;
}): JSX.Element {
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={props.checked}
        disabled={props.disabled}
        onChange={(event) => {
          const next = event.currentTarget.checked;
          event.currentTarget.checked = props.checked;
          props.onChange(next);
        }}
      />
      <span>{props.children}</span>
    </label>
  );
}

export function Radio(props: {
  name: string;
  value: string;
  checked: boolean;
  onChange: (value: string) => void;
  disabled?: boolean | undefined;
  children: JSX.Element;
}): JSX.Element {
  return (
    <label class="tick">
      <input
        type="radio"
        name={props.name}
        value={props.value}
        checked={props.checked}
        disabled={props.disabled}
        onChange={() => props.onChange(props.value)}
      />
      <span>{props.children}</span>
    </label>
  );
}

/** Two to five choices in one frame; arrow keys move and choose, as in radio buttons. */
export function Segmented<T extends string>(props: { label: string; value: T; options: readonly Option<T>[]; onChange: (value: T) => void }): JSX.Element {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : event.key === 'ArrowLeft' || event.key === 'ArrowUp' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const at = props.options.findIndex((option) => option.value === props.value);
    const next = props.options[(at + step + props.options.length) % props.options.length];
    if (!next) return;
    props.onChange(next.value);
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-value="${CSS.escape(next.value)}"]`)?.focus();
  };
  return (
    <div class="seg" role="radiogroup" aria-label={props.label} onKeyDown={onKeyDown}>
      <For each={props.options}>
        {(option) => (
          <button
            type="button"
            role="radio"
            data-value={option.value}
            aria-checked={option.value === props.value}
            disabled={option.disabled}
            tabIndex={option.value === props.value ? 0 : -1}
            onClick={() => props.onChange(option.value)}
          >
            {option.label}
          </button>
        )}
      </For>
    </div>
  );
}

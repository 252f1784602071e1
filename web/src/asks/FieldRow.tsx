// One field of a form that an MCP server requests.
import { createUniqueId, For, Match, Show, Switch, type JSX } from 'solid-js';
import { t } from '../text';
import { Checkbox, Select, Switch as Toggle } from '../ui';
import { Revealed } from './Revealed';
import type { FormField, FormValue } from './schema';

interface FieldProps {
  field: FormField;
  value: FormValue | undefined;
  problem: string | null;
  disabled: boolean;
  onChange: (value: FormValue) => void;
  onTouch: () => void;
}

export function FieldRow(props: FieldProps): JSX.Element {
  const id = createUniqueId();
  const field = props.field;
  return (
    <>
      <label class="ellab" for={id} id={`${id}-l`}>
        <Revealed prose text={field.label} />
        <Show when={field.required}>
          <span class="req">{t('ui.required')}</span>
        </Show>
      </label>
      <div>
        <Control {...props} id={id} />
        <Show when={field.description}>
          <p class="elhint" id={`${id}-h`}>
            <Revealed prose text={field.description ?? ''} />
          </p>
        </Show>
        <Show when={props.problem}>
          <p class="elerr t-bad" id={`${id}-e`}>
            {props.problem}
          </p>
        </Show>
      </div>
    </>
  );
}

/** Types of the text fields, by the format in the schema. */
const TYPES: { [format: string]: string } = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' };

function Control(props: FieldProps & { id: string }): JSX.Element {
  const field = props.field;
  const described = () => [props.problem ? `${props.id}-e` : '', field.description ? `${props.id}-h` : ''].filter(Boolean).join(' ') || undefined;
  const text = () => (typeof props.value === 'string' ? props.value : '');
  const common = {
    id: props.id,
    'data-field': field.key,
    get disabled() {
      return props.disabled;
    },
    get 'aria-describedby'() {
      return described();
    },
    get 'aria-invalid'() {
      return props.problem ? true : undefined;
    },
    'aria-required': field.required,
    onBlur: () => props.onTouch(),
  } as const;
  return (
    <Switch>
      <Match when={field.kind === 'text' && field.format === null && (field.max === null || field.max > 80) && field}>
        <textarea {...common} class="input" rows="1" value={text()} onInput={(event) => props.onChange(event.currentTarget.value)} />
      </Match>
      <Match when={field.kind === 'text' && field}>
        {(one) => (
          <input
            {...common}
            class="input"
            type={TYPES[one().format ?? ''] ?? 'text'}
            value={text()}
            onInput={(event) => props.onChange(event.currentTarget.value)}
          />
        )}
      </Match>
      <Match when={field.kind === 'number' && field}>
        {(one) => (
          <input
            {...common}
            class="input short"
            type="text"
            inputmode={one().whole ? 'numeric' : 'decimal'}
            value={text()}
            onInput={(event) => props.onChange(event.currentTarget.value)}
          />
        )}
      </Match>
      <Match when={field.kind === 'switch'}>
        <Toggle id={props.id} label={field.label} checked={props.value === true} disabled={props.disabled} onChange={(on) => props.onChange(on)} />
      </Match>
      <Match when={field.kind === 'one' && field}>
        {(one) => (
          <Select
            {...common}
            value={text()}
            options={[
              ...(one().required && text() !== '' ? [] : [{ value: '', label: t('forms.nothingChosen') }]),
              ...one().options.map(({ value, label }) => ({ value, label })),
            ]}
            onChange={(value) => props.onChange(value)}
          />
        )}
      </Match>
      <Match when={field.kind === 'many' && field}>{(one) => <Several {...props} options={one().options} />}</Match>
      <Match when={field.kind === 'json'}>
        <textarea {...common} class="input mono" rows="2" spellcheck={false} value={text()} onInput={(event) => props.onChange(event.currentTarget.value)} />
      </Match>
    </Switch>
  );
}

/** Any number of options. */
function Several(props: FieldProps & { id: string; options: readonly { value: string; label: string }[] }): JSX.Element {
  const many = () => (Array.isArray(props.value) ? props.value : []);
  return (
    <div class="many" role="group" aria-labelledby={`${props.id}-l`} id={props.id} data-field={props.field.key} tabIndex={-1}>
      <For each={props.options}>
        {(option) => (
          <Checkbox
            checked={many().includes(option.value)}
            disabled={props.disabled}
            onChange={(on) => {
              props.onTouch();
              props.onChange(on ? [...many(), option.value] : many().filter((value) => value !== option.value));
            }}
          >
            {option.label}
          </Checkbox>
        )}
      </For>
    </div>
  );
}

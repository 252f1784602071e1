// Model, permission mode and effort of a session as labelled lists.
import type { JSX } from 'solid-js';
import type { Settings } from '../composer/settings';
import { nameOf } from '../screens/models';
import { EFFORTS, effortWord, modeMeaning, MODES, modeWord, type Effort, type Mode } from '../screens/modes';
import { t } from '../text';
import { Field, Select } from '../ui';

export function SettingFields(props: { settings: Settings; disabled?: boolean }): JSX.Element {
  const of = props.settings;
  const models = () => {
    const now = of.model();
    const listed = of.models().map((one) => ({ value: one.value, label: one.name }));
    return [
      ...listed,
      ...(now && !listed.some((one) => one.value === now) ? [{ value: now, label: nameOf(now, of.models()) }] : []),
      { value: '', label: t('composer.modelDefault') },
    ];
  };
  const modes = () => MODES.map((value) => ({ value, label: modeWord(value), disabled: value === 'bypassPermissions' && !of.mayBypass() }));
  const efforts = () => [
    ...(of.effort() ? [] : [{ value: '' as const, label: t('sessions.modelDefault') }]),
    ...EFFORTS.map((value) => ({ value, label: effortWord(value) })),
  ];
  return (
    <>
      <Field label={t('sessions.model')}>
        {(attributes) => (
          <Select {...attributes} disabled={props.disabled} value={of.model() ?? ''} onChange={(model) => of.setModel(model || null)} options={models()} />
        )}
      </Field>
      <Field label={t('sessions.mode')} hint={modeMeaning(of.mode())}>
        {(attributes) => <Select<Mode> {...attributes} disabled={props.disabled} value={of.mode()} onChange={of.setMode} options={modes()} />}
      </Field>
      <Field label={t('composer.effortNone')}>
        {(attributes) => (
          <Select<Effort | ''>
            {...attributes}
            disabled={props.disabled}
            value={(of.effort() ?? '') as Effort | ''}
            onChange={(next) => {
              if (next) of.setEffort(next);
            }}
            options={efforts()}
          />
        )}
      </Field>
    </>
  );
}

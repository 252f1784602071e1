// Model, permission mode and effort. Bypassing permissions must be confirmed by typing a word.
import { createEffect, createSignal, Show, type JSX } from 'solid-js';
import { reason } from '../gate/act';
import type { Client, SessionView } from '../protocol';
import { learnModels, nameOf } from '../screens/models';
import { EFFORTS, effortWord, modeMeaning, MODES, modeWord, type Mode } from '../screens/modes';
import { around, t } from '../text';
import { Button, Dialog, Field, Icon, IconButton, Input, Menu, Select, toast, type MenuEntry } from '../ui';

export function Selectors(props: { client: Client; session: SessionView; disabled: boolean; modelRef?: (button: HTMLElement) => void }): JSX.Element {
  const id = () => props.session.store.id;
  const state = () => props.session.state();
  const [asking, setAsking] = createSignal(false);
  const [word, setWord] = createSignal('');
  // On a phone, the three are lists in a sheet.
  const [sheet, setSheet] = createSignal(false);
  const showError = (promise: Promise<unknown>) => void promise.catch((error: unknown) => toast(reason(error)));
  const send = (command: Parameters<typeof props.client.commands.send>[0]) => showError(props.client.commands.send(command));
  const models = () => props.session.facts()?.models ?? [];
  createEffect(() => learnModels(models()));
  const modelName = () => {
    const model = state()?.model;
    return model ? nameOf(model, models()) : t('composer.modelDefault');
  };
  const mode = () => state()?.permissionMode ?? 'default';
  const effort = () => state()?.effort ?? null;
  const setMode = (next: Mode) => {
    if (next === 'bypassPermissions') {
      setWord('');
      setAsking(true);
    } else showError(props.client.commands.send({ type: 'set_permission_mode', sessionId: id(), mode: next }));
  };
  const bypass = () => {
    if (word().trim().toLowerCase() !== t('composer.bypassWord')) return;
    setAsking(false);
    showError(props.client.commands.send({ type: 'set_permission_mode', sessionId: id(), mode: 'bypassPermissions' }));
  };

  const modelItems = (): MenuEntry[] => [
    ...models().map(
      (one): MenuEntry => ({
        label: one.name,
        checked: one.value === state()?.model || (one.value !== 'default' && one.name === modelName()),
        onSelect: () => showError(props.client.commands.send({ type: 'set_model', sessionId: id(), model: one.value })),
      }),
    ),
    'separator',
    { label: t('composer.modelDefault'), onSelect: () => showError(props.client.commands.send({ type: 'set_model', sessionId: id(), model: null })) },
  ];
  const modeItems = (): MenuEntry[] =>
    MODES.map((one) => ({
      label: modeWord(one),
      bad: one === 'bypassPermissions',
      checked: one === mode(),
      disabled: one === 'bypassPermissions' && !props.client.may('admin'),
      note: one === 'bypassPermissions' && !props.client.may('admin') ? t('composer.needsAdmin') : undefined,
      onSelect: () => setMode(one),
    }));
  const effortItems = (): MenuEntry[] =>
    EFFORTS.map((one) => ({
      label: effortWord(one),
      checked: one === effort(),
      onSelect: () => showError(props.client.commands.send({ type: 'set_effort', sessionId: id(), effort: one })),
    }));
  const select = (
    label: () => string,
    words: () => string,
    items: () => MenuEntry[],
    extra = '',
    title?: () => string | undefined,
    ref?: (element: HTMLElement) => void,
  ) => (
    <Menu
      label={label()}
      align="start"
      items={items}
      trigger={(attributes) => (
        <button
          type="button"
          {...attributes}
          ref={(element: HTMLButtonElement) => {
            attributes.ref(element);
            ref?.(element);
          }}
          class={`sel not-phone ${extra}`}
          aria-label={label()}
          title={title?.()}
          disabled={props.disabled}
        >
          <span>{words()}</span>
          <Icon name="down" />
        </button>
      )}
    />
  );
  const modelOptions = () => {
    const now = state()?.model;
    const listed = models().map((one) => ({ value: one.value, label: one.name }));
    return [
      ...listed,
      ...(now && !listed.some((one) => one.value === now) ? [{ value: now, label: nameOf(now, models()) }] : []),
      { value: '', label: t('composer.modelDefault') },
    ];
  };
  const how = () => around('composer.bypassHow', 'word');
  return (
    <>
      {select(
        () => t('composer.model', { model: modelName() }),
        modelName,
        modelItems,
        '',
        () => state()?.model ?? undefined,
        props.modelRef,
      )}
      {select(
        () => t('composer.mode', { mode: modeWord(mode()) }),
        () => modeWord(mode()),
        modeItems,
        mode() === 'bypassPermissions' ? 'bad' : '',
      )}
      {select(
        () => (effort() ? t('composer.effort', { effort: effortWord(effort() ?? '') }) : t('composer.effortNone')),
        () => (effort() ? effortWord(effort() ?? '') : t('composer.effortNone')),
        effortItems,
        'effort',
      )}
      <IconButton
        class="only-phone"
        icon="gear"
        label={t('composer.settings')}
        aria-haspopup="dialog"
        disabled={props.disabled}
        onClick={() => setSheet(true)}
      />
      <Dialog
        open={sheet()}
        title={t('composer.settings')}
        onClose={() => setSheet(false)}
        footer={<Button onClick={() => setSheet(false)}>{t('ui.close')}</Button>}
      >
        <div class="chosen">
          <Field label={t('sessions.model')}>
            {(attributes) => (
              <Select
                {...attributes}
                value={state()?.model ?? ''}
                onChange={(model) => send({ type: 'set_model', sessionId: id(), model: model || null })}
                options={modelOptions()}
              />
            )}
          </Field>
          <Field label={t('sessions.mode')} hint={modeMeaning(mode() as Mode)}>
            {(attributes) => (
              <Select<Mode>
                {...attributes}
                value={mode() as Mode}
                onChange={(next) => {
                  if (next === 'bypassPermissions') setSheet(false);
                  setMode(next);
                }}
                options={MODES.map((value) => ({ value, label: modeWord(value), disabled: value === 'bypassPermissions' && !props.client.may('admin') }))}
              />
            )}
          </Field>
          <Field label={t('composer.effortNone')}>
            {(attributes) => (
              <Select
                {...attributes}
                value={effort() ?? ''}
                onChange={(next) => {
                  if (next) send({ type: 'set_effort', sessionId: id(), effort: next });
                }}
                options={[
                  ...(effort() ? [] : [{ value: '', label: t('sessions.modelDefault') }]),
                  ...EFFORTS.map((value) => ({ value: value as string, label: effortWord(value) })),
                ]}
              />
            )}
          </Field>
        </div>
      </Dialog>
      <Dialog
        open={asking()}
        title={t('composer.bypassTitle')}
        onClose={() => setAsking(false)}
        footer={
          <>
            <Button tone="bad" disabled={word().trim().toLowerCase() !== t('composer.bypassWord')} onClick={bypass}>
              {t('composer.bypassDo')}
            </Button>
            <Button look="bare" onClick={() => setAsking(false)}>
              {t('ui.cancel')}
            </Button>
          </>
        }
      >
        <p>
          {how()[0]}
          <b>{t('composer.bypassWord')}</b>
          {how()[1]}
        </p>
        <Show when={modeMeaning('bypassPermissions')}>{(words) => <p class="dim">{words()}</p>}</Show>
        <Field label={t('composer.bypassField')}>
          {(attributes) => (
            <Input
              {...attributes}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              value={word()}
              onInput={(event) => setWord(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') bypass();
              }}
            />
          )}
        </Field>
      </Dialog>
    </>
  );
}

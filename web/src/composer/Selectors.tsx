// Model, permission mode and effort: three menus, on a phone three lists in a sheet.
import { createEffect, createSignal, Show, Suspense, type JSX } from 'solid-js';
import { reason } from '../gate/act';
import type { Client, SessionView } from '../protocol';
import { learnModels } from '../screens/models';
import { EFFORTS, effortWord, MODES, modeWord } from '../screens/modes';
import { t } from '../text';
import { Button, Dialog, Icon, IconButton, Menu, toast, type MenuEntry } from '../ui';
import { lazy } from '../ui/part';
import { createSettings, type Settings } from './settings';

const BypassDialog = lazy(async () => ({ default: (await import('./BypassDialog')).BypassDialog }));
const SettingFields = lazy(async () => ({ default: (await import('../panels/SettingFields')).SettingFields }));

interface SelectorProps {
  client: Client;
  session: SessionView;
  disabled: boolean;
  modelRef?: (button: HTMLElement) => void;
}

const modelItems = (of: Settings): MenuEntry[] => [
  ...of.models().map(
    (one): MenuEntry => ({
      label: one.name,
      checked: one.value === of.model() || (one.value !== 'default' && one.name === of.modelName()),
      onSelect: () => of.setModel(one.value),
    }),
  ),
  'separator',
  { label: t('composer.modelDefault'), onSelect: () => of.setModel(null) },
];

const modeItems = (of: Settings): MenuEntry[] =>
  MODES.map((one) => {
    const refused = one === 'bypassPermissions' && !of.mayBypass();
    return {
      label: modeWord(one),
      bad: one === 'bypassPermissions',
      checked: one === of.mode(),
      disabled: refused,
      note: refused ? t('composer.needsAdmin') : undefined,
      onSelect: () => of.setMode(one),
    };
  });

const effortItems = (of: Settings): MenuEntry[] =>
  EFFORTS.map((one) => ({ label: effortWord(one), checked: one === of.effort(), onSelect: () => of.setEffort(one) }));

export function Selectors(props: SelectorProps): JSX.Element {
  const [asking, setAsking] = createSignal(false);
  const [sheet, setSheet] = createSignal(false);
  const of = createSettings({
    id: () => props.session.store.id,
    state: props.session.state,
    facts: props.session.facts,
    send: (command) => void props.client.commands.send(command).catch((error: unknown) => toast(reason(error))),
    mayBypass: () => props.client.may('admin'),
    askBypass: () => {
      setSheet(false);
      setAsking(true);
    },
  });
  createEffect(() => learnModels(of.models()));
  const effort = () => of.effort();
  const effortName = () => (effort() ? effortWord(effort() ?? '') : t('composer.effortNone'));
  return (
    <>
      <Selector
        {...props}
        label={t('composer.model', { model: of.modelName() })}
        words={of.modelName()}
        items={() => modelItems(of)}
        title={of.model() ?? undefined}
        ref={props.modelRef}
      />
      <Selector
        {...props}
        label={t('composer.mode', { mode: modeWord(of.mode()) })}
        words={modeWord(of.mode())}
        items={() => modeItems(of)}
        class={of.mode() === 'bypassPermissions' ? 'bad' : ''}
      />
      <Selector
        {...props}
        label={effort() ? t('composer.effort', { effort: effortName() }) : effortName()}
        words={effortName()}
        items={() => effortItems(of)}
        class="effort"
      />
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
          <Suspense>
            <SettingFields settings={of} />
          </Suspense>
        </div>
      </Dialog>
      <Show when={asking()}>
        <Suspense>
          <BypassDialog client={props.client} sessionId={props.session.store.id} onClose={() => setAsking(false)} />
        </Suspense>
      </Show>
    </>
  );
}

interface OneProps extends SelectorProps {
  label: string;
  words: string;
  items: () => MenuEntry[];
  class?: string;
  title?: string | undefined;
  ref?: ((button: HTMLElement) => void) | undefined;
}

function Selector(props: OneProps): JSX.Element {
  return (
    <Menu
      label={props.label}
      align="start"
      items={props.items}
      trigger={(attributes) => (
        <button
          type="button"
          {...attributes}
          ref={(element: HTMLButtonElement) => {
            attributes.ref(element);
            props.ref?.(element);
          }}
          class={`sel not-phone ${props.class ?? ''}`}
          aria-label={props.label}
          title={props.title}
          disabled={props.disabled}
        >
          <span>{props.words}</span>
          <Icon name="down" />
        </button>
      )}
    />
  );
}

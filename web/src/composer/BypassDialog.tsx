// Bypassing permissions must be confirmed by typing a word.
import { createSignal, Show, type JSX } from 'solid-js';
import { reason } from '../gate/act';
import type { Client } from '../protocol';
import { modeMeaning } from '../screens/modes';
import { around, t } from '../text';
import { Button, Dialog, Field, Input, toast } from '../ui';

export function BypassDialog(props: { client: Client; sessionId: string; onClose: () => void }): JSX.Element {
  const [word, setWord] = createSignal('');
  const typed = () => word().trim().toLowerCase() === t('composer.bypassWord');
  const how = () => around('composer.bypassHow', 'word');
  const bypass = () => {
    if (!typed()) return;
    props.onClose();
    const { client, sessionId } = props;
    void client.commands.send({ type: 'set_permission_mode', sessionId, mode: 'bypassPermissions' }).catch((error: unknown) => toast(reason(error)));
  };
  return (
    <Dialog
      open
      title={t('composer.bypassTitle')}
      onClose={() => props.onClose()}
      footer={
        <>
          <Button tone="bad" disabled={!typed()} onClick={bypass}>
            {t('composer.bypassDo')}
          </Button>
          <Button look="bare" onClick={() => props.onClose()}>
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
  );
}

// Exports the conversation as a file. The user chooses what to leave out; redacted secrets are counted.
import '../text/places';
import { createSignal, For, Show, type JSX } from 'solid-js';
import { Button, Checkbox, Dialog, toast } from '../ui';
import { t } from '../text';
import { act } from './act';
import { Choices } from './Choices';
import { request } from './link';

type Format = 'md' | 'html' | 'jsonl';
const PARTS = ['thinking', 'results', 'images', 'secrets'] as const;

export default function Export(props: { id: string; onClose: () => void }): JSX.Element {
  const [format, setFormat] = createSignal<Format>('md');
  const [without, setWithout] = createSignal<ReadonlySet<string>>(new Set(['secrets']));
  const [busy, setBusy] = createSignal(false);
  const words = {
    thinking: () => t('places.leaveThinking'),
    results: () => t('places.leaveResults'),
    images: () => t('places.leaveImages'),
    secrets: () => t('places.leaveSecrets'),
  };
  const toggle = (part: string, on: boolean) => {
    const next = new Set(without());
    if (on) next.add(part);
    else next.delete(part);
    setWithout(next);
  };
  const download = () =>
    act(async () => {
      const { url } = await request({ type: 'export', sessionId: props.id, format: format() });
      const address = new URL(url, location.href);
      if (address.origin !== location.origin) throw new Error(address.origin);
      if (format() !== 'jsonl') for (const part of without()) address.searchParams.append('without', part);
      const answer = await fetch(address, { credentials: 'same-origin' });
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      const file = URL.createObjectURL(await answer.blob());
      const link = Object.assign(document.createElement('a'), { href: file, download: `${props.id}.${format()}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(file), 60_000);
      const count = answer.headers.get('x-redacted');
      toast(count === null ? t('places.downloaded') : t('places.redacted', { n: Number(count) }));
      props.onClose();
    }, setBusy);
  return (
    <Dialog
      open
      title={t('places.exportTitle')}
      onClose={props.onClose}
      footer={
        <>
          <Button look="primary" icon="download" disabled={busy()} onClick={() => void download()}>
            {busy() ? t('places.exporting') : t('places.exportDo')}
          </Button>
          <Button look="bare" onClick={() => props.onClose()}>
            {t('ui.cancel')}
          </Button>
        </>
      }
    >
      <Choices<Format>
        label={t('places.format')}
        value={format()}
        onChange={setFormat}
        options={[
          { value: 'md', label: t('places.exportMd'), words: t('places.exportMdWords') },
          { value: 'html', label: t('places.exportHtml'), words: t('places.exportHtmlWords') },
          { value: 'jsonl', label: t('places.exportJsonl'), words: t('places.exportJsonlWords') },
        ]}
      />
      <Show when={format() !== 'jsonl'} fallback={<p class="dim">{t('places.leaveNot')}</p>}>
        <fieldset class="leave">
          <legend class="mid">{t('places.leaveOut')}</legend>
          <For each={PARTS}>
            {(part) => (
              <div>
                <Checkbox checked={without().has(part)} onChange={(on) => toggle(part, on)}>
                  {words[part]()}
                </Checkbox>
              </div>
            )}
          </For>
        </fieldset>
      </Show>
    </Dialog>
  );
}

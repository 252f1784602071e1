// Building blocks of messages and bodies: large texts and pictures.
import { createResource, createSignal, Show, type JSX } from 'solid-js';
import type { Picture, Text } from '../../api/types';
import { t } from '../../text';
import { bytes } from '../../text/format';
import { LinkButton } from '../../ui';
import { useServices } from '../services';

/** A text that may be stored on the server: shows its beginning and loads the rest on request. */
export function HeavyText(props: { value: Text; children: (text: string) => JSX.Element }): JSX.Element {
  const services = useServices();
  const blob = () => (typeof props.value === 'string' ? undefined : props.value.$blob);
  const [wanted, setWanted] = createSignal<string>();
  const [all] = createResource(wanted, (hash) => services.blobText(hash));
  const text = () => (typeof props.value === 'string' ? props.value : ((all.error ? undefined : all()) ?? props.value.$blob.head ?? ''));
  return (
    <>
      {props.children(text())}
      <Show when={blob() && (all.error || !all())}>
        <p class="cutnote">
          <Show when={!all.error} fallback={t('transcript.fetchFailed')}>
            {t('transcript.cut', { size: bytes(blob()?.bytes ?? 0) })}
          </Show>{' '}
          <LinkButton onClick={() => setWanted(blob()?.hash)}>{t('transcript.fetchAll')}</LinkButton>
          {' · '}
          <a href={services.blobUrl(blob()?.hash ?? '')} target="_blank" rel="noreferrer">
            {t('ui.raw')}
          </a>
        </p>
      </Show>
    </>
  );
}

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** A picture of the session: from the server or embedded in the item, never remote. */
export function PictureView(props: { picture: Picture; name?: string | undefined }): JSX.Element {
  const services = useServices();
  const source = () => {
    const { data, mimeType } = props.picture;
    if (typeof data !== 'string') return services.blobUrl(data.$blob.hash);
    return PICTURES.has(mimeType) && /^[A-Za-z0-9+/=\s]+$/.test(data) ? `data:${mimeType};base64,${data}` : undefined;
  };
  return (
    <Show when={source()} fallback={<p class="cutnote">{t('transcript.picture')}</p>}>
      {(src) => (
        <img
          class="picture"
          src={src()}
          alt={props.name ? t('transcript.pictureOf', { name: props.name }) : t('transcript.picture')}
          loading="lazy"
          decoding="async"
        />
      )}
    </Show>
  );
}

// The pictures that are attached to the message.
import { For, type JSX } from 'solid-js';
import type { DraftPicture } from '../protocol';
import { t } from '../text';
import { count } from '../text/format';
import { Icon, IconButton } from '../ui';

export function Pictures(props: { pictures: readonly DraftPicture[]; onRemove: (picture: DraftPicture) => void }): JSX.Element {
  return (
    <ul class="att">
      <For each={props.pictures}>
        {(one) => (
          <li>
            <Icon name="image" />
            <span class="trunc">{one.name}</span>{' '}
            <span class="dim not-phone">
              {one.smaller
                ? t('composer.madeSmaller', { width: count(one.width), height: count(one.height) })
                : t('composer.pictureSize', { width: count(one.width), height: count(one.height) })}
            </span>
            <IconButton small icon="x" label={`${t('composer.remove')} ${one.name}`} onClick={() => props.onRemove(one)} />
          </li>
        )}
      </For>
    </ul>
  );
}

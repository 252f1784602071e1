import { For, Show, type JSX } from 'solid-js';
import type { SessionState } from '../api/types';
import { Counts } from '../diff/Counts';
import { Path } from '../ui';
import { t } from '../text';
import { sessionHref } from '../route/route';
import { createChanges } from '../screens/changed';
import { shortPath } from '../transcript/services';
import { Asked, Pane } from './Pane';

/** Files the session has changed, fetched again after every call that may have written. */
export function Files(props: { id: string; state: SessionState | undefined }): JSX.Element {
  const [changes, { refetch }] = createChanges(
    () => props.id,
    () => props.state,
  );
  const files = () => changes.latest?.files ?? [];
  return (
    <Pane name="files" title={t('panels.files')} figure={files().length || undefined}>
      <Asked of={changes} again={() => void refetch()}>
        <Show when={files().length} fallback={<p class="dim">{t('panels.filesNone')}</p>}>
          <ul class="files">
            <For each={files()}>
              {(file) => (
                <li>
                  <a href={sessionHref(props.id, 'changes')}>
                    <Path path={shortPath(file.path, props.state?.info.projectPath)} />
                  </a>
                  <Counts added={file.added} removed={file.removed} />
                </li>
              )}
            </For>
          </ul>
        </Show>
      </Asked>
    </Pane>
  );
}

// Folder trust: what an untrusted folder would enable is disabled until the user trusts the folder.
import { createStore } from 'solid-js/store';
import { Show, type JSX } from 'solid-js';
import type { FolderTrust } from '../api/types';
import { t } from '../text';
import { Button, Icon } from '../ui';
import { createAsked } from './asked';
import { openSheet } from './Dialogs';
import { folderName } from './groups';
import { request, up } from './link';

const [known, setKnown] = createStore<{ [folder: string]: FolderTrust }>({});
const [failed, setFailed] = createStore<{ [folder: string]: boolean }>({});
/** The last answer of the bridge about a folder. */
export const trustOf = (folder: string): FolderTrust | undefined => known[folder];
export const learnTrust = (folder: string, answer: FolderTrust): void => setKnown(folder, answer);

/**
 * Agents that disable the settings of an untrusted folder. The reference CLI trusts every folder of a session that a
 * host starts.
 */
const supportsTrust = (agent: string | undefined): boolean => agent === 'sluice';

/** True until the bridge has answered what a folder would enable; the view is rendered after that. */
export const trustPending = (folder: string, agent: string | undefined): boolean =>
  up() && supportsTrust(agent) && folder !== '' && trustOf(folder) === undefined && !failed[folder];

/** A notice while settings of the folder are disabled. `session`: the session whose agent must restart after the decision. */
export function TrustNote(props: { folder: string; agent: string | undefined; session?: string | undefined; class?: string | undefined }): JSX.Element {
  createAsked(
    () => up() && supportsTrust(props.agent) && props.folder,
    async (folder) => {
      try {
        learnTrust(folder, await request({ type: 'folder_trust', path: folder }));
      } catch (error) {
        setFailed(folder, true);
        throw error;
      }
    },
  );
  const held = () => (supportsTrust(props.agent) ? (trustOf(props.folder)?.heldBack ?? []) : []);
  return (
    <Show when={held().length}>
      <div class={props.class ?? 'notice'} role="status">
        <Icon name="lock" />
        <span class="grow">{t('sessions.trustNo', { folder: folderName(trustOf(props.folder)?.folder ?? props.folder) })}</span>
        <Button small onClick={() => openSheet({ kind: 'trust', folder: props.folder, id: props.session ?? '' })}>
          {t('sessions.trustReview')}
        </Button>
      </div>
    </Show>
  );
}

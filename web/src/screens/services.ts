// What the transcript needs from the page: highlighting, diffs, large bodies, links and menus.
import type { ItemId } from '../api/types';
import { imageOf, lastPrompt, type SessionView } from '../protocol';
import type { TranscriptServices } from '../transcript';
import { t } from '../text';
import { copyText } from '../ui';
import { go, sessionHref } from '../route/route';
import { act } from './act';
import { fork, openSheet } from './Dialogs';
import { client, may, request, up, welcome } from './link';
import { modelNamed } from './models';

export const blobUrl = (hash: string): string => `/api/blobs/${encodeURIComponent(hash)}`;

export function servicesFor(view: SessionView, onDraft?: (text: string) => void): TranscriptServices {
  const id = view.store.id;
  return {
    sessionId: id,
    empty: () => (view.phase() === 'live' ? t('transcript.empty') : up() ? t('sessions.loading') : t('sessions.notHere')),
    cwd: () => view.facts()?.cwd ?? view.state()?.info.projectPath,
    highlight: async (lang, text) => (await request({ type: 'highlight', lang, text })).lines,
    diffOf: (toolUseId) => request({ type: 'diff', sessionId: id, toolUseId }),
    blobText: async (hash) => {
      const answer = await fetch(blobUrl(hash), { credentials: 'same-origin' });
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      return answer.text();
    },
    blobUrl,
    fileHref: ({ path, line }) => sessionHref(id, 'files', null, [], path, line),
    permalink: (item) => sessionHref(id, 'transcript', item),
    rawOf: async (item) => (await request({ type: 'item_raw', sessionId: id, item })).lines,
    openTask: () => go(sessionHref(id, 'overview')),
    device: () => welcome()?.device.id,
    modelName: modelNamed,
    retry: (prompt) => (prompt && prompt.uuid === lastPrompt(view.items())?.body.uuid ? retryOf(view) : undefined),
    promptMenu: ({ uuid, text }, cell) =>
      may('operate')
        ? [
            ...(onDraft && typeof text === 'string' ? [{ label: t('sessions.editResend'), icon: 'edit' as const, onSelect: () => onDraft(text) }] : []),
            { label: t('sessions.rewindHere'), icon: 'history', onSelect: () => openSheet({ kind: 'rewind', id, prompt: uuid }) },
            { label: t('sessions.forkHere'), icon: 'fork', onSelect: () => void fork(id, uuid ?? undefined) },
            {
              label: t('sessions.copyLink'),
              icon: 'link',
              onSelect: () => void copyText(new URL(sessionHref(id, 'transcript', cell.id), location.href).href),
            },
          ]
        : [],
  };
}

/** Sends the last message again, after resuming an agent that ended. Undefined while a turn is running. */
function retryOf(view: SessionView): (() => void) | undefined {
  const id = view.store.id;
  const standing = view.state()?.info.standing ?? '';
  const last = lastPrompt(view.items())?.body;
  const text = last?.text;
  if (!['idle', 'stopped', 'crashed', 'lost'].includes(standing) || !may('operate') || !last || typeof text !== 'string') return undefined;
  return () => {
    const send = () => client().outbox.keep({ sessionId: id, text, images: last.images.map(imageOf) });
    if (standing === 'idle') void send();
    else void act(() => request({ type: 'resume_session', sessionId: id })).then((begun) => (begun ? send() : undefined));
  };
}

/** Loads older items until this one is loaded. Returns false if there is no such item. */
export async function reach(view: SessionView, item: ItemId): Promise<boolean> {
  // Keeps the loaded items in memory meanwhile.
  view.store.setReading(true);
  for (let page = 0; page < 200; page += 1) {
    const first = view.store.items[0]?.id;
    if (first !== undefined && first <= item) return true;
    if (!view.store.more || !(await client().older(view.store, 200))) return false;
  }
  return false;
}

// What the transcript needs from the page: highlighting, diffs, large bodies, links and menus.
import type { Diff, Own } from '../api/types';
import type { SessionView } from '../protocol';
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
    diffOf: (_seq, toolUseId): Promise<Diff> => request({ type: 'diff', sessionId: id, toolUseId }),
    blobText: async (hash) => {
      const answer = await fetch(blobUrl(hash), { credentials: 'same-origin' });
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      return answer.text();
    },
    blobUrl,
    fileHref: ({ path, line }) => sessionHref(id, 'files', null, [], path, line),
    permalink: (seq) => sessionHref(id, 'transcript', seq),
    waiting: () => new Set(view.asks.flatMap((ask) => (ask.toolUseId ? [ask.toolUseId] : []))),
    openTask: () => go(sessionHref(id, 'overview')),
    device: () => welcome()?.device.id,
    modelName: modelNamed,
    retry: (prompt) => {
      const last = lastPrompt(view);
      return prompt && prompt.uuid === last?.uuid ? retryOf(view) : undefined;
    },
    promptMenu: (prompt) =>
      may('operate')
        ? [
            ...(onDraft && typeof prompt.text === 'string'
              ? [{ label: t('sessions.editResend'), icon: 'edit' as const, onSelect: () => onDraft(prompt.text as string) }]
              : []),
            { label: t('sessions.rewindHere'), icon: 'history', onSelect: () => openSheet({ kind: 'rewind', id, prompt: prompt.uuid }) },
            { label: t('sessions.forkHere'), icon: 'fork', onSelect: () => void fork(id, prompt.uuid) },
            {
              label: t('sessions.copyLink'),
              icon: 'link',
              onSelect: () => void copyText(new URL(sessionHref(id, 'transcript', prompt.seq), location.href).href),
            },
          ]
        : [],
  };
}

type PromptRecord = Extract<Own, { type: 'sluice_prompt' }>;

const lastPrompt = (view: SessionView): PromptRecord | undefined =>
  view.records().findLast((record) => record.what.type === 'sluice_prompt')?.what as PromptRecord | undefined;

/** Sends the last message again, after resuming an agent that ended. Undefined while a turn is running. */
function retryOf(view: SessionView): (() => void) | undefined {
  const id = view.store.id;
  const standing = view.state()?.info.standing ?? '';
  const last = lastPrompt(view);
  if (!['idle', 'stopped', 'crashed', 'lost'].includes(standing) || !may('operate') || typeof last?.text !== 'string') return undefined;
  return () => {
    const send = () => client().outbox.keep({ sessionId: id, text: last.text, images: last.images.map((one) => ({ hash: one.hash, mimeType: one.mime })) });
    if (standing === 'idle') void send();
    else void act(() => request({ type: 'resume_session', sessionId: id })).then((begun) => (begun ? send() : undefined));
  };
}

/** Loads older records until `seq` is loaded. Returns false if there is no such record. */
export async function reach(view: SessionView, seq: number): Promise<boolean> {
  // Keeps the loaded records in memory meanwhile.
  view.store.setReading(true);
  for (let page = 0; page < 200; page += 1) {
    const first = view.store.records[0]?.seq;
    if (first !== undefined && first <= seq) return true;
    if (!view.store.more || !(await client().older(view.store, 200))) return false;
  }
  return false;
}

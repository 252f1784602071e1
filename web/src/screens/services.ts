// What the transcript needs from the page: colours, differences, heavy bodies, links and menus.
import type { Diff, Own } from '../api/types';
import type { SessionView } from '../protocol';
import type { TranscriptServices } from '../transcript';
import { t } from '../text';
import { copyText } from '../ui';
import { go, sessionHref } from '../route/route';
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
    permalink: (seq) => sessionHref(id, 'transcript', seq),
    waiting: () => new Set(view.asks.flatMap((ask) => (ask.toolUseId ? [ask.toolUseId] : []))),
    openTask: () => go(sessionHref(id, 'overview')),
    device: () => welcome()?.device.id,
    modelName: modelNamed,
    retry: (turn) => {
      // Only the last turn, and only while nothing else runs.
      const idle = ['idle', 'stopped'].includes(view.state()?.info.standing ?? '');
      const last = view.records().findLast((record) => record.what.type === 'sluice_prompt')?.what as Extract<Own, { type: 'sluice_prompt' }> | undefined;
      const prompt = turn.items.findLast((item) => item.kind === 'prompt');
      if (!idle || !may('operate') || !last || prompt?.kind !== 'prompt' || prompt.uuid !== last.uuid || typeof last.text !== 'string') return undefined;
      return () => void client().outbox.keep({ sessionId: id, text: last.text, images: last.images.map((one) => ({ hash: one.hash, mimeType: one.mime })) });
    },
    promptMenu: (prompt) => (may('operate') ? [
      ...(onDraft && typeof prompt.text === 'string' ? [{ label: t('sessions.editResend'), icon: 'edit' as const, onSelect: () => onDraft(prompt.text as string) }] : []),
      { label: t('sessions.rewindHere'), icon: 'history', onSelect: () => openSheet({ kind: 'rewind', id, prompt: prompt.uuid }) },
      { label: t('sessions.forkHere'), icon: 'fork', onSelect: () => void fork(id, prompt.uuid) },
      { label: t('sessions.copyLink'), icon: 'link', onSelect: () => void copyText(new URL(sessionHref(id, 'transcript', prompt.seq), location.href).href) },
    ] : []),
  };
}

/** Loads older records until this one is there; false when there is none. */
export async function reach(view: SessionView, seq: number): Promise<boolean> {
  // Nothing of it is let go again while someone goes there.
  view.store.setReading(true);
  for (let page = 0; page < 200; page += 1) {
    const first = view.store.records[0]?.seq;
    if (first !== undefined && first <= seq) return true;
    if (!view.store.more || !(await client().older(view.store, 200))) return false;
  }
  return false;
}

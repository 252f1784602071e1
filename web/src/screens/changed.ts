// The changes of a session, fetched once per turn and shared by head, gate and panel.
import type { Changes, SessionState } from '../api/types';
import { createAsked, type Asked } from './asked';
import { request } from './link';

const under = new Map<string, { step: string; answer: Promise<Changes> }>();

export function createChanges(id: () => string, state: () => SessionState | undefined | null): readonly [Asked<Changes>, { refetch: () => void }] {
  const step = () => {
    const now = state();
    return now ? `${id()} ${now.info.finishedAt ?? 0} ${now.turn?.turn ?? 0}` : null;
  };
  return createAsked(step, (wanted) => {
    const known = under.get(id());
    if (known?.step === wanted) return known.answer;
    const answer = request({ type: 'changes', sessionId: id() });
    under.set(id(), { step: wanted, answer });
    answer.then(
      () => undefined,
      () => {
        if (under.get(id())?.answer === answer) under.delete(id());
      },
    );
    return answer;
  });
}

export interface Sum {
  files: number;
  added: number;
  removed: number;
}

export function sumOf(changes: Changes | undefined): Sum {
  const files = changes?.files ?? [];
  return { files: files.length, added: files.reduce((n, file) => n + file.added, 0), removed: files.reduce((n, file) => n + file.removed, 0) };
}

// Earlier messages, brought back with ↑ and ↓.
import type { Client, SessionView } from '../protocol';
import { textOf } from '../transcript/model/text';

export interface HistoryOptions {
  client: Client;
  session: () => SessionView | undefined;
  /** Key of the draft: its sent messages are stored under the same key. */
  key: () => string;
  text: () => string;
  /** Replaces the text of the message box. */
  replace: (text: string) => void;
}

export interface History {
  /** Shows an earlier (1) or later (-1) message. Returns false if there is none. */
  step: (by: 1 | -1) => boolean;
  /** True while an earlier message is shown. */
  browsing: () => boolean;
  reset: () => void;
}

export function createHistory({ client, session, key, text, replace }: HistoryOptions): History {
  /** Index of the message that is shown; -1 is the unsent text. */
  let index = -1;
  let unsent = '';
  const messages = () => {
    const prompts =
      session()
        ?.items()
        .flatMap(({ body }) => (body.type === 'prompt' && body.source !== 'agent' ? [textOf(body.text)] : []))
        .reverse() ?? [];
    return [...new Set([...client.drafts.history(key()), ...prompts])].filter((one) => one !== '');
  };
  return {
    step: (by) => {
      const all = messages();
      const next = index + by;
      if (next < -1 || next >= all.length) return false;
      if (index === -1) unsent = text();
      index = next;
      replace(next === -1 ? unsent : (all[next] ?? ''));
      return true;
    },
    browsing: () => index >= 0,
    reset: () => {
      index = -1;
    },
  };
}

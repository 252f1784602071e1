// Status of the session of a view, with everything the page knows about it.
import { shortPath } from '../asks/inputs';
import type { SessionInfo } from '../api/types';
import type { Client, Line, SessionView } from '../protocol';
import { isObject } from '../protocol/storage';
import { standingOf, type Standing } from './standing';

export function sessionStanding(props: { client: Client; session: SessionView; line: Line; now: number }): Standing | null {
  const state = props.session.state();
  const info = latestInfo(props.session, props.client);
  if (!info) return null;
  const drafts = props.session.drafts().filter((draft) => draft.parent === null);
  const kind = drafts.at(-1)?.kind;
  const store = props.session.store;
  const behind = props.session.phase() === 'catching' && props.line.phase === 'up' && store.newest - (store.cursor?.seq ?? 0) > 200;
  return standingOf(info, {
    now: props.now,
    line: props.line,
    state,
    unread: props.client.list.unread(info),
    target: targetOf(props.session),
    writing: kind === 'thinking' || kind === 'text' || kind === 'call' ? kind : null,
    catching: behind ? { have: store.cursor?.seq ?? 0, of: store.newest } : null,
  });
}

/** When text of a session arrived last, in the bridge's time. Text that is being written changes no state. */
const heard = new WeakMap<object, number>();

/** Notes when text arrives. `now`: the bridge's time. */
export function listenForSigns(session: SessionView, now: () => number): void {
  session.onChange((change) => {
    if (change.grown.size > 0) heard.set(session.store, now());
  });
}

/** The session with its last sign of life from any source: the state, the session list, and text that is being written. */
export function latestInfo(session: SessionView, client: Client): SessionInfo | undefined {
  const listed = client.list.get(session.store.id);
  const info = session.state()?.info ?? listed;
  if (!info) return undefined;
  const lastSign = Math.max(info.lastSign ?? 0, listed?.lastSign ?? 0, heard.get(session.store) ?? 0);
  if (lastSign <= (info.lastSign ?? 0)) return info;
  return { ...info, lastSign, activity: (listed?.lastSign ?? 0) > (info.lastSign ?? 0) && listed ? listed.activity : info.activity };
}

const targets = new WeakMap<object, { call: string; text: string | null }>();

/** Subject of the running call, from its record; looked up once per call. */
function targetOf(session: SessionView): string | null {
  const call = session.state()?.calls.at(-1);
  if (!call) return null;
  const known = targets.get(session.store);
  if (known?.call === call.id) return known.text;
  const { records } = session.store;
  for (let index = records.length - 1; index >= Math.max(0, records.length - 400); index -= 1) {
    const what = records[index]?.what as { type?: string; message?: { content?: unknown } } | undefined;
    if (what?.type !== 'assistant' || !Array.isArray(what.message?.content)) continue;
    const block = (what.message.content as { id?: string; input?: unknown }[]).find((one) => one.id === call.id);
    if (!block) continue;
    const input = isObject(block.input) ? block.input : {};
    const project = session.state()?.info.projectPath ?? '';
    const value = ['command', 'file_path', 'notebook_path', 'url', 'pattern', 'query', 'description', 'path']
      .map((key) => input[key])
      .find((one) => typeof one === 'string');
    const text = typeof value === 'string' ? shortPath(value.replace(/\s+/g, ' '), project).slice(0, 300) : null;
    targets.set(session.store, { call: call.id, text });
    return text;
  }
  return null;
}

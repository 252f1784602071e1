// Status of the session of a view, with everything the page knows about it.
import { shortPath } from '../asks/inputs';
import type { Client, Line, SessionView } from '../protocol';
import { isObject } from '../protocol/storage';
import { standingOf, type Standing } from './standing';

export function sessionStanding(props: { client: Client; session: SessionView; line: Line; now: number }): Standing | null {
  const state = props.session.state();
  const info = state?.info ?? props.client.list.get(props.session.store.id);
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

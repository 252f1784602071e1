// Status of the session of a view, with everything the page knows about it.
import type { Item, SessionInfo } from '../api/types';
import { shortPath } from '../asks/inputs';
import { bodyOf, type Client, type Line, type SessionView } from '../protocol';
import { textOfTarget } from '../transcript/cards/summary';
import { standingOf, titleOfAsk, type Standing } from './standing';

export function sessionStanding(props: { client: Client; session: SessionView; line: Line; now: number }): Standing | null {
  const state = props.session.state();
  const info = latestInfo(props.session, props.client);
  if (!info) return null;
  const store = props.session.store;
  const have = store.revision ?? 0;
  const behind = props.session.phase() === 'catching' && props.line.phase === 'up' && store.newest - have > 200;
  return standingOf(info, {
    now: props.now,
    line: props.line,
    state,
    unread: props.client.list.unread(info),
    target: targetOf(props.session),
    writing: writingOf(props.session.items()),
    catching: behind ? { have, of: store.newest } : null,
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

/** The kind of text that the model is writing. */
function writingOf(items: readonly Item[]): 'thinking' | 'text' | 'call' | null {
  const type = items.findLast((item) => item.status === 'streaming' && item.parent === null)?.body.type;
  return type === 'tool_call' ? 'call' : type === 'thinking' || type === 'text' ? type : null;
}

/** The running call: a shell command alone, else its name and its path or address. */
function targetOf(session: SessionView): string | null {
  const call = session.state()?.calls.at(-1);
  const card = call?.item == null ? undefined : bodyOf(session.store.item(call.item), 'tool_call')?.card;
  if (!card) return null;
  const project = session.state()?.info.projectPath ?? '';
  const target = shortPath(textOfTarget(card), project).slice(0, 300);
  const title = card.verb === 'run' ? '' : titleOfAsk({ card, toolName: card.title });
  return [title, target].filter(Boolean).join(' · ') || null;
}

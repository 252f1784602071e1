// Commands of the fake bridge that have an effect a page can see.
import * as make from './messages.mjs';
import { problem } from './problem.mjs';
import { queries } from './queries.mjs';
import { FakeSession } from './sessions.mjs';

/** Commands that are accepted without an effect. */
const IGNORED = new Set([
  'list_sessions',
  'unsubscribe',
  'mcp_reconnect',
  'mcp_toggle',
  'mcp_authenticate',
  'task_output',
  'background',
  'set_setting',
  'change_rule',
  'revoke',
  'save_template',
  'delete_template',
  'release_queue',
]);

/** Executes a command and returns the payload of its receipt, by type of command. */
const actions = {
  start({ bridge, command, by }) {
    const id = `s-new-${bridge.sessions.size}`;
    const fresh = new FakeSession(id, command.title ?? null, {
      permissionMode: command.permissionMode ?? 'default',
      model: command.model ?? 'opus-4-6',
      info: { projectPath: command.projectPath },
    });
    bridge.sessions.set(id, fresh);
    bridge.publish(fresh);
    if (command.text) bridge.converse(fresh, make.prompt(command.text, { sender: { name: by, device: 'd-1' } }));
    return { sessionId: id };
  },
  resume_session({ bridge, session, changed }) {
    bridge.add(session, { body: { type: 'process', change: 'started', resumed: true }, turn: null });
    session.idle({ external: false });
    changed({ process: { state: 'up', since: Date.now(), signal: null, stderr: [] }, transport: { state: 'connected' } });
    return { sessionId: session.id };
  },
  stop_session({ session, changed }) {
    session.idle({ standing: 'stopped' });
    changed({ process: { state: 'none' } });
    return null;
  },
  input({ bridge, session, command, by, changed }) {
    const prompt = make.prompt(command.text, { sender: { name: by, device: 'd-1' }, uuid: command.uuid ?? make.ids.uuid() });
    const busy = session.state.info.standing !== 'idle';
    if (busy && !command.steer) {
      changed({
        queue: [
          ...session.state.queue,
          {
            uuid: prompt.body.uuid,
            text: command.text,
            images: command.images?.length ?? 0,
            state: 'queued',
            by,
            device: 'd-1',
            at: Date.now(),
            since: Date.now(),
          },
        ],
      });
      return { sessionId: session.id, uuid: prompt.body.uuid, state: 'queued' };
    }
    if (busy) bridge.add(session, { body: { ...prompt.body, steered: true } });
    else bridge.converse(session, prompt);
    return { sessionId: session.id, uuid: prompt.body.uuid, state: 'sent' };
  },
  edit({ session, command, changed }) {
    changed({ queue: session.state.queue.map((one) => (one.uuid === command.uuid ? { ...one, text: command.text } : one)) });
    return null;
  },
  take_back({ session, command, changed }) {
    changed({ queue: session.state.queue.filter((one) => one.uuid !== command.uuid) });
    return null;
  },
  reorder({ session, command, changed }) {
    const moving = session.state.queue.find((one) => one.uuid === command.uuid);
    const rest = session.state.queue.filter((one) => one !== moving);
    const at = command.before ? rest.findIndex((one) => one.uuid === command.before) : rest.length;
    if (moving) rest.splice(at < 0 ? rest.length : at, 0, moving);
    changed({ queue: rest });
    return null;
  },
  send_now({ bridge, session, command, changed }) {
    const one = session.state.queue.find((entry) => entry.uuid === command.uuid);
    if (!one) throw problem('prompt', 'this message has begun');
    bridge.add(session, make.prompt(one.text, { uuid: one.uuid, sender: { name: one.by, device: one.device }, steered: true }));
    changed({ queue: session.state.queue.filter((entry) => entry !== one) });
    return null;
  },
  interrupt({ bridge, session, changed }) {
    changed({ info: { standing: 'stopping', since: Date.now() }, activity: { state: 'interrupting', since: Date.now(), rung: 'asked' } });
    if (!bridge.options.neverStops)
      bridge.later(600, () => {
        bridge.add(session, make.end({ outcome: { type: 'stopped' } }));
        session.patch({ asks: [] });
        session.idle();
        bridge.publish(session);
      });
    return null;
  },
  approve({ bridge, session, command, by, changed, type }) {
    const id = command.ask ?? command.id;
    const ask = session.state.asks.find((one) => one.ask === id || one.toolUseId === id);
    if (!ask) throw problem('decided', 'this ask was decided', null, { decision: 'allowed', by: 'Phone', at: Date.now() - 3_000 });
    const allowed = type.startsWith('approve') || ['allow', 'accept'].includes(command.decision);
    bridge.decide(session, ask, {
      outcome: allowed ? 'allowed' : command.decision === 'cancel' ? 'withdrawn' : 'denied',
      by,
      message: command.message ?? null,
      changed: command.updatedInput != null,
    });
    if (command.mode) changed({ permissionMode: command.mode });
    if (command.interrupt) run(bridge, { type: 'interrupt', sessionId: session.id }, by);
    return null;
  },
  set_model({ command, changed }) {
    changed({ model: command.model ?? 'opus-4-6' });
    return null;
  },
  set_permission_mode({ command, changed }) {
    changed({ permissionMode: command.mode });
    return null;
  },
  set_effort({ command, changed }) {
    changed({ effort: command.effort });
    return null;
  },
  set_thinking({ command, changed }) {
    changed({ thinking: command.tokens ?? null });
    return null;
  },
  stop_task({ session, command, changed }) {
    changed({ tasks: session.state.tasks.map((one) => (one.id === command.task ? { ...one, state: 'stopped', ended: Date.now() } : one)) });
    return null;
  },
  rename({ command, changed }) {
    changed({ info: { title: command.title } });
    return null;
  },
  archive({ command, changed }) {
    changed({ info: { archived: command.archived } });
    return null;
  },
  delete({ bridge, session }) {
    bridge.sessions.delete(session.id);
    bridge.broadcast({ type: 'session_removed', sessionId: session.id });
    return null;
  },
  fork({ bridge, session }) {
    const id = `s-fork-${bridge.sessions.size}`;
    const fresh = new FakeSession(id, `${session.state.info.title} (fork)`);
    for (const { body, status, at } of session.items) fresh.push({ body: { ...body }, status }, at);
    bridge.sessions.set(id, fresh);
    bridge.publish(fresh);
    return { sessionId: id };
  },
};
actions.approve_always = actions.approve;
actions.reject = actions.approve;
actions.answer_ask = actions.approve;

/** Runs `command`. Returns the payload of its receipt, or throws a problem. */
export function run(bridge, command, by) {
  const { type } = command;
  const session = command.sessionId ? bridge.sessions.get(command.sessionId) : undefined;
  if (command.sessionId && !session) throw problem('session', `no session ${command.sessionId}`);
  const changed = (over = {}) => {
    session.patch(over);
    bridge.publish(session);
  };
  if (IGNORED.has(type)) return {};
  const handler = Object.hasOwn(actions, type) ? actions[type] : Object.hasOwn(queries, type) ? queries[type] : undefined;
  if (!handler) throw problem('type', `unknown type ${type}`);
  return handler({ bridge, session, command, by, changed, type });
}

// Commands of the fake bridge: the effects a page can see, and the payloads of the receipts.
import * as make from './messages.mjs';
import { diff } from './asks.mjs';
import { FakeSession } from './sessions.mjs';

const hunksOf = (one) => one.hunks.map((_, n) => `${one.path} ${n}`);
const changed = (one, over = {}) => ({ diff: one, hunks: hunksOf(one), untracked: false, conflict: false, ...over });
const TREE = () => ({
  git: true,
  root: '/home/ada/tidepool',
  branch: 'fix-reaper',
  upstream: 'origin/fix-reaper',
  ahead: 1,
  behind: 0,
  remote: true,
  gh: true,
  more: 0,
  files: [
    changed(diff('crates/pool/src/reaper.rs', 'let now = Instant::now();', 'let now = tick.tick().await;')),
    changed(diff('crates/pool/src/lease.rs', 'fn lease() {', 'fn lease(&mut self) {'), { conflict: true, hunks: [] }),
    changed(diff('notes.md', '', '# Notes'), { untracked: true }),
  ],
  message: 'Update reaper.rs, add notes.md',
  worktree: { main: '/home/ada/tidepool', into: 'main', commits: 2 },
});
/** Output of `git` for each action. */
const GIT = {
  commit: (step) => [`git add -A -- ${step.paths.join(' ')}`, `git commit -q -m '${step.message}' --only -- ${step.paths.join(' ')}`],
  discard_file: (step) => [`git restore -- ${step.path}`],
  discard_hunk: () => ['git apply --reverse'],
  push: () => ['git push origin fix-reaper'],
  pull_request: (step) => [`gh pr create --head fix-reaper --title '${step.title}' --body '${step.body}'`],
  merge_worktree: () => ['git merge --no-edit fix-reaper'],
  discard_worktree: () => ['git worktree remove --force .'],
};
const entry = (name, over = {}) => ({ name, folder: false, bytes: 1_200, link: null, ignored: false, ...over });
const FOLDERS = {
  '': [
    entry('crates', { folder: true, bytes: 0 }),
    entry('target', { folder: true, bytes: 0, ignored: true }),
    entry('Cargo.toml'),
    entry('current', { link: 'crates/pool' }),
  ],
  crates: [entry('pool', { folder: true, bytes: 0 })],
  'crates/pool': [entry('reaper.rs')],
};
const SOURCE = Array.from({ length: 60 }, (_, n) =>
  n % 3 === 0
    ? [
        ['key', 'fn'],
        ['', ` reap_${n}() {`],
      ]
    : n % 3 === 1
      ? [['', '    shared.evict(now);']]
      : [['', '}']],
);

const problem = (code, message, hint, resolved) => Object.assign(new Error(message), { code, hint: hint ?? null, resolved: resolved ?? null });
const FILES = [
  'crates/pool/src/reaper.rs',
  'crates/pool/src/lease.rs',
  'crates/pool/src/lib.rs',
  'crates/pool/tests/reaper.rs',
  'crates/pool/tests/lease.rs',
  'Cargo.toml',
  'README.md',
  'docs/pool.md',
  'benches/sweep.rs',
];

function matched(path, query) {
  const hits = [];
  let from = 0;
  for (const char of query.toLowerCase()) {
    const at = path.toLowerCase().indexOf(char, from);
    if (at < 0) return null;
    hits.push(at);
    from = at + 1;
  }
  return hits;
}

const path = (value, over = {}) => ({ path: value, folder: false, matched: [], git: false, used: null, resource: null, ...over });
const RESOURCES = [
  ['postgres', 'schema://public/leases', 'Leases', 'columns and indexes of the table'],
  ['github', 'issue://123', 'Flaky reaper test', null],
];

/** Runs `command`. Returns the payload of its receipt, or throws a problem. */
export function run(bridge, command, by) {
  const { type } = command;
  const session = command.sessionId ? bridge.sessions.get(command.sessionId) : undefined;
  if (command.sessionId && !session) throw problem('session', `no session ${command.sessionId}`);
  const changed = (over = {}) => {
    session.patch(over);
    bridge.publish(session);
  };

  switch (type) {
    case 'start': {
      const id = `s-new-${bridge.sessions.size}`;
      const fresh = new FakeSession(id, command.title ?? null, {
        permissionMode: command.permissionMode ?? 'default',
        model: command.model ?? 'opus-4-6',
        info: { projectPath: command.projectPath },
      });
      bridge.sessions.set(id, fresh);
      fresh.push(make.init());
      bridge.publish(fresh);
      if (command.text) bridge.converse(fresh, make.prompt(command.text, { by }));
      return { sessionId: id };
    }
    case 'resume_session':
      session.push({ type: 'sluice_process', state: 'up', code: null, signal: null, stderr: [], reason: 'resumed', pid: 4242 });
      session.idle({ external: false });
      changed({ process: { state: 'up', since: Date.now(), signal: null, stderr: [] }, transport: { state: 'connected' } });
      return { sessionId: session.id };
    case 'stop_session':
      session.idle({ standing: 'stopped' });
      changed({ process: { state: 'none' } });
      return null;
    case 'list_recent_sessions':
      return { sessions: [...bridge.sessions.values()].map((one) => one.state.info) };
    case 'history': {
      const all = session.records.filter((one) => one.seq < command.before);
      const turns = command.turns ?? 20;
      const from = Math.max(0, (all.at(-1)?.turn ?? 0) - turns + 1);
      const page = all.filter((one) => (one.turn ?? 0) >= from);
      return { records: page, more: page.length > 0 && page[0].seq > 1 };
    }
    case 'input': {
      const prompt = make.prompt(command.text, { by, uuid: command.uuid ?? make.ids.uuid() });
      const busy = session.state.info.standing !== 'idle';
      if (busy && !command.steer) {
        changed({
          queue: [
            ...session.state.queue,
            {
              uuid: prompt.uuid,
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
        return { sessionId: session.id, uuid: prompt.uuid, state: 'queued' };
      }
      if (busy) bridge.record(session, prompt);
      else bridge.converse(session, prompt);
      return { sessionId: session.id, uuid: prompt.uuid, state: 'sent' };
    }
    case 'edit':
      changed({ queue: session.state.queue.map((one) => (one.uuid === command.uuid ? { ...one, text: command.text } : one)) });
      return null;
    case 'take_back':
      changed({ queue: session.state.queue.filter((one) => one.uuid !== command.uuid) });
      return null;
    case 'reorder': {
      const moving = session.state.queue.find((one) => one.uuid === command.uuid);
      const rest = session.state.queue.filter((one) => one !== moving);
      const at = command.before ? rest.findIndex((one) => one.uuid === command.before) : rest.length;
      if (moving) rest.splice(at < 0 ? rest.length : at, 0, moving);
      changed({ queue: rest });
      return null;
    }
    case 'send_now': {
      const one = session.state.queue.find((entry) => entry.uuid === command.uuid);
      if (!one) throw problem('prompt', 'this message has begun');
      bridge.record(session, make.prompt(one.text, { uuid: one.uuid, by: one.by }));
      changed({ queue: session.state.queue.filter((entry) => entry !== one) });
      return null;
    }
    case 'interrupt':
      changed({ info: { standing: 'stopping', since: Date.now() }, activity: { state: 'interrupting', since: Date.now(), rung: 'asked' } });
      if (!bridge.options.neverStops)
        bridge.later(600, () => {
          bridge.record(session, make.end({ subtype: 'error_during_execution', is_error: true }));
          session.patch({ asks: [] });
          session.idle();
          bridge.publish(session);
        });
      return null;
    case 'approve':
    case 'approve_always':
    case 'reject':
    case 'answer_ask': {
      const id = command.ask ?? command.id;
      const ask = session.state.asks.find((one) => one.ask === id || one.toolUseId === id);
      if (!ask) throw problem('decided', 'this ask was decided', null, { decision: 'allowed', by: 'Phone', at: Date.now() - 3_000 });
      const allowed = type.startsWith('approve') || ['allow', 'accept'].includes(command.decision);
      bridge.decide(session, ask, {
        outcome: allowed ? 'allowed' : command.decision === 'cancel' ? 'cancelled' : 'denied',
        by,
        message: command.message ?? null,
        answers: command.answers ?? null,
        changed: command.updatedInput != null,
      });
      if (command.mode) changed({ permissionMode: command.mode });
      if (command.interrupt) run(bridge, { type: 'interrupt', sessionId: session.id }, by);
      return null;
    }
    case 'set_model':
      changed({ model: command.model ?? 'opus-4-6' });
      return null;
    case 'set_permission_mode':
      changed({ permissionMode: command.mode });
      return null;
    case 'set_effort':
      changed({ effort: command.effort });
      return null;
    case 'set_thinking':
      changed({ thinking: command.tokens ?? null });
      return null;
    case 'stop_task':
      changed({ tasks: session.state.tasks.map((one) => (one.id === command.task ? { ...one, state: 'stopped', ended: Date.now() } : one)) });
      return null;
    case 'rename':
      bridge.record(session, { type: 'sluice_title', title: command.title, by });
      changed({ info: { title: command.title } });
      return null;
    case 'archive':
      changed({ info: { archived: command.archived } });
      return null;
    case 'delete':
      bridge.sessions.delete(session.id);
      bridge.broadcast({ type: 'session_removed', sessionId: session.id });
      return null;
    case 'fork': {
      const id = `s-fork-${bridge.sessions.size}`;
      const fresh = new FakeSession(id, `${session.state.info.title} (fork)`);
      for (const one of session.records) fresh.push(one.what, one.at);
      bridge.sessions.set(id, fresh);
      bridge.publish(fresh);
      return { sessionId: id };
    }
    case 'rewind':
      return {
        canRewind: true,
        files: ['crates/pool/src/reaper.rs', 'crates/pool/tests/reaper.rs'],
        insertions: 29,
        deletions: 36,
        error: null,
        sessionId: command.dryRun ? null : session.id,
      };
    case 'export':
      return { url: `/api/sessions/${session.id}/export.${command.format}` };
    case 'files':
      return {
        paths: FILES.map((one) => [one, matched(one, command.query)])
          .filter(([, hit]) => hit)
          .slice(0, command.limit ?? 20)
          .map(([one, hit]) => path(one, { matched: hit }))
          .concat(
            command.sessionId
              ? RESOURCES.filter(([server, uri]) => matched(`${server}:${uri}`, command.query)).map(([server, uri, name, description]) =>
                  path(`${server}:${uri}`, { resource: { server, name, description } }),
                )
              : [],
          ),
        recent: [],
      };
    case 'folders':
      return {
        paths: ['/home/ada/tidepool', '/home/ada/ledger', '/home/ada/gauge-api']
          .filter((one) => one.startsWith(command.prefix ?? ''))
          .map((one) => path(one, { folder: true, git: true })),
        recent: [path('/home/ada/tidepool', { folder: true, git: true, used: Date.now() - 60_000 })],
      };
    case 'folder_trust':
    case 'trust_folder': {
      const held = type === 'folder_trust' && command.path.endsWith('ledger');
      return {
        folder: command.path,
        trusted: type === 'trust_folder',
        heldBack: held
          ? [
              {
                file: '.claude/settings.json',
                what: ['hooks (PreToolUse)', 'permissions.allow (2)'],
                text: '{\n  "permissions": { "allow": ["Bash(npm run *)", "WebFetch"] }\n}',
              },
              { file: '.mcp.json', what: ['servers (tracker)'], text: 'tracker: npx tracker-mcp' },
            ]
          : [],
      };
    }
    case 'search':
      return {
        hits: [...bridge.sessions.values()]
          .filter((one) => one.id !== 's-long')
          .flatMap((one) =>
            one.records
              .filter((r) => r.what.type === 'sluice_prompt' && r.what.text.includes(command.text))
              .map((r) => {
                const [a, ...b] = r.what.text.split(command.text);
                return {
                  sessionId: one.id,
                  title: one.state.info.title,
                  projectPath: one.state.info.projectPath,
                  seq: r.seq,
                  at: r.at,
                  role: 'user',
                  snippet: [a, command.text, b.join(command.text)],
                };
              }),
          )
          .slice(0, command.limit ?? 20),
      };
    case 'usage':
      return {
        rows: Array.from({ length: command.split ? 28 : 14 }, (_, i) => [i % 14, i < 14 ? 'opus-4-6' : 'haiku-4-5']).map(([n, model]) => ({
          key: command.by === 'day' ? `2026-11-${String(n + 1).padStart(2, '0')}` : `row ${n}`,
          label: null,
          model: command.split ? model : null,
          cost: ((n % 5) * 0.7 + 0.2) / (command.split ? 2 : 1),
          turns: n + 1,
          input: 900 * n,
          output: 300 * n,
          cacheRead: 20_000 * n,
          cacheWrite: 900 * n,
          duration: 60_000 * n,
        })),
      };
    case 'highlight':
      return { lines: command.text.split('\n').map((line) => [['', line]]) };
    case 'diff': {
      const call = session.records
        .map((one) => one.what)
        .find((what) => what.type === 'assistant' && what.message.content.some((block) => block.id === command.toolUseId));
      const input = command.input ?? call?.message.content.find((block) => block.id === command.toolUseId)?.input;
      if (!input) throw problem('field', 'no such call');
      return diff(String(input.file_path ?? '').replace('/home/ada/tidepool/', ''), input.old_string ?? '', input.new_string ?? input.content ?? '');
    }
    case 'changes':
      return { files: [diff('crates/pool/src/reaper.rs', 'let now = Instant::now();', 'let now = tick.tick().await;'), diff('CHANGELOG.md', '', '# 0.14.1')] };
    case 'working_tree':
      return bridge.tree ?? TREE();
    case 'git':
      return {
        commands: GIT[command.step.do](command.step),
        note: command.step.do === 'push' ? 'to git@github.example:ada/tidepool.git' : null,
        done: !command.dryRun,
        output: command.dryRun ? '' : 'done',
      };
    case 'folder':
      return { entries: FOLDERS[command.path] ?? [], more: 0 };
    case 'file':
      return { path: command.path, bytes: 1_800, text: { lines: SOURCE, lang: 'rust' }, cut: false };
    case 'templates':
      return { templates: [{ name: 'review', description: 'Review the change', text: 'Review the change.' }], folder: '/home/ada/.claude/commands' };
    case 'context_usage':
      return {
        categories: [
          { name: 'Messages', tokens: 78_200 },
          { name: 'System tools', tokens: 16_400 },
          { name: 'MCP tools', tokens: 14_100 },
          { name: 'Memory files', tokens: 6_300 },
        ],
        totalTokens: 121_800,
        maxTokens: 200_000,
      };
    case 'timeline':
      return {
        turns: [
          {
            turn: 1,
            seq: 1,
            began: Date.now() - 400_000,
            ended: Date.now() - 300_000,
            end: 'success',
            cost: 0.3,
            waits: [],
            origin: null,
            prompt: 'Why is the reaper test flaky?',
          },
        ],
        flow: Array.from({ length: 60 }, (_, n) => n % 7),
        breaks: [{ at: Date.now() - 200_000, kind: 'compacted' }],
        from: Date.now() - 400_000,
        to: Date.now(),
      };
    case 'drift':
      return { lines: [{ at: Date.now() - 9_000, seq: 12, what: 'system/telemetry_hint', raw: '{"type":"system","subtype":"telemetry_hint"}' }] };
    case 'mcp_status':
      return { servers: session.facts.servers };
    case 'settings':
      return { effective: { model: 'opus-4-6' }, sources: [] };
    case 'rules':
      return { rules: [{ behavior: 'allow', rule: 'Bash(cargo test:*)', destination: 'localSettings' }] };
    case 'hooks':
      return { hooks: [] };
    case 'devices':
      return { devices: [bridge.device, { ...bridge.device, id: 'd-2', name: 'Phone', scope: 'approve', online: false }] };
    case 'pair':
      return {
        code: 'K7QF-2M9X',
        urls: ['http://127.0.0.1:4747/#pair=K7QF-2M9X'],
        expiresAt: Date.now() + 600_000,
        qr: ['101', '010', '101'],
        reach: {
          localOnly: true,
          fingerprint: null,
          ways: [
            { kind: 'network', address: '192.0.2.7', command: 'sluice serve stop && sluice serve --bind 127.0.0.1 --bind 192.0.2.7 --tls --qr' },
            {
              kind: 'tailscale',
              address: 'box.tail1.ts.net',
              command: 'tailscale serve --bg 4747 && sluice serve stop && sluice serve --behind-proxy --host box.tail1.ts.net --qr',
            },
          ],
        },
      };
    case 'audit':
      return {
        entries: [{ at: Date.now() - 60_000, device: 'd-2', name: 'Phone', action: 'allow', sessionId: 's-running', detail: 'Edit crates/pool/src/lease.rs' }],
      };
    case 'check':
      return { ok: command.what !== 'key', message: command.what === 'key' ? 'the key was refused' : 'works', hint: null };
    case 'status':
      return {
        version: '0.2.0',
        uptime: 3_600,
        sessions: bridge.sessions.size,
        live: 6,
        clients: bridge.clients.size,
        storeBytes: 12_000_000,
        addresses: ['http://127.0.0.1:4747'],
        stateFolder: '/home/ada/.local/state/sluice',
        memory: 24_000_000,
      };
    case 'list_sessions':
    case 'unsubscribe':
    case 'mcp_reconnect':
    case 'mcp_toggle':
    case 'mcp_authenticate':
    case 'task_output':
    case 'background':
    case 'set_setting':
    case 'change_rule':
    case 'revoke':
    case 'save_template':
    case 'delete_template':
    case 'release_queue':
      return {};
    default:
      throw problem('type', `unknown type ${type}`);
  }
}

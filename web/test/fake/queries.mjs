// Commands of the fake bridge that only return data.
import { diff } from './asks.mjs';
import { problem } from './problem.mjs';

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

const short = (file) => String(file ?? '').replace('/home/ada/tidepool/', '');

/** Returns the payload of a receipt, by type of command. */
export const queries = {
  list_recent_sessions({ bridge }) {
    return { sessions: [...bridge.sessions.values()].map((one) => one.state.info) };
  },
  items_before({ session, command }) {
    const all = session.items.filter((one) => one.id < command.before);
    const from = Math.max(0, (all.at(-1)?.turn ?? 0) - (command.turns ?? 20) + 1);
    const page = all.filter((one) => (one.turn ?? 0) >= from);
    return { items: page, more: page.length > 0 && page[0].id > 1 };
  },
  item_raw({ command }) {
    return { lines: [{ type: 'system', subtype: 'brand_new', item: command.item }] };
  },
  find_item({ command }) {
    return { item: command.record };
  },
  rewind({ session, command }) {
    return {
      canRewind: true,
      files: ['crates/pool/src/reaper.rs', 'crates/pool/tests/reaper.rs'],
      insertions: 29,
      deletions: 36,
      error: null,
      sessionId: command.dryRun ? null : session.id,
    };
  },
  export({ session, command }) {
    return { url: `/api/sessions/${session.id}/export.${command.format}` };
  },
  files({ command }) {
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
  },
  folders({ command }) {
    return {
      paths: ['/home/ada/tidepool', '/home/ada/ledger', '/home/ada/gauge-api']
        .filter((one) => one.startsWith(command.prefix ?? ''))
        .map((one) => path(one, { folder: true, git: true })),
      recent: [path('/home/ada/tidepool', { folder: true, git: true, used: Date.now() - 60_000 })],
    };
  },
  folder_trust({ command, type }) {
    const held = type === 'folder_trust' && command.path.includes('ledger');
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
  },
  search({ bridge, command }) {
    return {
      hits: [...bridge.sessions.values()]
        .filter((one) => one.id !== 's-long')
        .flatMap((one) =>
          one.items
            .filter((item) => item.body.type === 'prompt' && item.body.text.includes(command.text))
            .map((item) => {
              const [a, ...b] = item.body.text.split(command.text);
              return {
                sessionId: one.id,
                title: one.state.info.title,
                projectPath: one.state.info.projectPath,
                record: item.id,
                at: item.at,
                role: 'user',
                snippet: [a, command.text, b.join(command.text)],
              };
            }),
        )
        .slice(0, command.limit ?? 20),
    };
  },
  usage({ command }) {
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
  },
  highlight({ command }) {
    return { lines: command.text.split('\n').map((line) => [['', line]]) };
  },
  diff({ session, command }) {
    const input = command.input;
    if (input) return diff(short(input.file_path), input.old_string ?? '', input.new_string ?? input.content ?? '');
    const body = session.items.find((one) => one.body.id === command.toolUseId)?.body.card.body;
    if (body?.type !== 'file_change') throw problem('field', 'no such call');
    return diff(short(body.path), body.edits[0]?.old ?? '', body.edits[0]?.new ?? body.content ?? '');
  },
  changes() {
    return { files: [diff('crates/pool/src/reaper.rs', 'let now = Instant::now();', 'let now = tick.tick().await;'), diff('CHANGELOG.md', '', '# 0.14.1')] };
  },
  working_tree({ bridge }) {
    return bridge.tree ?? TREE();
  },
  git({ command }) {
    return {
      commands: GIT[command.step.do](command.step),
      note: command.step.do === 'push' ? 'to git@github.example:ada/tidepool.git' : null,
      done: !command.dryRun,
      output: command.dryRun ? '' : 'done',
    };
  },
  folder({ command }) {
    return { entries: FOLDERS[command.path] ?? [], more: 0 };
  },
  file({ command }) {
    return { path: command.path, bytes: 1_800, text: { lines: SOURCE, lang: 'rust' }, cut: false };
  },
  templates() {
    return { templates: [{ name: 'review', description: 'Review the change', text: 'Review the change.' }], folder: '/home/ada/.claude/commands' };
  },
  context_usage() {
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
  },
  timeline() {
    return {
      turns: [
        {
          turn: 0,
          item: 1,
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
      breaks: [{ at: Date.now() - 200_000, kind: 'compacted', item: 1 }],
      from: Date.now() - 400_000,
      to: Date.now(),
    };
  },
  drift() {
    return { lines: [{ at: Date.now() - 9_000, item: null, what: 'system/telemetry_hint', raw: '{"type":"system","subtype":"telemetry_hint"}' }] };
  },
  mcp_status({ session }) {
    return { servers: session.facts.servers };
  },
  settings() {
    return { effective: { model: 'opus-4-6' }, sources: [] };
  },
  rules() {
    return { rules: [{ behavior: 'allow', rule: 'Bash(cargo test:*)', destination: 'localSettings' }] };
  },
  hooks() {
    return { hooks: [] };
  },
  devices({ bridge }) {
    return { devices: [bridge.device, { ...bridge.device, id: 'd-2', name: 'Phone', scope: 'approve', online: false }] };
  },
  pair() {
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
  },
  audit() {
    return {
      entries: [{ at: Date.now() - 60_000, device: 'd-2', name: 'Phone', action: 'allow', sessionId: 's-running', detail: 'Edit crates/pool/src/lease.rs' }],
    };
  },
  check({ command }) {
    return { ok: command.what !== 'key', message: command.what === 'key' ? 'the key was refused' : 'works', hint: null };
  },
  status({ bridge }) {
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
  },
};
queries.trust_folder = queries.folder_trust;

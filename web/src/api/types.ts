// Made from crates/bridge/src/api by `make types`. Do not edit.

export type JsonValue = number | string | boolean | null | JsonValue[] | { [key: string]: JsonValue };
/** A message of an agent, verbatim: `type` says which; see the protocol. */
export type AgentMessage = { type: string } & { [key: string]: any };

export type Cursor = { 
/**
 * Changes when history was rewritten.
 */
epoch: number, 
/**
 * The last record that is known.
 */
seq: number, };

export type Scope = "view" | "operate" | "approve" | "admin";

export type Device = { id: string, name: string, 
/**
 * `cookie` or `token`.
 */
kind: string, scope: Scope, createdAt: number, lastSeenAt: number, 
/**
 * Whether it is connected now.
 */
online: boolean, };

export type SessionInfo = { 
/**
 * Ours, for life.
 */
sessionId: string, projectPath: string, title: string | null, 
/**
 * Level 0: `idle`, `running` or `waiting_approval`.
 */
status: string, 
/**
 * One word for the state: see [`Standing`].
 */
standing: Standing, 
/**
 * What it is about: the tool that runs or is asked for, why it crashed.
 */
about: string | null, 
/**
 * Since when it stands so.
 */
since: number, 
/**
 * When the agent last gave a sign.
 */
lastSign: number | null, model: string | null, permissionMode: string, startedAt: number, lastActivityAt: number, pendingAsks: number, queue: number, 
/**
 * Dollars.
 */
cost: number, turns: number, 
/**
 * The agent's own id, the newest of the chain.
 */
providerSessionId: string | null, 
/**
 * Which agent.
 */
agent: string, archived: boolean, 
/**
 * Made by another program, not started here.
 */
external: boolean, 
/**
 * The last words, for a list.
 */
preview: string | null, 
/**
 * Records of the last 60 seconds, one number a second; empty when nothing runs.
 */
activity: Array<number>, 
/**
 * The newest record.
 */
cursor: Cursor, 
/**
 * When a turn last ended, to tell whether it was read.
 */
finishedAt: number | null, 
/**
 * The ask that waits longest, in short.
 */
ask: AskBrief | null, 
/**
 * The git branch of its folder.
 */
branch: string | null, 
/**
 * How full the context is, from 0 to 1.
 */
context: number | null, };

export type AskBrief = { 
/**
 * The request id.
 */
ask: string, 
/**
 * As in [`AskInfo`].
 */
kind: string, toolName: string, 
/**
 * What it is about: the whole command, the path, the question.
 */
about: string, at: number, 
/**
 * Whether `about` is all there is to read before deciding.
 */
whole: boolean, };

export type Standing = "idle" | "starting" | "running" | "waiting" | "retrying" | "stalled" | "stopping" | "crashed" | "stopped" | "lost" | "external";

export type SessionState = { sessionId: string, 
/**
 * The summary, as in the list.
 */
info: SessionInfo, 
/**
 * Milliseconds since 1970, when this was true.
 */
now: number, process: ProcessState, transport: TransportState, activity: ActivityState, turn: TurnState | null, retry: Retry | null, 
/**
 * Asks that wait, oldest first.
 */
asks: Array<AskInfo>, 
/**
 * Prompts that are not over, in order.
 */
queue: Array<QueuedPrompt>, 
/**
 * Calls that run.
 */
calls: Array<RunningCall>, tasks: Array<TaskInfo>, todos: Array<TodoInfo>, cost: CostState, context: ContextState, model: string | null, permissionMode: string, effort: string | null, thinking: number | null, 
/**
 * The last `rate_limit_event` of the agent.
 */
limits: unknown, drift: DriftState, providerSessionIds: Array<string>, 
/**
 * Whether a git worktree was made for it, and which.
 */
worktree: string | null, };

export type ProcessState = { 
/**
 * `none`, `starting`, `up` or `exited`.
 */
state: string, since: number, code: number | null, signal: number | null, 
/**
 * The last lines beside the protocol.
 */
stderr: Array<string>, version: string | null, };

export type TransportState = { 
/**
 * `connected`, `catching_up` or `lost`.
 */
state: string, since: number | null, };

export type ActivityState = { 
/**
 * `idle`, `running`, `waiting`, `interrupting` or `stalled`.
 */
state: string, since: number, 
/**
 * Why it is believed to run: `announced`, `requesting`, `streaming`, `said`, `calling`, `retrying`, `compacting`, …
 */
evidence: string | null, 
/**
 * When that was last seen.
 */
seen: number | null, 
/**
 * When it will count as stalled, if nothing comes.
 */
deadline: number | null, 
/**
 * How far an interrupt went: `asked`, `acknowledged`, `terminated`, `killed`.
 */
rung: string | null, };

export type TurnState = { 
/**
 * Counted from 1.
 */
turn: number, began: number, 
/**
 * The prompts it answers; none when nobody here asked for it.
 */
prompts: Array<string>, 
/**
 * Who began it, when the agent said so: `task-notification` and others.
 */
origin: string | null, calls: number, };

export type Retry = { attempt: number, max: number | null, 
/**
 * When the next try is.
 */
until: number, error: string | null, status: number | null, };

export type AskInfo = { 
/**
 * The request id.
 */
ask: string, 
/**
 * `tool`, `question`, `plan`, `elicitation`, `dialog` or `other`.
 */
kind: string, toolName: string, toolUseId: string | null, 
/**
 * The subagent that asks.
 */
agent: string | null, at: number, 
/**
 * The request as the agent wrote it: `input`, `permission_suggestions`, `decision_reason`, `blocked_path`, …
 */
request: { [key: string]: unknown }, };

export type QueuedPrompt = { uuid: string, text: string, 
/**
 * How many images it holds.
 */
images: number, 
/**
 * `queued` (here: can be edited), `held` (the same, until `release_queue`), `sent` (the agent has it) or `indeterminate`.
 */
state: string, by: string, device: string, at: number, since: number, };

export type RunningCall = { id: string, name: string, since: number, parent: string | null, };

export type TaskInfo = { id: string, 
/**
 * `local_bash`, `local_agent` and others.
 */
kind: string, description: string, toolUseId: string | null, agent: string | null, background: boolean, 
/**
 * `running`, `completed`, `failed`, `stopped`, `gone`, or as the agent says.
 */
state: string, began: number, ended: number | null, tokens: number, calls: number, lastTool: string | null, summary: string | null, };

export type TodoInfo = { id: string | null, subject: string, active: string | null, 
/**
 * `pending`, `in_progress` or `completed`.
 */
status: string, blockedBy: Array<string>, };

export type CostState = { 
/**
 * Dollars, all turns.
 */
total: number, 
/**
 * Dollars of the last turn that ended.
 */
turn: number | null, input: number, output: number, cacheRead: number, cacheWrite: number, 
/**
 * `modelUsage` of the last `result`: cumulative, by model.
 */
byModel: { [key: string]: unknown } | null, };

export type ContextState = { tokens: number, window: number | null, };

export type DriftState = { unknown: number, garbled: number, repeated: number, foreign: number, };

export type Facts = { sessionId: string, commands: Array<CommandInfo>, models: Array<ModelInfo>, tools: Array<string>, agents: Array<string>, skills: Array<string>, plugins: Array<PluginInfo>, servers: Array<ServerInfo>, style: string | null, capabilities: Array<string>, version: string | null, cwd: string | null, };

export type CommandInfo = { name: string, description: string | null, hint: string | null, };

export type ModelInfo = { value: string, name: string, };

export type PluginInfo = { name: string, 
/**
 * The folder it lies in.
 */
path: string | null, };

export type ServerInfo = { name: string, status: string, };

export type Hello = { 
/**
 * The version of the API: 1.
 */
version: number, 
/**
 * What the client calls itself.
 */
client: string, 
/**
 * The page's build, so that an old page is told to reload.
 */
build?: string | null, 
/**
 * What it understands beyond the version.
 */
capabilities?: Array<string> | null, 
/**
 * What it has: these sessions are subscribed to at once.
 */
cursors?: { [key in string]: Cursor } | null, };

export type Start = { 
/**
 * The folder.
 */
projectPath: string, 
/**
 * Goes on with this session, ours or the agent's.
 */
sessionId?: string | null, 
/**
 * Goes on with the newest one of the folder.
 */
continue?: boolean | null, permissionMode?: string | null, model?: string | null, effort?: string | null, 
/**
 * One of `welcome.agents`.
 */
agent?: string | null, 
/**
 * In a fresh git worktree of the folder.
 */
worktree?: boolean | null, title?: string | null, 
/**
 * The first prompt.
 */
text?: string | null, images?: Array<Image> | null, };

export type Input = { text: string, sessionId?: string | null, images?: Array<Image> | null, 
/**
 * Made by the client; the same one twice is the same prompt.
 */
uuid?: string | null, 
/**
 * Level 0: an id of the client's own, which `input_ack` repeats.
 */
clientMessageId?: string | null, 
/**
 * Into the running turn, instead of after it.
 */
steer?: boolean | null, };

export type Image = { hash?: string | null, data?: string | null, mimeType?: string | null, };

export type AnswerAsk = { 
/**
 * The ask's request id, or the id of its call.
 */
ask: string, sessionId?: string | null, 
/**
 * `allow` or `deny`; for a form `accept`, `decline` or `cancel`.
 */
decision: string, 
/**
 * The call runs with this input instead.
 */
updatedInput?: JsonValue | null, 
/**
 * Which of the ask's suggestions are accepted, by their place.
 */
suggestions?: Array<number> | null, 
/**
 * A rule of one's own instead, as in a settings file.
 */
rule?: string | null, 
/**
 * Where the accepted rules are kept, when not where the suggestion says.
 */
destination?: string | null, 
/**
 * The mode the session goes on in, for a plan.
 */
mode?: string | null, 
/**
 * What the model reads when it is denied.
 */
message?: string | null, 
/**
 * Denied, and the turn is stopped.
 */
interrupt?: boolean | null, 
/**
 * The answers to questions, from question to answer.
 */
answers?: JsonValue | null, 
/**
 * What a form holds.
 */
content?: JsonValue | null, };

export type ClientMessage = { "type": "hello" } & Hello | { "type": "ping", } | { "type": "pong", } | { "type": "start" } & Start | { "type": "resume_session", sessionId: string, projectPath?: string | null, permissionMode?: string | null, } | { "type": "stop_session", sessionId: string, } | { "type": "list_sessions", } | { "type": "list_recent_sessions", limit?: number | null, projectPath?: string | null, archived?: boolean | null, } | { "type": "get_history", sessionId: string, before?: number | null, } | { "type": "get_history_delta", sessionId: string, sinceSeq: number, } | { "type": "client_capabilities", } | { "type": "subscribe", sessionId: string, cursor?: Cursor | null, 
/**
 * How many turns a snapshot shall hold at most.
 */
turns?: number | null, } | { "type": "unsubscribe", sessionId: string, } | { "type": "history", sessionId: string, before: number, turns?: number | null, } | { "type": "input" } & Input | { "type": "edit", sessionId?: string | null, uuid: string, text: string, } | { "type": "reorder", sessionId?: string | null, uuid: string, before?: string | null, } | { "type": "send_now", sessionId?: string | null, uuid: string, } | { "type": "take_back", sessionId?: string | null, uuid: string, } | { "type": "interrupt", sessionId?: string | null, all?: boolean | null, 
/**
 * Prompts that wait at the bridge are held: they are sent after `release_queue`.
 */
hold?: boolean | null, } | { "type": "release_queue", sessionId?: string | null, } | { "type": "approve", id: string, sessionId?: string | null, } | { "type": "approve_always", id: string, sessionId?: string | null, } | { "type": "reject", id: string, message?: string | null, interrupt?: boolean | null, sessionId?: string | null, } | { "type": "answer", toolUseId: string, result: JsonValue, sessionId?: string | null, } | { "type": "answer_ask" } & AnswerAsk | { "type": "set_model", sessionId?: string | null, 
/**
 * Nothing goes back to the default.
 */
model?: string | null, } | { "type": "set_permission_mode", sessionId?: string | null, mode: string, } | { "type": "set_thinking", sessionId?: string | null, 
/**
 * How many tokens at most; nothing lifts the limit.
 */
tokens?: number | null, } | { "type": "set_effort", sessionId?: string | null, effort: string, } | { "type": "mcp_status", sessionId?: string | null, } | { "type": "mcp_reconnect", sessionId?: string | null, server: string, } | { "type": "mcp_toggle", sessionId?: string | null, server: string, enabled: boolean, } | { "type": "mcp_authenticate", sessionId?: string | null, server: string, } | { "type": "stop_task", sessionId?: string | null, task: string, } | { "type": "task_output", sessionId?: string | null, task: string, } | { "type": "background", sessionId?: string | null, toolUseId?: string | null, } | { "type": "context_usage", sessionId?: string | null, } | { "type": "settings", sessionId?: string | null, } | { "type": "set_setting", sessionId?: string | null, source: string, settings: JsonValue, } | { "type": "rules", sessionId?: string | null, } | { "type": "change_rule", sessionId?: string | null, 
/**
 * `add` or `remove`.
 */
op: string, 
/**
 * `allow`, `ask` or `deny`.
 */
behavior: string, 
/**
 * As in a settings file: `Bash(cargo test:*)`.
 */
rule: string, 
/**
 * `session`, `localSettings`, `projectSettings` or `userSettings`.
 */
destination: string, } | { "type": "hooks", sessionId?: string | null, } | { "type": "fork", sessionId: string, at?: string | null, } | { "type": "rewind", sessionId: string, prompt: string, dryRun?: boolean | null, 
/**
 * Puts files back.
 */
files?: boolean | null, 
/**
 * Goes on from there; without it only files are put back.
 */
conversation?: boolean | null, } | { "type": "rename", sessionId: string, title: string, } | { "type": "archive", sessionId: string, archived: boolean, } | { "type": "delete", sessionId: string, } | { "type": "export", sessionId: string, format: string, } | { "type": "files", sessionId?: string | null, folder?: string | null, query: string, limit?: number | null, } | { "type": "folders", prefix?: string | null, } | { "type": "folder_trust", path: string, } | { "type": "trust_folder", path: string, } | { "type": "search", text: string, sessionId?: string | null, limit?: number | null, } | { "type": "usage", by: string, 
/**
 * `model`: a row for each model of each of them.
 */
split?: string | null, sessionId?: string | null, 
/**
 * Milliseconds since 1970.
 */
from?: number | null, to?: number | null, } | { "type": "highlight", 
/**
 * A language, or a file name.
 */
lang: string, text: string, } | { "type": "diff", sessionId: string, toolUseId: string, 
/**
 * With another input than the one the agent asked with.
 */
input?: JsonValue | null, } | { "type": "changes", sessionId: string, 
/**
 * Only those of this turn.
 */
turn?: number | null, } | { "type": "drift", sessionId: string, } | { "type": "timeline", sessionId: string, } | { "type": "working_tree", sessionId: string, } | { "type": "git", sessionId: string, step: GitStep, dryRun?: boolean | null, } | { "type": "folder", sessionId: string, path: string, } | { "type": "file", sessionId: string, path: string, } | { "type": "templates", } | { "type": "save_template", name: string, text: string, was?: string | null, } | { "type": "delete_template", name: string, } | { "type": "devices", } | { "type": "revoke", device: string, } | { "type": "pair", scope?: Scope | null, } | { "type": "audit", before?: number | null, } | { "type": "check", what: string, value?: string | null, } | { "type": "status", };

export type ServerMessage = { "type": "welcome" } & Welcome | { "type": "session_list", sessions: Array<SessionInfo>, } | { "type": "session", session: SessionInfo, } | { "type": "session_removed", sessionId: string, } | { "type": "caught_up", sessionId: string, 
/**
 * The number that stands for the session in `block` and `delta` on this connection.
 */
s: number, verdict: CursorVerdict, cursor: Cursor, } | { "type": "snapshot", sessionId: string, s: number, cursor: Cursor, records: Array<Record>, 
/**
 * Whether there are older ones: ask with `history`.
 */
more: boolean, } | { "type": "record" } & Record | { "type": "block" } & Block | { "type": "delta", s: number, b: number, text: string, } | { "type": "void", s: number, parent: string | null, } | { "type": "state" } & SessionState | { "type": "facts" } & Facts | { "type": "receipt" } & Receipt | { "type": "error" } & ErrorMessage | { "type": "ping", 
/**
 * Milliseconds since 1970.
 */
at: number, } | { "type": "pong", at: number, } | { "type": "bye", reason: Bye, message: string, };

export type Welcome = { 
/**
 * The version of the API.
 */
version: number, 
/**
 * The version of the bridge.
 */
bridge: string, 
/**
 * The page's build inside the bridge; a page of another one reloads.
 */
build: string | null, capabilities: Array<string>, device: Device, scopes: Array<Scope>, 
/**
 * The agents that can be started.
 */
agents: Array<Agent>, roots: Array<string>, home: string, 
/**
 * The scratch folder of a first visit.
 */
scratch: string, limits: Limits, 
/**
 * Milliseconds since 1970, to tell how far the clocks are apart.
 */
now: number, 
/**
 * Sessions in `cursors` that no longer exist.
 */
unknown: Array<string>, };

export type Agent = { 
/**
 * What to name in `start.agent`.
 */
name: string, 
/**
 * What is run.
 */
command: string, version: string | null, 
/**
 * Whether the program was found.
 */
available: boolean, 
/**
 * `key`, `account`, `server`, `demo` or `unknown`.
 */
pays: string, 
/**
 * The same in words: which variable, which address.
 */
paysDetail: string, default: boolean, };

export type Limits = { 
/**
 * Bytes of a frame a client sends.
 */
frame: number, 
/**
 * Bytes of an uploaded image.
 */
upload: number, 
/**
 * Bytes from which a body travels by reference.
 */
heavy: number, 
/**
 * Milliseconds between two `ping`s.
 */
pingEvery: number, 
/**
 * Prompts that may wait in a session.
 */
queue: number, };

export type CursorVerdict = "ok" | "gap";

export type Record = { sessionId: string, epoch: number, seq: number, 
/**
 * Milliseconds since 1970.
 */
at: number, 
/**
 * The turn it belongs to, counted from 1.
 */
turn: number | null, 
/**
 * The agent's message, verbatim but for heavy bodies, which are `{"$blob": Blob}`; or an [`Own`] record.
 */
what: AgentMessage | Own, };

export type Blob = { hash: string, bytes: number, mime: string, 
/**
 * The beginning of a text.
 */
head: string | null, 
/**
 * The end of a text.
 */
tail: string | null, 
/**
 * How many lines a text has.
 */
lines: number | null, };

export type Own = { "type": "sluice_prompt", uuid: string, text: string, images: Array<Blob>, 
/**
 * `delivered`, `indeterminate`, `failed` or `withdrawn`. A later record of the same uuid takes its place.
 */
state: string, 
/**
 * The device's name.
 */
by: string, device: string, } | { "type": "sluice_ask", ask: string, toolUseId: string | null, kind: string, toolName: string, 
/**
 * `allowed`, `denied`, `cancelled`, `superseded` or `expired`.
 */
outcome: string, 
/**
 * Who decided, when someone did.
 */
by: string | null, device: string | null, message: string | null, 
/**
 * The rules that were added with it, as in a settings file, and where.
 */
rules: Array<string>, destination: string | null, 
/**
 * What questions were answered with.
 */
answers: JsonValue | null, 
/**
 * Whether the input was changed before.
 */
changed: boolean, } | { "type": "sluice_process", state: string, code: number | null, signal: number | null, 
/**
 * What it said last beside the protocol.
 */
stderr: Array<string>, reason: string | null, pid: number | null, } | { "type": "sluice_unfinished", 
/**
 * The message's id.
 */
message: string, 
/**
 * The call that started the subagent that wrote it.
 */
parent: string | null, blocks: Array<UnfinishedBlock>, } | { "type": "sluice_garbled", line: string, } | { "type": "sluice_title", title: string, by: string | null, } | { "type": "sluice_note", 
/**
 * `forgotten`, `imported`, `too_long`, `disk_full`, `disk_ok`, `rewound`, `forked`, `lost_records`, …
 */
kind: string, text: string, };

export type UnfinishedBlock = { 
/**
 * `text` or `thinking`.
 */
kind: string, text: string, };

export type Block = { s: number, 
/**
 * Its number in this session on this connection.
 */
b: number, 
/**
 * The id of the message it belongs to.
 */
message: string, 
/**
 * The call whose subagent writes it.
 */
parent: string | null, 
/**
 * Its place in the message.
 */
index: number, 
/**
 * `text`, `thinking`, `call` or another.
 */
kind: string, 
/**
 * The call's id.
 */
id: string | null, 
/**
 * The tool.
 */
name: string | null, 
/**
 * What there is of it already.
 */
text: string, };

export type Receipt = { 
/**
 * The command's `id`.
 */
id: string, ok: boolean, 
/**
 * What was asked for, or what it made: a `sessionId`, a `uuid`.
 */
data: JsonValue | null, error: Problem | null, };

export type Problem = { code: Code, message: string, 
/**
 * What to do about it.
 */
hint: string | null, 
/**
 * For `decided`: the outcome, who and when.
 */
resolved: Resolved | null, };

export type Resolved = { decision: string, by: string | null, at: number, };

export type ErrorMessage = { message: string, code: Code, requestId: string | null, sessionId: string | null, hint: string | null, resolved: Resolved | null, };

export type Code = "frame" | "type" | "field" | "session" | "folder" | "ask" | "decided" | "prompt" | "scope" | "agent" | "refused" | "stopped" | "limit" | "storage" | "internal";

export type Bye = "restarting" | "stopping" | "reload";

export type Queue = { sessionId: string, prompts: Array<QueuedPrompt>, };

export type Begun = { sessionId: string, };

export type Accepted = { sessionId: string, uuid: string, 
/**
 * `queued` or `sent`.
 */
state: string, };

export type Sessions = { sessions: Array<SessionInfo>, };

export type HistoryPage = { 
/**
 * Oldest first.
 */
records: Array<Record>, more: boolean, };

export type Paths = { paths: Array<PathInfo>, 
/**
 * Folders used before, for `folders`.
 */
recent: Array<PathInfo>, };

export type PathInfo = { path: string, folder: boolean, 
/**
 * Which characters matched, for files.
 */
matched: Array<number>, 
/**
 * Whether it is a git repository, for folders.
 */
git: boolean, 
/**
 * When it was last used, for recent folders.
 */
used: number | null, 
/**
 * What a server has to read, when it is no file: `path` is `server:uri` then.
 */
resource: ResourceInfo | null, };

export type FolderTrust = { 
/**
 * The folder that the decision is about: inside a git repository its root.
 */
folder: string, trusted: boolean, 
/**
 * Empty for a trusted folder, and for one that brings nothing.
 */
heldBack: Array<HeldBack>, };

export type HeldBack = { 
/**
 * The file, relative to the folder.
 */
file: string, 
/**
 * The settings in it that do not apply: `hooks (Stop)`, `env (PATH)`, `permissions.allow (3)`.
 */
what: Array<string>, 
/**
 * The settings of the file, or the commands of its MCP servers.
 */
text: string | null, };

export type ResourceInfo = { server: string, name: string, description: string | null, };

export type SearchHits = { hits: Array<SearchHit>, };

export type SearchHit = { sessionId: string, title: string | null, projectPath: string, seq: number, at: number, 
/**
 * `user`, `assistant` or `tool`.
 */
role: string, 
/**
 * Text in pieces; every second one matched.
 */
snippet: Array<string>, };

export type UsageTable = { rows: Array<UsageInfo>, };

export type UsageInfo = { 
/**
 * The day (`2026-11-15`), folder, model, session or turn.
 */
key: string, label: string | null, 
/**
 * The model, when rows are split by it and it is known.
 */
model: string | null, cost: number, turns: number, input: number, output: number, cacheRead: number, cacheWrite: number, duration: number, };

export type Highlighted = { lines: Array<Array<[string, string]>>, };

export type Diff = { path: string, 
/**
 * `new`, `edit` or `delete`.
 */
kind: string, hunks: Array<Hunk>, added: number, removed: number, 
/**
 * Why there is none: the file is not there, the text was not found, it is too large.
 */
problem: string | null, lang: string, };

export type Hunk = { oldStart: number, newStart: number, lines: Array<DiffLine>, };

export type DiffLine = { 
/**
 * A blank, `+` or `-`.
 */
t: string, old: number | null, new: number | null, 
/**
 * `[class, text, changed]`: colour of the code, the text, and whether these words changed.
 */
parts: Array<[string, string, boolean]>, };

export type Changes = { files: Array<Diff>, };

export type DriftLines = { lines: Array<DriftLine>, };

export type DriftLine = { at: number, seq: number | null, 
/**
 * `type/subtype`, or `not JSON`.
 */
what: string, raw: string, };

export type TimelineData = { turns: Array<TurnInfo>, 
/**
 * Records per slice.
 */
flow: Array<number>, 
/**
 * Where the conversation was compacted or cleared.
 */
breaks: Array<Break>, from: number, to: number, };

export type Break = { at: number, 
/**
 * `compacted` or `cleared`.
 */
kind: string, };

export type TurnInfo = { turn: number, 
/**
 * The first record of it.
 */
seq: number | null, began: number, ended: number | null, 
/**
 * `success`, `error`, `stopped`, `died`, `unreported`, or nothing while it runs.
 */
end: string | null, cost: number | null, 
/**
 * From, to: when a person was waited for.
 */
waits: Array<[number, number]>, origin: string | null, prompt: string | null, };

export type Devices = { devices: Array<Device>, };

export type PairingCode = { code: string, 
/**
 * Addresses with the code in the fragment.
 */
urls: Array<string>, expiresAt: number, 
/**
 * The first address as a QR code: rows of `0` and `1`.
 */
qr: Array<string>, reach: Reach, };

export type Audit = { entries: Array<AuditEntry>, };

export type AuditEntry = { at: number, device: string, name: string, action: string, sessionId: string | null, detail: string, };

export type Checked = { ok: boolean, message: string, hint: string | null, };

export type Rewound = { canRewind: boolean, files: Array<string>, insertions: number | null, deletions: number | null, error: string | null, 
/**
 * The session that goes on from there, when the conversation was rewound too.
 */
sessionId: string | null, };

export type Exported = { url: string, };

export type BridgeStatus = { version: string, uptime: number, sessions: number, live: number, clients: number, storeBytes: number, addresses: Array<string>, stateFolder: string, memory: number, };

export type Reach = { 
/**
 * Whether only this machine reaches the addresses of the bridge.
 */
localOnly: boolean, 
/**
 * SHA-256 of the certificate, in pairs of digits, if the bridge uses TLS.
 */
fingerprint: string | null, 
/**
 * Ways to make it reachable; empty if it is.
 */
ways: Array<ReachWay>, };

export type ReachWay = { 
/**
 * `network`: an address of this machine, with TLS and a certificate made here. `tailscale`: an address with a
 * certificate that browsers trust.
 */
kind: string, 
/**
 * The address or name that a phone opens.
 */
address: string, 
/**
 * The command that restarts the bridge so.
 */
command: string, };

export type GitStep = { "do": "commit", paths: Array<string>, message: string, } | { "do": "discard_file", path: string, } | { "do": "discard_hunk", path: string, hunk: string, } | { "do": "push", } | { "do": "pull_request", title: string, body: string, } | { "do": "merge_worktree", } | { "do": "discard_worktree", };

export type GitReport = { 
/**
 * The commands, as a person would type them.
 */
commands: Array<string>, 
/**
 * What applies to the step and is not visible in the commands: the address of a push.
 */
note: string | null, 
/**
 * Whether the commands ran. With `dryRun` they did not.
 */
done: boolean, 
/**
 * The output: the commit, the address of a pull request.
 */
output: string, };

export type WorkingTree = { 
/**
 * Whether the folder is in a git repository. Without one the other fields are empty.
 */
git: boolean, 
/**
 * The root of the working tree; paths are relative to it.
 */
root: string, 
/**
 * The current branch; none for a detached `HEAD`.
 */
branch: string | null, upstream: string | null, 
/**
 * Commits that the upstream does not contain.
 */
ahead: number, behind: number, 
/**
 * Whether there is a remote to push to.
 */
remote: boolean, 
/**
 * Whether the program `gh` is installed.
 */
gh: boolean, files: Array<ChangedFile>, 
/**
 * Files beyond the limit, which are not listed.
 */
more: number, 
/**
 * A commit message made from the changes.
 */
message: string, 
/**
 * The worktree of the session, if the bridge created it.
 */
worktree: Worktree | null, };

export type Worktree = { 
/**
 * The main folder of the repository.
 */
main: string, 
/**
 * The branch of the main folder, which a merge changes.
 */
into: string | null, 
/**
 * Commits of the worktree that the main folder does not contain.
 */
commits: number, };

export type ChangedFile = { diff: Diff, 
/**
 * An id for each hunk of `diff`, for `discard_hunk`; empty where hunks cannot be discarded.
 */
hunks: Array<string>, untracked: boolean, 
/**
 * Whether a merge left conflicts in it.
 */
conflict: boolean, };

export type FolderEntries = { 
/**
 * Folders first, then by name.
 */
entries: Array<FolderEntry>, 
/**
 * Entries beyond the limit, which are not listed.
 */
more: number, };

export type FolderEntry = { name: string, folder: boolean, bytes: number, 
/**
 * Where a link leads, if the entry is one.
 */
link: string | null, 
/**
 * Whether `.gitignore` or a similar file names it.
 */
ignored: boolean, };

export type FileText = { 
/**
 * Relative to the folder of the session, links resolved.
 */
path: string, bytes: number, 
/**
 * Nothing for a file that is not text.
 */
text: Highlighted | null, 
/**
 * Whether only the beginning of the file is shown.
 */
cut: boolean, };

export type Templates = { templates: Array<Template>, 
/**
 * The folder of their files.
 */
folder: string, };

export type Template = { 
/**
 * Without the slash.
 */
name: string, description: string | null, 
/**
 * The whole file.
 */
text: string, };

/** A command: what is asked for, and the id its receipt will carry. */
export type Command = ClientMessage & { id?: string };

// Made from crates/bridge/src/api by `make types`. Do not edit.

export type JsonValue = number | string | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type Item = { 
/**
 * The id.
 */
id: ItemId, 
/**
 * The revision of the last change. It is unique in the session and increases with every change of any item.
 */
revision: number, 
/**
 * The turn the item belongs to, as position among [the turns](crate::conversation::ConversationState::turns).
 */
turn: number | null, 
/**
 * The tool call whose subagent the item belongs to.
 */
parent: ItemId | null, 
/**
 * When the item began.
 */
at: Time, 
/**
 * The status.
 */
status: ItemStatus, 
/**
 * The content.
 */
body: ItemBody, };

export type ItemId = number;

export type Time = number;

export type ItemStatus = "streaming" | "running" | "waiting" | "done" | "failed" | "denied" | "cancelled" | "background" | "interrupted";

export type ItemField = "text" | "thinking" | "input";

export type ItemBody = { "type": "prompt" } & PromptItem | { "type": "text", 
/**
 * The text, as Markdown.
 */
text: Text, 
/**
 * Whether the agent itself wrote it, and no model.
 */
synthetic: boolean, } | { "type": "thinking" } & Thinking | { "type": "tool_call" } & ToolCall | { "type": "command" } & CommandItem | { "type": "compaction" } & Compaction | { "type": "retry" } & RetryItem | { "type": "error" } & RequestError | { "type": "rate_limit" } & RateLimit | { "type": "notice" } & Notice | { "type": "hook" } & HookRun | { "type": "model_change" } & ModelChange | { "type": "task_end" } & TaskEnd | { "type": "files_rewound" } & FilesRewound | { "type": "process" } & ProcessChange | { "type": "turn_origin" } & TurnOrigin | { "type": "turn_end" } & TurnEnd | { "type": "request" } & RequestItem | { "type": "suggestion", 
/**
 * The prompt.
 */
text: string, } | { "type": "unknown", 
/**
 * The `type` of the message and its `subtype`, separated by a slash; `None` for a line that is no message.
 */
rawType: string | null, };

export type Text = string | { 
/**
 * Where it is.
 */
$blob: Blob, };

export type Blob = { 
/**
 * The hash of the content: its name.
 */
hash: string, 
/**
 * The size in bytes.
 */
bytes: number, 
/**
 * The media type.
 */
mime: string, 
/**
 * The beginning of a text.
 */
head?: string | null, 
/**
 * The end of a text.
 */
tail?: string | null, 
/**
 * The number of lines of a text.
 */
lines?: number | null, };

export type Picture = { 
/**
 * The media type.
 */
mimeType: string, 
/**
 * The content in base64, or the place where it is stored.
 */
data: Text, };

export type PromptItem = { 
/**
 * The uuid of the prompt, if it has one.
 */
uuid: string | null, 
/**
 * The text.
 */
text: Text, 
/**
 * The images.
 */
images: Array<Picture>, 
/**
 * The source of the prompt.
 */
source: PromptSource, 
/**
 * Who sent it, if that is known.
 */
sender: Sender | null, 
/**
 * Whether the agent has it.
 */
delivery: Delivery, 
/**
 * Whether it was read during a turn that another prompt had started.
 */
steered: boolean, };

export type PromptSource = "host" | "other" | "replayed" | "agent";

export type Sender = { 
/**
 * The name.
 */
name: string, 
/**
 * The id of the device, where the host has several.
 */
device: string | null, };

export type Delivery = "delivered" | "indeterminate" | "failed";

export type Thinking = { 
/**
 * The text. Empty if only the API can read it.
 */
text: Text, 
/**
 * How long the model thought.
 */
duration: number | null, 
/**
 * The number of tokens, as the agent estimates it.
 */
tokens: number | null, };

export type CommandItem = { 
/**
 * The name without the slash; empty if only the output is known.
 */
name: string, 
/**
 * The arguments.
 */
arguments: string, 
/**
 * The output.
 */
output: Text | null, 
/**
 * Whether it failed.
 */
failed: boolean, };

export type Compaction = { 
/**
 * Whether a person asked for it.
 */
manual: boolean, 
/**
 * The number of tokens before.
 */
before: number | null, 
/**
 * The number of tokens after.
 */
after: number | null, 
/**
 * How long it took.
 */
duration: number | null, 
/**
 * The summary that replaces the conversation.
 */
summary: Text | null, 
/**
 * Why it failed.
 */
error: string | null, };

export type RetryItem = { 
/**
 * The error.
 */
error: string, 
/**
 * The HTTP status, if the server answered.
 */
status: number | null, 
/**
 * The number of the attempt that follows.
 */
attempt: number, 
/**
 * The maximum number of attempts.
 */
max: number, 
/**
 * When the next attempt starts.
 */
next: Time, };

export type RequestError = { 
/**
 * What the agent says about it.
 */
text: string, 
/**
 * The kind of error, as the agent names it.
 */
kind: string | null, 
/**
 * The HTTP status, if the server answered.
 */
status: number | null, 
/**
 * The number of attempts that failed before.
 */
retries: number, };

export type RateLimit = { 
/**
 * Whether requests pass.
 */
status: RateLimitStatus, 
/**
 * The limit, as the agent names it.
 */
limit: string | null, 
/**
 * The used part in percent.
 */
usedPercent: number | null, 
/**
 * When the limit is reset, in seconds since 1970.
 */
resetsAt: number | null, };

export type RateLimitStatus = "allowed" | "warning" | "rejected";

export type Notice = { 
/**
 * The subject of the notice.
 */
kind: NoticeKind, 
/**
 * How important it is.
 */
level: NoticeLevel, 
/**
 * The text.
 */
text: string, 
/**
 * The tool call it is about.
 */
call: ItemId | null, };

export type NoticeKind = "message" | "answered" | "context" | "stopped" | "notification" | "summary" | "shortened" | "cleared" | "memory" | "plugin" | "files_stored" | "authentication" | "goal" | "writes_lost" | "mirror_failed" | "shutting_down" | "refusal" | "forgotten" | "imported" | "line_too_long" | "disk_full" | "disk_free" | "log_full" | "log_cut";

export type NoticeLevel = "info" | "notice" | "warning" | "error";

export type HookRun = { 
/**
 * The name: `Event:matcher`.
 */
name: string, 
/**
 * The event.
 */
event: string, 
/**
 * The state of the run.
 */
outcome: HookStatus, 
/**
 * The exit code.
 */
exitCode: number | null, 
/**
 * The output: what it wrote to standard error, or else to standard output.
 */
output: Text, };

export type HookStatus = "running" | "succeeded" | "blocked" | "failed" | "cancelled";

export type ModelChange = { 
/**
 * The model before.
 */
from: string | null, 
/**
 * The model from here on.
 */
to: string | null, 
/**
 * Why.
 */
reason: ModelChangeReason, 
/**
 * What the agent says about it.
 */
text: string, };

export type ModelChangeReason = "chosen" | "unavailable" | "refused";

export type TaskEnd = { 
/**
 * The id of the task.
 */
task: string, 
/**
 * The tool call that started it.
 */
call: ItemId | null, 
/**
 * The outcome of the task.
 */
outcome: string, 
/**
 * What the task was about, in one line.
 */
subject: string, 
/**
 * What the agent says about the end.
 */
summary: string, 
/**
 * The file with the output, if there is one.
 */
output: string | null, };

export type FilesRewound = { 
/**
 * The files.
 */
files: Array<string>, 
/**
 * The number of lines that were added.
 */
added: number, 
/**
 * The number of lines that were removed.
 */
removed: number, };

export type ProcessChange = { "change": "started", 
/**
 * Whether it continues the conversation of an earlier process.
 */
resumed: boolean, } | { "change": "exited" } & ProcessEnd;

export type ProcessEnd = { 
/**
 * The exit code, or the signal.
 */
exit: Exit, 
/**
 * Why it ended, as far as this host knows.
 */
cause: ExitCause, 
/**
 * The same in words.
 */
reason: string | null, 
/**
 * Its last lines on standard error.
 */
stderr: Array<string>, };

export type ExitCause = "unknown" | "crashed" | "stopped" | "retired";

export type Exit = { 
/**
 * Its exit code, when it ended by itself.
 */
code: number | null, 
/**
 * The signal that ended it.
 */
signal: number | null, };

export type TurnOrigin = { 
/**
 * What started it.
 */
kind: OriginKind, 
/**
 * The details, for example what a task reports.
 */
text: string, 
/**
 * The outcome of the task, if the end of a task started it.
 */
outcome: string | null, 
/**
 * The id of that task.
 */
task: string | null, };

export type OriginKind = "task" | "wakeup" | "peer" | "channel" | "continuation" | "other";

export type RequestItem = { 
/**
 * What sends it: the name of an MCP server or of a tool.
 */
from: string, 
/**
 * The outcome.
 */
permission: Permission, };

export type TurnEnd = { 
/**
 * The outcome of the turn.
 */
outcome: TurnOutcome, 
/**
 * What went wrong.
 */
errors: Array<string>, 
/**
 * How long the turn took, without the time in which it waited for a person.
 */
duration: number, 
/**
 * How long it waited for a person.
 */
waited: number, 
/**
 * How long requests to the model took.
 */
api: number, 
/**
 * The cost in dollars. `None` if the agent did not report it.
 */
cost: number | null, 
/**
 * The tokens, if the agent reported them.
 */
tokens: Tokens | null, 
/**
 * The number of tool calls of the main conversation and its subagents.
 */
calls: number, 
/**
 * The number of tool calls whose permission was denied.
 */
denials: number, 
/**
 * The files that were changed, ordered by path.
 */
files: Array<FileCount>, };

export type TurnOutcome = { "type": "completed" } | { "type": "stopped" } | { "type": "max_turns" } | { "type": "max_budget" } | { "type": "failed", 
/**
 * Why, if the agent reported it.
 */
reason: string | null, } | { "type": "unreported" } | { "type": "died", 
/**
 * The exit code, or the signal.
 */
exit: Exit, };

export type Tokens = { 
/**
 * Read afresh.
 */
input: number, 
/**
 * Read from the cache.
 */
cacheRead: number, 
/**
 * Written to the cache.
 */
cacheWrite: number, 
/**
 * Given.
 */
output: number, };

export type FileCount = { 
/**
 * The path, as the tool reported it.
 */
path: string, 
/**
 * The number of lines that were added.
 */
added: number, 
/**
 * The number of lines that were removed.
 */
removed: number, };

export type ToolCall = { 
/**
 * The id that the model gave the call.
 */
id: string, 
/**
 * The name of the tool. Clients show the [card](Self::card) instead.
 */
tool: string, 
/**
 * What the call does, and its result.
 */
card: Card, 
/**
 * The beginning of the input, as JSON, while the model writes it.
 */
written: string | null, 
/**
 * The folder that the call runs in.
 */
folder: string | null, 
/**
 * What the model asked for, where another input ran. See [`Permission::changed_by`].
 */
original: Card | null, 
/**
 * Who decided that the call may run, if that is known.
 */
permission: Permission | null, 
/**
 * The task that runs the call.
 */
task: CallTask | null, 
/**
 * When the call started to run: after the answer, where a person was asked.
 */
started: Time, 
/**
 * The time of the result.
 */
ended: Time | null, 
/**
 * The result, as the model reads it.
 */
result: CallResult | null, };

export type CallResult = { 
/**
 * The text.
 */
text: Text, 
/**
 * The images.
 */
images: Array<Picture>, };

export type CallTask = { 
/**
 * The id.
 */
id: string, 
/**
 * The kind of task: `local_bash`, `local_agent` and others.
 */
kind: string, 
/**
 * Whether the turn does not wait for it.
 */
background: boolean, 
/**
 * The number of tokens it has used.
 */
tokens: number, 
/**
 * The number of tool calls it has made.
 */
calls: number, 
/**
 * The tool that it used last.
 */
lastTool: string | null, 
/**
 * What it reports.
 */
summary: string | null, 
/**
 * When it ended.
 */
ended: Time | null, };

export type Permission = { 
/**
 * The permission request, where a person was asked.
 */
request: string | null, 
/**
 * The outcome.
 */
outcome: PermissionOutcome, 
/**
 * Who decided.
 */
by: Decider | null, 
/**
 * Why the request was made, or why it was decided so.
 */
reason: string | null, 
/**
 * When the request was made.
 */
asked: Time | null, 
/**
 * The time of the decision.
 */
decided: Time | null, 
/**
 * What the person said about it.
 */
message: string | null, 
/**
 * The rules that were saved with the decision, as in a settings file.
 */
rules: Array<string>, 
/**
 * Where these rules were saved.
 */
destination: string | null, 
/**
 * Who changed the input.
 */
changedBy: Decider | null, };

export type PermissionOutcome = "waiting" | "allowed" | "denied" | "withdrawn" | "superseded" | "expired";

export type Decider = { "type": "person", 
/**
 * Who, if it is known.
 */
sender: Sender | null, } | { "type": "rule" } | { "type": "hook" } | { "type": "mode" } | { "type": "classifier" } | { "type": "other", 
/**
 * As the agent names it.
 */
name: string, };

export type Card = { 
/**
 * The title.
 */
title: string, 
/**
 * What the call does.
 */
verb: Verb, 
/**
 * The subject of the call.
 */
subject: Subject, 
/**
 * The details.
 */
body: CardBody, };

export type Verb = "run" | "control" | "read" | "find" | "edit" | "fetch" | "search" | "delegate" | "track" | "plan" | "ask" | "wait" | "use";

export type Subject = { "type": "none" } | { "type": "phrase", "value": string } | { "type": "command", "value": string } | { "type": "path", "value": string } | { "type": "text", "value": { 
/**
 * The pattern.
 */
pattern: string, 
/**
 * The file or folder that is searched.
 */
within: string | null, } } | { "type": "names", "value": { 
/**
 * The pattern.
 */
pattern: string, 
/**
 * The folder that is searched.
 */
within: string | null, } } | { "type": "query", "value": string } | { "type": "url", "value": string } | { "type": "task", "value": string } | { "type": "arguments", "value": Array<Argument> } | { "type": "input", "value": string };

export type Argument = { 
/**
 * The name.
 */
name: string, 
/**
 * The value.
 */
value: ArgumentValue, };

export type ArgumentValue = { "type": "text", "value": Text } | { "type": "json", "value": string };

export type CardBody = { "type": "shell" } & Shell | { "type": "file_read" } & FileRead | { "type": "file_change" } & FileChange | { "type": "notebook" } & Notebook | { "type": "search" } & Search | { "type": "web" } & Web | { "type": "subagent" } & Subagent | { "type": "tasks" } & Tasks | { "type": "question" } & Question | { "type": "plan" } & Plan | { "type": "skill" } & Skill | { "type": "findings" } & Findings | { "type": "mcp" } & Mcp | { "type": "generic" } & Generic;

export type Shell = { 
/**
 * The operation.
 */
action: ShellAction, 
/**
 * The command line.
 */
command: string, 
/**
 * The purpose, as the model describes it.
 */
about: string | null, 
/**
 * The output, once it has ended.
 */
output: Text | null, 
/**
 * What it wrote to standard error, where that is separate.
 */
stderr: Text | null, 
/**
 * The exit code, if it failed.
 */
exitCode: number | null, 
/**
 * The id of the task that it continues as in the background.
 */
task: string | null, 
/**
 * Whether a person moved it to the background.
 */
moved: boolean, };

export type ShellAction = "run" | "output" | "stop";

export type FileRead = { 
/**
 * The path.
 */
path: string, 
/**
 * The content; `None` before the result.
 */
content: ReadContent | null, };

export type ReadContent = { "type": "lines", 
/**
 * The number of the first line.
 */
first: number, 
/**
 * The number of lines that were read.
 */
count: number, 
/**
 * The number of lines of the file.
 */
total: number, 
/**
 * The lines; `None` where only the result contains them.
 */
text: Text | null, } | { "type": "image", 
/**
 * Width and height in pixels.
 */
size: [number, number] | null, 
/**
 * The size in bytes.
 */
bytes: number | null, } | { "type": "notebook", 
/**
 * The cells.
 */
cells: Array<NotebookCell>, } | { "type": "other", 
/**
 * The kind.
 */
kind: string, 
/**
 * The size in bytes.
 */
bytes: number | null, };

export type NotebookCell = { 
/**
 * The kind of cell.
 */
kind: CellKind, 
/**
 * The number of its last run.
 */
run: number | null, 
/**
 * The source.
 */
source: Text, };

export type CellKind = "code" | "markdown";

export type FileChange = { 
/**
 * The path.
 */
path: string, 
/**
 * The whole new content, for a file that is written.
 */
content: Text | null, 
/**
 * The replacements, for a file that is edited.
 */
edits: Array<Replacement>, 
/**
 * Whether the file is new. Known once it was written.
 */
created: boolean, 
/**
 * The change as hunks. Known once it was made.
 */
hunks: Array<PatchHunk>, };

export type Replacement = { 
/**
 * The old text.
 */
old: Text, 
/**
 * The new text.
 */
new: Text, 
/**
 * Whether every occurrence is replaced.
 */
all: boolean, };

export type PatchHunk = { 
/**
 * The number of the first line in the old file.
 */
oldStart: number, 
/**
 * The number of the first line in the new file.
 */
newStart: number, 
/**
 * The lines, each after `+`, `-` or a space.
 */
lines: Array<string>, };

export type Notebook = { 
/**
 * The path of the notebook.
 */
path: string, 
/**
 * The id of the cell.
 */
cell: string, 
/**
 * The kind of cell.
 */
kind: CellKind, 
/**
 * The kind of change.
 */
edit: CellEdit, 
/**
 * The new source.
 */
source: Text, 
/**
 * The source before.
 */
old: Text | null, };

export type CellEdit = "replace" | "insert" | "delete";

export type Search = { 
/**
 * The kind of search.
 */
kind: SearchKind, 
/**
 * The pattern.
 */
pattern: string, 
/**
 * The number of matches or matching lines.
 */
hits: number | null, 
/**
 * The number of files.
 */
files: number | null, 
/**
 * Whether letters match in either case.
 */
ignoreCase: boolean, 
/**
 * The matching lines, where the search returned lines.
 */
lines: Text | null, 
/**
 * The names of the files, where the search returned names.
 */
names: Array<string> | null, };

export type SearchKind = "text" | "names" | "tools";

export type Web = { "kind": "fetch" } & WebFetch | { "kind": "search" } & WebSearch;

export type WebFetch = { 
/**
 * The address.
 */
url: string, 
/**
 * The question about it.
 */
prompt: string | null, 
/**
 * The HTTP status.
 */
code: number | null, 
/**
 * The size in bytes.
 */
bytes: number | null, 
/**
 * The answer.
 */
answer: Text | null, };

export type WebSearch = { 
/**
 * The query.
 */
query: string, 
/**
 * The results.
 */
hits: Array<WebHit>, 
/**
 * What the search engine says about them.
 */
answer: Text | null, };

export type WebHit = { 
/**
 * The title.
 */
title: string, 
/**
 * The address.
 */
url: string, 
/**
 * A part of the page.
 */
snippet: string | null, };

export type Subagent = { 
/**
 * The kind of subagent.
 */
kind: string | null, 
/**
 * The purpose, in a few words.
 */
description: string, 
/**
 * The prompt.
 */
prompt: Text, 
/**
 * Its report.
 */
report: Text | null, 
/**
 * How long it ran.
 */
duration: number | null, 
/**
 * The number of tool calls it made.
 */
calls: number | null, 
/**
 * The number of tokens it used.
 */
tokens: number | null, };

export type Tasks = { 
/**
 * The whole list, where the call reads or writes all of it.
 */
list: Array<TaskLine> | null, 
/**
 * The list before, where the call changes all of it.
 */
before: Array<TaskLine> | null, 
/**
 * The task that the call creates, reads or changes.
 */
one: TaskLine | null, };

export type TaskLine = { 
/**
 * The id.
 */
id: string | null, 
/**
 * The description of the task.
 */
subject: string, 
/**
 * The same while it is being done.
 */
active: string | null, 
/**
 * The status; `None` where the call does not change it.
 */
status: TaskStatus | null, 
/**
 * The ids of the tasks that have to be done before.
 */
after: Array<string>, };

export type TaskStatus = "pending" | "in_progress" | "completed" | "deleted";

export type Question = { 
/**
 * The questions.
 */
questions: Array<string>, 
/**
 * The answers.
 */
answers: Array<Answer>, 
/**
 * What the person wrote instead of answers.
 */
response: string | null, };

export type Answer = { 
/**
 * The question.
 */
question: string, 
/**
 * The answer.
 */
answer: string, 
/**
 * What the person added.
 */
notes: string | null, };

export type Plan = { 
/**
 * The text of the plan; `None` where planning begins.
 */
text: Text | null, };

export type Skill = { 
/**
 * The name.
 */
name: string, 
/**
 * The arguments.
 */
arguments: string | null, 
/**
 * The text that the model reads.
 */
text: Text | null, };

export type Findings = { 
/**
 * The findings.
 */
findings: Array<Finding>, };

export type Finding = { 
/**
 * The file.
 */
file: string, 
/**
 * The line.
 */
line: number | null, 
/**
 * The problem.
 */
summary: string, 
/**
 * How it shows.
 */
scenario: string, 
/**
 * Whether it was confirmed; `None` where that is not said.
 */
confirmed: boolean | null, };

export type Mcp = { 
/**
 * The server.
 */
server: string, 
/**
 * The tool.
 */
tool: string, 
/**
 * The name of the server for people.
 */
serverTitle: string | null, 
/**
 * The name of the tool for people.
 */
toolTitle: string | null, 
/**
 * The arguments.
 */
arguments: Array<Argument>, };

export type Generic = { 
/**
 * The input.
 */
input: JsonValue, 
/**
 * The structured result.
 */
output: JsonValue | null, };

export type Evidence = "announced" | "requesting" | "streaming" | "said" | "calling" | "retrying" | "compacting" | "stopped" | "said_idle";

export type Rung = "asked" | "acknowledged" | "terminated" | "killed";

export type DeviceKind = "cookie" | "token";

export type AskKind = "tool" | "question" | "plan" | "elicitation" | "dialog" | "other";

export type SimpleStatus = "idle" | "running" | "waiting_approval";

export type ProcessPhase = "none" | "starting" | "up" | "exited";

export type TransportPhase = "connected" | "catching_up" | "lost";

export type ActivityPhase = "idle" | "running" | "waiting" | "interrupting" | "stalled";

export type QueueState = "queued" | "held" | "sent" | "indeterminate";

export type Payer = "key" | "account" | "server" | "demo" | "unknown";

export type TurnResult = "success" | "error" | "stopped" | "died" | "unreported";

export type BreakKind = "compacted" | "cleared";

export type DiffKind = "new" | "edit" | "delete";

export type Scope = "view" | "operate" | "approve" | "admin";

export type Device = { id: string, name: string, kind: DeviceKind, scope: Scope, createdAt: number, lastSeenAt: number, 
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
 * The same for level 0.
 */
status: SimpleStatus, 
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
 * The revision of the last change of its items; 0 while it is not loaded.
 */
revision: number, 
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
ask: string, kind: AskKind, toolName: string, 
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

export type ProcessState = { state: ProcessPhase, since: number, code: number | null, signal: number | null, 
/**
 * The last lines beside the protocol.
 */
stderr: Array<string>, version: string | null, };

export type TransportState = { state: TransportPhase, since: number | null, };

export type ActivityState = { state: ActivityPhase, since: number, 
/**
 * Why it is believed to run.
 */
evidence: Evidence | null, 
/**
 * When that was last seen.
 */
seen: number | null, 
/**
 * When it will count as stalled, if nothing comes.
 */
deadline: number | null, 
/**
 * How far an interrupt went.
 */
rung: Rung | null, };

export type TurnState = { 
/**
 * As in `Item.turn`.
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
ask: string, kind: AskKind, toolName: string, toolUseId: string | null, 
/**
 * The subagent that asks.
 */
agent: string | null, at: number, 
/**
 * The request as the agent wrote it: `input`, `permission_suggestions`, `decision_reason`, `blocked_path`, …
 */
request: { [key: string]: unknown }, 
/**
 * What the tool call would do.
 */
card: Card | null, 
/**
 * The item of the tool call.
 */
item: ItemId | null, };

export type QueuedPrompt = { uuid: string, text: string, 
/**
 * How many images it holds.
 */
images: number, state: QueueState, by: string, device: string, at: number, since: number, };

export type RunningCall = { id: string, name: string, since: number, parent: string | null, 
/**
 * Its item.
 */
item: ItemId | null, };

export type TaskInfo = { id: string, 
/**
 * `local_bash`, `local_agent` and others.
 */
kind: string, description: string, toolUseId: string | null, agent: string | null, background: boolean, 
/**
 * `running`, `completed`, `failed`, `stopped`, `gone`, or as the agent says.
 */
state: string, began: number, ended: number | null, tokens: number, calls: number, lastTool: string | null, summary: string | null, };

export type TodoInfo = { id: string | null, subject: string, active: string | null, status: TaskStatus, blockedBy: Array<string>, };

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
 * The version of the API: 2.
 */
version: number, 
/**
 * What the client calls itself.
 */
client: string, 
/**
 * The build of the page. A page of another build is asked to reload.
 */
build?: string | null, 
/**
 * Optional features that the client supports.
 */
capabilities?: Array<string> | null, 
/**
 * The last revision that the client has, by session. These sessions are subscribed to at once.
 */
revisions?: { [key in string]: number } | null, };

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
 * The permission mode in which the session continues, for a plan.
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

export type ClientMessage = { "type": "hello" } & Hello | { "type": "ping", } | { "type": "pong", } | { "type": "start" } & Start | { "type": "resume_session", sessionId: string, projectPath?: string | null, permissionMode?: string | null, } | { "type": "stop_session", sessionId: string, } | { "type": "list_sessions", } | { "type": "list_recent_sessions", limit?: number | null, projectPath?: string | null, archived?: boolean | null, } | { "type": "get_history", sessionId: string, before?: number | null, } | { "type": "get_history_delta", sessionId: string, sinceSeq: number, } | { "type": "client_capabilities", } | { "type": "subscribe", sessionId: string, 
/**
 * `revision` of the last `caught_up` or `items`; missing if the client has nothing.
 */
revision?: number | null, 
/**
 * The maximum number of turns of a reset; 20.
 */
turns?: number | null, } | { "type": "unsubscribe", sessionId: string, } | { "type": "follow_lines", sessionId: string, 
/**
 * The last line that the client has.
 */
after?: LineCursor | null, 
/**
 * Without it, or if it is too old: how many turns it gets; 1.
 */
turns?: number | null, } | { "type": "items_before", sessionId: string, before: ItemId, 
/**
 * The maximum number of turns; 20.
 */
turns?: number | null, } | { "type": "item_raw", sessionId: string, item: ItemId, } | { "type": "find_item", sessionId: string, record: number, } | { "type": "input" } & Input | { "type": "edit", sessionId?: string | null, uuid: string, text: string, } | { "type": "reorder", sessionId?: string | null, uuid: string, before?: string | null, } | { "type": "send_now", sessionId?: string | null, uuid: string, } | { "type": "take_back", sessionId?: string | null, uuid: string, } | { "type": "interrupt", sessionId?: string | null, all?: boolean | null, 
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

export type ServerMessage = { "type": "welcome" } & Welcome | { "type": "session_list", sessions: Array<SessionInfo>, } | { "type": "session", session: SessionInfo, } | { "type": "session_removed", sessionId: string, } | { "type": "caught_up" } & CaughtUp | { "type": "items", 
/**
 * The number of the session on this connection: `s` of `caught_up`.
 */
s: number, 
/**
 * The client has everything up to this revision once it has applied the message.
 */
revision: number, items: Array<Item>, removed: Array<ItemId>, } | { "type": "item_delta", s: number, item: ItemId, field: ItemField, 
/**
 * The text to append to the field.
 */
text: string, } | { "type": "line" } & Line | { "type": "state" } & SessionState | { "type": "facts" } & Facts | { "type": "receipt" } & Receipt | { "type": "error" } & ErrorMessage | { "type": "ping", 
/**
 * Milliseconds since 1970.
 */
at: number, } | { "type": "pong", at: number, } | { "type": "bye", reason: Bye, message: string, };

export type CaughtUp = { sessionId: string, 
/**
 * The number of the session on this connection, in `items` and `item_delta`.
 */
s: number, 
/**
 * Whether the client drops all items that it has of this session: it has none, or too much has changed.
 */
reset: boolean, 
/**
 * With `reset`: whether there are older items. Get them with `items_before`.
 */
more: boolean, 
/**
 * The revision to name when the session is subscribed again.
 */
revision: number, 
/**
 * With `reset` the items of the last turns, else those that have changed. Ordered by id.
 */
items: Array<Item>, 
/**
 * Items that were removed.
 */
removed: Array<ItemId>, };

export type Line = { sessionId: string, epoch: number, 
/**
 * Its number, if it is kept. Streamed text is not.
 */
seq: number | null, 
/**
 * The line, as it was written except for large bodies, which are `{"$blob": Blob}`. A record of the bridge has a
 * `type` that begins with `sluice_`.
 */
what: JsonValue, };

export type LineCursor = { 
/**
 * Changes when history was rewritten.
 */
epoch: number, 
/**
 * The number of the last line that is known.
 */
seq: number, };

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
available: boolean, pays: Payer, 
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

export type Accepted = { sessionId: string, uuid: string, state: QueueState, };

export type Sessions = { sessions: Array<SessionInfo>, };

export type ItemPage = { 
/**
 * Whole turns, ordered by id.
 */
items: Array<Item>, 
/**
 * Whether there are older ones.
 */
more: boolean, };

export type RawLines = { 
/**
 * The lines of the agent that the item was made from. Large bodies are `{"$blob": Blob}`.
 */
lines: JsonValue[], };

export type FoundItem = { item: ItemId, };

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

export type SearchHit = { sessionId: string, title: string | null, projectPath: string, 
/**
 * Names the hit in `find_item`.
 */
record: number, at: number, 
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

export type Diff = { path: string, kind: DiffKind, hunks: Array<Hunk>, added: number, removed: number, 
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

export type DriftLine = { at: number, 
/**
 * The item of the line.
 */
item: ItemId | null, 
/**
 * `type/subtype`, or `not JSON`.
 */
what: string, raw: string, };

export type TimelineData = { turns: Array<TurnInfo>, 
/**
 * Changes per slice.
 */
flow: Array<number>, 
/**
 * Where the conversation was compacted or cleared.
 */
breaks: Array<Break>, from: number, to: number, };

export type Break = { at: number, kind: BreakKind, item: ItemId, };

export type TurnInfo = { 
/**
 * As in `Item.turn`.
 */
turn: number, 
/**
 * The first item of it.
 */
item: ItemId | null, began: number, ended: number | null, 
/**
 * Nothing while it runs.
 */
end: TurnResult | null, cost: number | null, 
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

// `system` messages by subtype. Unknown subtypes become unknown rows.
import { taskState } from './finish';
import type { TaskFacts } from './items';
import type { Place, Transcript } from './Transcript';
import { fields, flag, heavy, list, num, str, textOf, type Fields } from './wire';

/** Subtypes that are shown elsewhere: in the head, the panel or the status. */
const SILENT = new Set([
  'session_state_changed',
  'background_tasks_changed',
  'commands_changed',
  'control_request_progress',
  'files_persisted',
  'elicitation_complete',
  'session_title_changed',
  'ui_invalidate',
  'hook_started',
  'hook_progress',
  'mirror_error',
]);

export function applySystem(transcript: Transcript, message: Fields, place: Place): void {
  const subtype = str(message['subtype']) ?? '';
  if (SILENT.has(subtype)) return;
  const text = () => textOf(heavy(message['content'] ?? message['text']));
  switch (subtype) {
    case 'init':
      begin(transcript, place);
      return;
    case 'status':
      status(transcript, message, place);
      return;
    case 'compact_boundary':
      compacted(transcript, fields(message['compact_metadata']), place);
      return;
    case 'api_retry':
      transcript.retrying(
        {
          what: 'retry',
          error: str(message['error']) ?? 'unknown',
          status: num(message['error_status']),
          attempt: num(message['attempt']) ?? 1,
          max: num(message['max_retries']),
          until: place.at + (num(message['retry_delay_ms']) ?? 0),
          over: false,
          failed: false,
        },
        place,
      );
      return;
    case 'task_started':
    case 'task_progress':
    case 'task_updated':
    case 'task_notification':
      task(transcript, subtype, message, place);
      return;
    case 'hook_response':
      hook(transcript, message, place);
      return;
    case 'permission_denied':
      denied(transcript, message);
      return;
    case 'thinking_tokens':
      thinking(transcript, message);
      return;
    case 'informational':
      notice(transcript, text(), message['level'] === 'warning', place);
      return;
    case 'notification':
      notice(transcript, text(), message['priority'] === 'immediate' || message['priority'] === 'high', place);
      return;
    case 'local_command_output':
      transcript.add(transcript.commandItem('', text(), false, place), place);
      return;
    case 'model_fallback':
    case 'model_refusal_fallback':
      transcript.mark({ what: 'model', from: str(message['original_model']) ?? '', to: str(message['fallback_model']) ?? '', text: text() }, place);
      return;
    case 'model_refusal_no_fallback':
      notice(transcript, text(), true, place);
      return;
    case 'memory_recall':
      transcript.mark(
        {
          what: 'memory',
          paths: list(message['memories'])
            .map((one) => str(fields(one)['path']) ?? '')
            .filter(Boolean),
        },
        place,
      );
      return;
    case 'plugin_install':
      if (message['status'] === 'failed') notice(transcript, `${str(message['name']) ?? ''}: ${str(message['error']) ?? ''}`, true, place);
      return;
    case 'worker_shutting_down':
      notice(transcript, str(message['reason']) ?? '', true, place);
      return;
    case 'session_writes_lost':
      transcript.mark({ what: 'note', kind: 'writes_lost', text: str(message['error_code']) ?? '' }, place);
      return;
    default:
      transcript.addUnknown(`system/${subtype || '?'}`, message, place);
  }
}

/** `init` starts every turn. A turn without a prompt is labelled with its origin. */
function begin(transcript: Transcript, place: Place): void {
  if (transcript.live) return;
  const turn = transcript.turnFor(place);
  if (turn.items.length === 0 && transcript.pendingOrigin) {
    turn.origin = transcript.pendingOrigin;
    transcript.pendingOrigin = undefined;
    transcript.changed(turn);
  }
}

function status(transcript: Transcript, message: Fields, place: Place): void {
  if (message['compact_result'] === 'failed') notice(transcript, str(message['compact_error']) ?? '', true, place);
}

function compacted(transcript: Transcript, metadata: Fields, place: Place): void {
  const broken = transcript.addBreak('compacted', place);
  broken.before = num(metadata['pre_tokens']);
  broken.after = num(metadata['post_tokens']);
  broken.trigger = str(metadata['trigger']);
}

function notice(transcript: Transcript, text: string, warning: boolean, place: Place): void {
  if (text) transcript.mark({ what: 'notice', level: warning ? 'warning' : 'info', text }, place);
}

function hook(transcript: Transcript, message: Fields, place: Place): void {
  const outcome = str(message['outcome']) ?? 'success';
  // Successful hooks have no row; the panel lists them.
  if (outcome === 'success') return;
  // Exit code 2 blocks the call, and the row of the call shows that.
  const blocks = num(message['exit_code']) === 2;
  if (blocks && str(message['hook_event']) === 'PreToolUse') return;
  const output = textOf(heavy(message['stderr'])) || textOf(heavy(message['output']));
  transcript.mark(
    {
      what: 'hook',
      name: str(message['hook_name']) ?? str(message['hook_event']) ?? '',
      outcome: blocks ? 'blocked' : outcome,
      output,
      code: num(message['exit_code']),
    },
    place,
  );
}

function denied(transcript: Transcript, message: Fields): void {
  const call = transcript.calls.get(str(message['tool_use_id']) ?? '');
  if (!call) return;
  const type = str(message['decision_reason_type']);
  const text = str(message['message']);
  call.denial = {
    reason: str(message['decision_reason']) ?? (text?.startsWith('Permission to use') ? undefined : text),
    by: type === 'hook' ? 'hook' : type === 'mode' ? 'mode' : type === 'rule' || type === 'subcommandResults' ? 'rule' : 'other',
  };
  call.state = 'denied';
  transcript.changes.add(call);
}

function thinking(transcript: Transcript, message: Fields): void {
  const items = transcript.live?.items ?? [];
  const item = items.findLast((one) => one.kind === 'thinking');
  if (item?.kind !== 'thinking' || !item.streaming) return;
  item.tokens = num(message['estimated_tokens']);
  transcript.changes.add(item);
}

function task(transcript: Transcript, subtype: string, message: Fields, place: Place): void {
  const id = str(message['task_id']) ?? '';
  let entry = transcript.tasks.get(id);
  if (!entry) {
    const call = transcript.calls.get(str(message['tool_use_id']) ?? '');
    const facts: TaskFacts = {
      id,
      kind: '',
      description: '',
      background: false,
      status: 'running',
      summary: undefined,
      tokens: undefined,
      calls: undefined,
      duration: undefined,
      lastTool: undefined,
      ended: undefined,
    };
    entry = { call, facts };
    transcript.tasks.set(id, entry);
    if (call) call.task = facts;
  }
  const { facts, call } = entry;
  const usage = fields(message['usage']);
  facts.tokens = num(usage['total_tokens']) ?? facts.tokens;
  facts.calls = num(usage['tool_uses']) ?? facts.calls;
  facts.duration = num(usage['duration_ms']) ?? facts.duration;
  facts.description = str(message['description']) ?? facts.description;
  facts.lastTool = str(message['last_tool_name']) ?? facts.lastTool;
  facts.summary = str(message['summary']) ?? facts.summary;
  if (subtype === 'task_started') {
    facts.kind = str(message['task_type']) ?? facts.kind;
    facts.background = flag(message['is_backgrounded']);
    if (call) call.agentType = str(message['subagent_type']) ?? call.agentType;
  } else if (subtype === 'task_updated') {
    const patch = fields(message['patch']);
    facts.status = str(patch['status']) ?? facts.status;
    facts.background = patch['is_backgrounded'] === undefined ? facts.background : flag(patch['is_backgrounded']);
    facts.ended = num(patch['end_time']) ?? facts.ended;
  } else if (subtype === 'task_notification') {
    facts.status = str(message['status']) ?? 'completed';
    facts.ended ??= place.at;
    if (facts.background && !flag(message['skip_transcript'])) {
      transcript.pendingOrigin = { kind: 'task', text: facts.summary ?? facts.description, status: facts.status, task: id };
    }
  }
  if (call?.state === 'background' && facts.status !== 'running') {
    call.state = taskState(facts.status);
    call.ended = facts.ended ?? place.at;
  }
  if (call) transcript.changes.add(call);
}

// `result` messages: the end of a turn, with its outcome, cost and tokens.
import type { Turn, TurnEnd } from './items';
import type { Place, Transcript } from './Transcript';
import { fields, flag, list, num, str, type Fields } from './wire';

export function applyResult(transcript: Transcript, message: Fields, place: Place): void {
  const turn = transcript.turnFor(place);
  const subtype = str(message['subtype']) ?? 'success';
  const total = num(message['total_cost_usd']);
  const usage = fields(message['usage']);
  const cached = num(usage['cache_read_input_tokens']) ?? 0;
  const stopped =
    /abort|interrupt/.test(str(message['terminal_reason']) ?? '') || turn.items.some((item) => item.kind === 'mark' && item.facts.what === 'stopped');
  const failed = subtype !== 'success' || flag(message['is_error']);
  const fresh = total !== undefined && transcript.lastTotal !== undefined && total < transcript.lastTotal;
  const end: TurnEnd = {
    seq: place.seq,
    at: place.at,
    subtype,
    outcome: stopped ? 'stopped' : failed ? 'error' : 'success',
    duration: num(message['duration_ms']),
    cost: total === undefined ? undefined : fresh || transcript.lastTotal === undefined ? total : total - transcript.lastTotal,
    totalCost: total,
    input: (num(usage['input_tokens']) ?? 0) + (num(usage['cache_creation_input_tokens']) ?? 0) + cached,
    cached,
    output: num(usage['output_tokens']) ?? 0,
    errors: list(message['errors'])
      .map(str)
      .filter((one) => one !== undefined),
    denials: list(message['permission_denials']).length,
    structured: message['structured_output'],
  };
  if (total !== undefined) transcript.lastTotal = total;
  transcript.drafts.drop(null);
  transcript.settle();
  const command = str(message['local_command']);
  if (command) replaceByCommand(transcript, turn, command, place);
  if (end.outcome === 'error') addError(transcript, message, turn, place);
  if (!turn.origin && !turn.items.some((item) => item.kind === 'prompt')) turn.origin = originOf(fields(message['origin'])) ?? turn.origin;
  turn.end = end;
  if (transcript.live === turn) transcript.live = undefined;
  transcript.changed(turn);
}

/** Adds an error row to a failed turn that has none. */
function addError(transcript: Transcript, message: Fields, turn: Turn, place: Place): void {
  if (turn.items.some((item) => item.kind === 'mark' && item.facts.what === 'error')) return;
  const text = str(message['result']) || list(message['errors']).map(str).filter(Boolean).join(' ');
  transcript.mark(
    {
      what: 'error',
      error: str(message['subtype']) === 'success' ? 'unknown' : (str(message['subtype']) ?? 'unknown'),
      text,
      status: num(message['api_error_status']),
    },
    { ...place, turn: turn.n },
  );
}

/** Why a turn started that no prompt asked for. */
function originOf(origin: Fields): Turn['origin'] {
  switch (str(origin['kind'])) {
    case 'task-notification':
      return origin['subkind'] === 'scheduled-trigger'
        ? { kind: 'wake', text: str(origin['fireReason']) ?? '' }
        : { kind: 'task', text: '', status: '', task: undefined };
    case 'peer':
    case 'observer':
    case 'coordinator':
      return { kind: 'peer', text: str(origin['name']) ?? str(origin['from']) ?? '' };
    case 'channel':
      return { kind: 'channel', text: str(origin['server']) ?? '' };
    case 'auto-continuation':
      return { kind: 'continuation', text: '' };
    case undefined:
    case 'human':
    case 'unclassified':
      return undefined;
    default:
      return { kind: 'unknown', text: str(origin['kind']) ?? '' };
  }
}

/** Replaces the text that the agent program printed by a row with the name of the command. */
function replaceByCommand(transcript: Transcript, turn: Turn, name: string, place: Place): void {
  const at = turn.items.findIndex((item) => item.kind === 'text' && item.synthetic);
  const text = turn.items[at];
  if (text?.kind !== 'text') return;
  const item = transcript.commandItem(name, text.text, false, place);
  turn.items = turn.items.map((one, index) => (index === at ? item : one));
}

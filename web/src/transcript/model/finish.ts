// Applies a tool result to its call.
import type { CallItem } from './items';
import type { Place } from './Transcript';
import { fields, flag, list, plain, resultBlocks, str, type Fields } from './wire';

const REFUSED =
  /^(?:Error: )?(?:The user doesn't want to|User rejected|Permission to use|Claude requested permissions|The tool use was rejected|Tool use (?:was )?(?:denied|rejected)|\[Request interrupted)/i;

export function finish(call: CallItem, block: Fields, content: unknown, place: Place, outer: Fields): void {
  call.result = resultBlocks(content);
  call.structured = outer['tool_use_result'];
  call.resultSeq = place.seq;
  call.ended = place.at;
  const text = plain(call.result);
  const failed = flag(block['is_error']) || (typeof call.structured === 'string' && call.structured.startsWith('Error:'));
  const meta = fields(
    list(outer['tool_result_meta'])
      .map(fields)
      .find((one) => one['id'] === call.id),
  );
  const decision = fields(meta['permission_decision']);
  const rejected = decision['decision'] === 'reject';
  call.byRule = decision['decision'] === 'accept' && (decision['reason_type'] === 'rule' || decision['source'] === 'user_permanent');
  if (failed && text.includes('[Request interrupted by user')) call.state = 'cancelled';
  else if (failed && (rejected || call.denial !== undefined || call.ask?.outcome === 'denied' || REFUSED.test(text))) {
    call.state = 'denied';
    call.denial ??= { reason: call.ask?.message ?? undefined, by: denier(str(decision['source']), str(decision['reason_type'])) };
  } else if (failed) call.state = 'failed';
  else if (isBackground(call)) call.state = call.task && call.task.status !== 'running' ? taskState(call.task.status) : 'background';
  else call.state = 'done';
}

/** The reason takes precedence over the source: the agent reports the user also where one of the user's rules decided. */
function denier(source: string | undefined, reason: string | undefined): 'user' | 'rule' | 'hook' | 'mode' | 'other' {
  if (reason === 'rule' || reason === 'subcommandResults') return 'rule';
  if (reason === 'hook' || source === 'hook') return 'hook';
  if (reason === 'mode') return 'mode';
  return source?.startsWith('user') ? 'user' : 'other';
}

function isBackground(call: CallItem): boolean {
  const result = fields(call.structured);
  return (
    str(result['backgroundTaskId']) !== undefined ||
    result['status'] === 'async_launched' ||
    result['status'] === 'remote_launched' ||
    call.task?.background === true
  );
}

export const taskState = (status: string): CallItem['state'] =>
  status === 'completed'
    ? 'done'
    : status === 'failed'
      ? 'failed'
      : status === 'running' || status === 'pending' || status === 'paused'
        ? 'background'
        : 'cancelled';

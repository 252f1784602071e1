// Text, style and details of a mark: a one-line item of the transcript that is no message and no call.
import type { Exit, Item, ItemBody, NoticeKind, PermissionOutcome, RateLimit, TurnEnd } from '../api/types';
import { t } from '../text';
import { age, clock, percent } from '../text/format';
import type { IconName } from '../ui';
import { textOf } from './model';

/** Items that are shown as marks. */
export type Mark = Exclude<
  ItemBody,
  { type: 'prompt' | 'text' | 'thinking' | 'tool_call' | 'command' | 'turn_end' | 'unknown' | 'files_rewound' | 'turn_origin' | 'suggestion' }
>;

const SERIOUS = new Set<NoticeKind>(['disk_full', 'log_full', 'log_cut', 'writes_lost']);

export function markTone(mark: Mark): { tone: '' | 'err' | 'warn'; icon: IconName } {
  switch (mark.type) {
    case 'error':
    case 'process':
      return { tone: 'err', icon: 'warn' };
    case 'retry':
      return { tone: 'warn', icon: 'retry' };
    case 'rate_limit':
      return { tone: 'warn', icon: 'clock' };
    case 'hook':
      return { tone: mark.outcome === 'blocked' ? '' : 'warn', icon: 'hook' };
    case 'model_change':
      return { tone: 'warn', icon: 'fork' };
    case 'compaction':
      return { tone: 'warn', icon: 'warn' };
    case 'task_end':
      return { tone: mark.outcome === 'failed' ? 'warn' : '', icon: 'clock' };
    case 'request':
      return { tone: '', icon: 'question' };
    case 'notice':
      if (mark.kind === 'stopped') return { tone: '', icon: 'stop' };
      if (mark.kind === 'memory') return { tone: '', icon: 'notebook' };
      if (SERIOUS.has(mark.kind)) return { tone: 'err', icon: 'warn' };
      return mark.level === 'warning' || mark.level === 'error' ? { tone: 'warn', icon: 'warn' } : { tone: '', icon: 'dots' };
  }
}

/** The cause as text, without a full stop. */
function cause(error: string, status: number | null): string {
  const code = status === null ? '' : ` (${status})`;
  switch (error) {
    case 'overloaded':
      return t('transcript.errOverloaded') + code;
    case 'rate_limit':
      return t('transcript.errRate') + code;
    case 'server_error':
      return t('transcript.errServer') + code;
    case 'authentication_failed':
      return t('transcript.errKey') + code;
    default:
      return (status === null ? t('transcript.errConnect') : t('transcript.errServer')) + code;
  }
}

/** What to do about an error. */
function advice(error: string, text: string, status: number | null): string {
  switch (error) {
    case 'authentication_failed':
    case 'oauth_org_not_allowed':
    case 'account_on_hold':
    case 'verification_required':
    case 'cloud_credential_error':
      return t('transcript.errAuth', { status: status ?? 401 });
    case 'billing_error':
      return t('transcript.errBilling');
    case 'rate_limit':
      return `${t('transcript.errRate')}.`;
    case 'overloaded':
      return `${t('transcript.errOverloaded')}.`;
    case 'server_error':
      return t('transcript.errServerDo', { status: status ?? 500 });
    case 'model_not_found':
      return t('transcript.errModel');
    case 'invalid_request':
      return t('transcript.errInvalid');
    case 'max_output_tokens':
      return t('transcript.errMaxOutput');
    case 'error_max_turns':
      return t('transcript.errMaxTurns');
    case 'error_max_budget_usd':
      return t('transcript.errBudget');
    case 'error_max_structured_output_retries':
      return t('transcript.errSchema');
    default:
      return text.split('\n', 1)[0] || t('transcript.errAny');
  }
}

function notice(kind: NoticeKind, text: string, cancelled: number): string {
  switch (kind) {
    case 'stopped':
      return cancelled > 0 ? t('transcript.stoppedCalls', { n: cancelled }) : t('transcript.stopped');
    case 'memory':
      return t('transcript.memory', { paths: text });
    case 'line_too_long':
      return t('transcript.noteTooLong');
    case 'disk_full':
      return t('transcript.noteDiskFull');
    case 'disk_free':
      return t('transcript.noteDiskOk');
    case 'log_cut':
    case 'forgotten':
      return t('transcript.noteLost');
    case 'imported':
      return text || t('transcript.noteImported');
    case 'writes_lost':
      return t('transcript.noteWritesLost', { text });
    default:
      return text;
  }
}

function limit({ status, resetsAt, usedPercent }: RateLimit): string {
  if (status === 'rejected') return resetsAt === null ? t('transcript.limitReachedPlain') : t('transcript.limitReached', { time: clock(resetsAt * 1000) });
  return usedPercent === null ? t('transcript.limitNearPlain') : t('transcript.limitNear', { part: percent(usedPercent / 100) });
}

function exited(exit: Exit): string {
  if (exit.signal === 9) return t('transcript.exitedOom');
  if (exit.signal !== null) return t('transcript.exitedSignal', { signal: exit.signal });
  return exit.code !== null ? t('transcript.exitedCode', { code: exit.code }) : t('transcript.exited');
}

function answered(outcome: PermissionOutcome, tool: string, who: string): string {
  if (outcome === 'allowed') return t('transcript.askAllowed', { tool, who });
  return outcome === 'denied' ? t('transcript.askDenied', { tool, who }) : t('transcript.askGone', { tool });
}

/** Why a turn failed. */
export function outcomeText({ outcome, errors }: TurnEnd): string {
  const kind = outcome.type === 'max_turns' ? 'error_max_turns' : outcome.type === 'max_budget' ? 'error_max_budget_usd' : 'unknown';
  return advice(kind, errors.join(' '), null);
}

export interface MarkContext {
  now: number;
  /** Returns the name of a model for its id. */
  named?: ((id: string) => string) | undefined;
  /** Number of calls that were cancelled when a person stopped the turn. */
  cancelled?: number | undefined;
}

export function markText(mark: Mark, { at, status }: Item, { now, named = (id) => id, cancelled = 0 }: MarkContext): string {
  switch (mark.type) {
    case 'error':
      return [advice(mark.kind ?? 'unknown', mark.text, mark.status), mark.retries ? t('transcript.tried', { n: mark.retries }) : ''].filter(Boolean).join(' ');
    case 'retry': {
      const what = cause(mark.error, mark.status);
      return status === 'done'
        ? t('transcript.retryOver', { what, attempt: mark.attempt })
        : t('transcript.retryNow', { what, time: age(mark.next - now), attempt: mark.attempt, max: mark.max ?? '–' });
    }
    case 'rate_limit':
      return limit(mark);
    case 'notice':
      return notice(mark.kind, mark.text, cancelled);
    case 'hook':
      return mark.outcome === 'blocked'
        ? t('transcript.hookBlocked', { name: mark.name, text: textOf(mark.output).split('\n', 1)[0] ?? '' })
        : t('transcript.hookFailed', { name: mark.name });
    case 'process':
      return `${mark.change === 'exited' ? exited(mark.exit) : ''} ${t('transcript.exitedSaved', { time: clock(at) })}`;
    case 'model_change':
      return mark.text || t('transcript.modelChanged', { from: named(mark.from ?? ''), to: named(mark.to ?? '') });
    case 'compaction':
      return mark.error ?? '';
    case 'request': {
      const { by, outcome } = mark.permission;
      return answered(outcome, mark.from, by?.type === 'person' ? (by.sender?.name ?? '') : '');
    }
    case 'task_end':
      return mark.summary || mark.subject;
  }
}

/** What can be opened below a mark: the last output of a process, of a hook, or the whole text of an error. */
export function markDetail(mark: Mark, shown: string): { title: string; text: string } | undefined {
  if (mark.type === 'process' && mark.change === 'exited' && mark.stderr.length > 0) return { title: t('transcript.lastWords'), text: mark.stderr.join('\n') };
  if (mark.type === 'hook' && mark.outcome !== 'blocked' && textOf(mark.output)) return { title: t('transcript.output'), text: textOf(mark.output) };
  if (mark.type === 'error' && mark.text && !shown.startsWith(mark.text)) return { title: t('transcript.output'), text: mark.text };
  return undefined;
}

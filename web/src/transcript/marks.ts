// Text, style and actions of a mark in the transcript.
import { t } from '../text';
import { age, clock, percent } from '../text/format';
import type { IconName } from '../ui';
import type { MarkFacts } from './model';

export function markTone(facts: MarkFacts): { tone: '' | 'err' | 'warn'; icon: IconName } {
  switch (facts.what) {
    case 'error':
      return { tone: 'err', icon: 'warn' };
    case 'retry':
      return { tone: 'warn', icon: 'retry' };
    case 'limit':
      return { tone: 'warn', icon: 'clock' };
    case 'stopped':
      return { tone: '', icon: 'stop' };
    case 'notice':
      return facts.level === 'warning' ? { tone: 'warn', icon: 'warn' } : { tone: '', icon: 'dots' };
    case 'hook':
      return { tone: facts.outcome === 'blocked' ? '' : 'warn', icon: 'hook' };
    case 'process':
      return { tone: 'err', icon: 'warn' };
    case 'model':
      return { tone: 'warn', icon: 'fork' };
    case 'note':
      return { tone: /full|lost/.test(facts.kind) ? 'err' : '', icon: /full|lost/.test(facts.kind) ? 'warn' : 'dots' };
    case 'ask':
      return { tone: '', icon: 'question' };
    case 'memory':
      return { tone: '', icon: 'notebook' };
    case 'task':
      return { tone: facts.status === 'failed' ? 'warn' : '', icon: 'clock' };
  }
}

/** The cause as text, without a full stop. */
function cause(error: string, status: number | undefined): string {
  const code = status === undefined ? '' : ` (${status})`;
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
      return (status === undefined ? t('transcript.errConnect') : t('transcript.errServer')) + code;
  }
}

/** What to do about an error. */
function advice(error: string, text: string, status: number | undefined): string {
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

function note(kind: string, text: string): string {
  switch (kind) {
    case 'too_long':
      return t('transcript.noteTooLong');
    case 'disk_full':
      return t('transcript.noteDiskFull');
    case 'disk_ok':
      return t('transcript.noteDiskOk');
    case 'lost_records':
    case 'forgotten':
      return t('transcript.noteLost');
    case 'forked':
      return text || t('transcript.noteForked');
    case 'imported':
      return text || t('transcript.noteImported');
    case 'writes_lost':
      return t('transcript.noteWritesLost', { text });
    default:
      return text;
  }
}

/** `named`: returns the name of a model for its id. */
export function markText(facts: MarkFacts, at: number, now: number, named: (id: string) => string = (id) => id): string {
  switch (facts.what) {
    case 'error':
      return [advice(facts.error, facts.text, facts.status), facts.tries ? t('transcript.tried', { n: facts.tries }) : ''].filter(Boolean).join(' ');
    case 'retry':
      return facts.over
        ? t('transcript.retryOver', { what: cause(facts.error, facts.status), attempt: facts.attempt })
        : t('transcript.retryNow', { what: cause(facts.error, facts.status), time: age(facts.until - now), attempt: facts.attempt, max: facts.max ?? '–' });
    case 'limit':
      if (facts.status === 'rejected')
        return facts.resets === undefined ? t('transcript.limitReachedPlain') : t('transcript.limitReached', { time: clock(facts.resets) });
      return facts.part === undefined ? t('transcript.limitNearPlain') : t('transcript.limitNear', { part: percent(facts.part) });
    case 'stopped':
      return facts.calls > 0 ? t('transcript.stoppedCalls', { n: facts.calls }) : t('transcript.stopped');
    case 'notice':
      return facts.text;
    case 'hook':
      return facts.outcome === 'blocked'
        ? t('transcript.hookBlocked', { name: facts.name, text: facts.output.split('\n', 1)[0] ?? '' })
        : t('transcript.hookFailed', { name: facts.name });
    case 'process': {
      const how =
        facts.signal === 9
          ? t('transcript.exitedOom')
          : facts.signal !== undefined
            ? t('transcript.exitedSignal', { signal: facts.signal })
            : facts.code !== undefined
              ? t('transcript.exitedCode', { code: facts.code })
              : t('transcript.exited');
      return `${how} ${t('transcript.exitedSaved', { time: clock(at) })}`;
    }
    case 'model':
      return facts.text || t('transcript.modelChanged', { from: named(facts.from), to: named(facts.to) });
    case 'note':
      return note(facts.kind, facts.text);
    case 'ask': {
      const { toolName, by, outcome } = facts.ask;
      if (outcome === 'allowed') return t('transcript.askAllowed', { tool: toolName, who: by ?? '' });
      return outcome === 'denied' ? t('transcript.askDenied', { tool: toolName, who: by ?? '' }) : t('transcript.askGone', { tool: toolName });
    }
    case 'memory':
      return t('transcript.memory', { paths: facts.paths.join(', ') });
    case 'task':
      return facts.text;
  }
}

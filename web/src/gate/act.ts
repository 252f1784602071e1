// State of a button that sends a command: disabled while it runs, a progress label after 150 ms, and the reason if it
// failed.
import { createSignal, type Accessor } from 'solid-js';
import { Refusal } from '../protocol';
import { t } from '../text';
import { clock } from '../text/format';

export interface Act {
  /** Runs the command unless it is running. Returns true if it succeeded. */
  run: () => Promise<boolean>;
  busy: Accessor<boolean>;
  /** True when the command takes long enough to show the progress label. */
  shown: Accessor<boolean>;
  problem: Accessor<string | null>;
  clear: () => void;
}

export const PROGRESS_DELAY = 150;

/** The reason of a failure as text. */
export function reason(error: unknown): string {
  if (error instanceof Refusal) {
    if (error.code === 'timeout') return t('errors.timeout');
    if (error.code === 'decided' && error.resolved)
      return t('errors.decided', { who: error.resolved.by ?? t('errors.someone'), time: clock(error.resolved.at) });
    if (error.code === 'scope') return t('errors.scope');
    if (error.code === 'storage') return t('errors.storage');
    return error.hint ? `${sentence(error.message)} ${sentence(error.hint)}` : sentence(error.message);
  }
  return error instanceof Error ? sentence(error.message) : String(error);
}

const sentence = (text: string): string => {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
};

export function createAct(does: () => Promise<unknown>): Act {
  const [busy, setBusy] = createSignal(false);
  const [shown, setShown] = createSignal(false);
  const [problem, setProblem] = createSignal<string | null>(null);
  return {
    busy,
    shown,
    problem,
    clear: () => setProblem(null),
    run: async () => {
      if (busy()) return false;
      setBusy(true);
      setProblem(null);
      const timer = setTimeout(() => setShown(true), PROGRESS_DELAY);
      try {
        await does();
        return true;
      } catch (error) {
        setProblem(reason(error));
        return false;
      } finally {
        clearTimeout(timer);
        setBusy(false);
        setShown(false);
      }
    },
  };
}

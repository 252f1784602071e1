// Runs a command that may fail: the button is disabled meanwhile, and the error is shown.
import { t } from '../text';
import { toast } from '../ui';
import { reasonOf } from './link';

/** Runs a command and shows its error. Returns the answer, or undefined if it failed. */
export async function act<T>(run: () => Promise<T>, busy?: (on: boolean) => void): Promise<T | undefined> {
  // No progress label for a command that is answered quickly.
  const timer = busy && setTimeout(() => busy(true), 150);
  try {
    return await run();
  } catch (error) {
    toast(t('sessions.failed', { why: reasonOf(error) }));
    return undefined;
  } finally {
    clearTimeout(timer);
    busy?.(false);
  }
}

/** Whether the command succeeded; for commands without an answer. */
export async function done(run: () => Promise<unknown>, busy?: (on: boolean) => void): Promise<boolean> {
  return (
    (await act(async () => {
      await run();
      return true;
    }, busy)) === true
  );
}

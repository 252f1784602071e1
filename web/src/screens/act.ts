// Doing something that may be refused: the button is off meanwhile, and comes back with the reason.
import { t } from '../text';
import { toast } from '../ui';
import { reasonOf } from './link';

/** Runs it; says so when it failed. Gives the answer, or nothing. */
export async function act<T>(run: () => Promise<T>, busy?: (on: boolean) => void): Promise<T | undefined> {
  // A press that is answered at once needs no word in between.
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

/** Whether `act` came through; for commands whose answer is empty. */
export async function done(run: () => Promise<unknown>, busy?: (on: boolean) => void): Promise<boolean> {
  return (
    (await act(async () => {
      await run();
      return true;
    }, busy)) === true
  );
}

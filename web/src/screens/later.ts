// What happens after the first screen: parts that are loaded later, the service worker, the focus of a new screen.
import { createEffect, createSignal, on, onCleanup } from 'solid-js';
import { registerWorker } from '../boot/worker';
import { route } from '../route/route';
import { whenIdle } from '../ui/task';
import { client, up } from './link';

/**
 * Fetches the parts that are loaded on demand while the page is idle: after an update, the bridge may no longer serve
 * the files of this build. Not while disconnected: browsers do not retry a module whose fetch failed.
 */
export function loadLater(): void {
  const [late, setLate] = createSignal(false);
  const early = setTimeout(() => setLate(true), 5000);
  createEffect(() => {
    if (late() && up())
      for (const part of [
        () => import('../asks/kinds'),
        () => import('../gate/bodies'),
        () => import('../panels/Panel'),
        () => import('./Sessions'),
        () => import('./NewSession'),
      ])
        void part().catch(() => undefined);
  });
  onCleanup(() => clearTimeout(early));
}

/**
 * The service worker speeds up the next visit, but downloads all files again. It is registered when the page has been
 * rendered and the bridge has answered: a lost connection may not be detected yet, and browsers report a failed fetch
 * as an error.
 */
export function registerWorkerLater(): void {
  const [shown, setShown] = createSignal(false);
  const settled = setTimeout(() => setShown(true), 1500);
  onCleanup(() => clearTimeout(settled));
  createEffect(() => {
    if (!shown() || !up()) return;
    let current = true;
    onCleanup(() => {
      current = false;
    });
    onCleanup(
      whenIdle(
        () =>
          void client()
            .connection.reached()
            .then(() => {
              if (current) registerWorker();
            }),
      ),
    );
  });
}

/**
 * Moves the focus to the top of a new screen, so that screen readers announce its heading. After its first frame,
 * because focusing forces a layout.
 */
export function focusNewScreens(): void {
  createEffect(
    on(
      () => {
        const here = route();
        return here.at === 'session' ? `s ${here.id} ${here.view}` : here.at;
      },
      () => {
        requestAnimationFrame(() =>
          setTimeout(() => {
            if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
          }),
        );
      },
      { defer: true },
    ),
  );
}

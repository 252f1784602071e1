// Work that is cut into tasks: what somebody presses is heard between them.

/** In a task of its own, before the next frame where the browser lets us say so; gives what calls it off. */
export function soon(work: () => void): () => void {
  if (typeof scheduler === 'undefined') {
    const timer = setTimeout(work);
    return () => clearTimeout(timer);
  }
  const off = new AbortController();
  scheduler.postTask(work, { priority: 'user-blocking', signal: off.signal }).catch((error: unknown) => {
    if (!off.signal.aborted) reportError(error);
  });
  return () => off.abort();
}

/** After the next frame, when the browser has nothing else to do; gives what calls it off. */
export function whenIdle(work: () => void): () => void {
  let waits = 0;
  const idle = 'requestIdleCallback' in window;
  const frame = requestAnimationFrame(() => {
    waits = idle ? requestIdleCallback(work, { timeout: 250 }) : window.setTimeout(work, 50);
  });
  return () => {
    cancelAnimationFrame(frame);
    if (idle) cancelIdleCallback(waits);
    else clearTimeout(waits);
  };
}

// Splits work into tasks, so that input is handled in between.

/** Runs work in a separate task, before the next frame if the browser supports that. Returns a function that cancels it. */
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

/** Runs work after the next frame, when the browser is idle. Returns a function that cancels it. */
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

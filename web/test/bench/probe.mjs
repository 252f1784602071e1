// Instruments a page: when an element appeared, how long tasks were, what the browser fetched.

/**
 * A new visitor whose page is measured. `ready`: selector of the element to wait for; the time after the frame that
 * shows it is recorded, and `there` resolves with the measurements.
 */
export async function measured(browser, { cookies = [], ready = null, text = null, viewport = { width: 1440, height: 900 }, ...options } = {}) {
  const context = await browser.newContext({ viewport, ...options });
  if (cookies.length) await context.addCookies(cookies);
  await context.addInitScript(plant, { ready, text });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  // The page reports when the element is there: polling it would add work during the measurement.
  const there = new Promise((resolve) => {
    cdp.once('Runtime.bindingCalled', ({ payload }) => resolve(JSON.parse(payload)));
  });
  await cdp.send('Runtime.enable');
  await cdp.send('Runtime.addBinding', { name: '__there' });
  const metrics = async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  const collect = async () => {
    for (let i = 0; i < 3; i += 1) await cdp.send('HeapProfiler.collectGarbage');
    return metrics();
  };
  return { context, page, cdp, there, metrics, collect, close: () => context.close() };
}

/** Runs in the page before its scripts. A text box is ready when it is visible and accepts input. */
function plant({ ready, text }) {
  const seen = { long: [], ready: null, painted: null };
  Object.defineProperty(window, '__seen', { value: seen });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.long.push(Math.round(entry.duration));
  }).observe({ type: 'longtask', buffered: true });
  const BOX =
    'textarea, [contenteditable=""], [contenteditable="true"], [contenteditable="plaintext-only"], [role="textbox"], input[type="text"], input:not([type])';
  const usable = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 40 && box.height > 8 && !element.disabled && !element.readOnly && getComputedStyle(element).visibility !== 'hidden';
  };
  const shown = () => {
    const element = [...document.querySelectorAll(ready)].at(-1);
    return element && (!text || element.textContent.includes(text));
  };
  const report = () => window.__there?.(JSON.stringify(seen));
  const look = () => {
    if (seen.ready === null && [...document.querySelectorAll(BOX)].some(usable)) seen.ready = performance.now();
    if (ready ? !shown() : seen.ready === null) {
      requestAnimationFrame(look);
      return;
    }
    if (!ready) {
      report();
      return;
    }
    // A message is delivered after the current frame was laid out and painted.
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      seen.painted = performance.now();
      report();
    };
    channel.port2.postMessage(null);
  };
  requestAnimationFrame(look);
}

/** Every request of the page and the number of bytes transferred. */
export async function watchNetwork(cdp, home) {
  const all = new Map();
  let touched = Date.now();
  await cdp.send('Network.enable');
  const touch = () => {
    touched = Date.now();
  };
  cdp.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    touch();
    if (!/^(data|blob):/.test(request.url)) all.set(requestId, { url: request.url, type, wire: 0 });
  });
  cdp.on('Network.responseReceived', ({ requestId, type, response }) => {
    touch();
    const one = all.get(requestId);
    if (one)
      Object.assign(one, { type, status: response.status, encoding: response.headers['content-encoding'] ?? response.headers['Content-Encoding'] ?? null });
  });
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    touch();
    const one = all.get(requestId);
    if (one) one.wire = encodedDataLength;
  });
  return {
    /** All of it, once nothing arrived for `ms`. */
    async quiet(ms = 1500) {
      while (Date.now() - touched < ms)
        await new Promise((done) => {
          setTimeout(done, 50);
        });
      const list = [...all.values()];
      return { list, bytes: list.reduce((sum, one) => sum + one.wire, 0), third: list.filter((one) => new URL(one.url).host !== home) };
    },
  };
}

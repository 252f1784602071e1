// Runs before anything else, while the page is still loading. Applies the chosen colour scheme before the first paint
// and opens the connection, so that the bridge answers while the page loads.
(function () {
  // A device that is being paired has no cookie yet: the connection would be refused.
  var stranger = location.hash.indexOf('#pair=') === 0;
  try {
    if (!stranger) begin();
  } catch (_) {
    // The page opens the connection later.
  }
  // After opening the connection: reading local storage may wait for another process.
  try {
    var theme = localStorage.getItem('sluice.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch (_) {
    // Storage is not available; the system's colour scheme is used.
  }

  function begin() {
    var place = /^#\/s\/([^/?]+)/.exec(location.hash);
    var first = { heard: [], session: place ? decodeURIComponent(place[1]) : null, id: 'first-' + Date.now() + '-' + Math.random().toString(36).slice(2) };
    var socket = new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/ws');
    first.socket = socket;
    // A session that is cached on this device is not subscribed here: the page requests only what is missing.
    if (first.session && kept().indexOf(first.session) >= 0) first.session = null;
    socket.addEventListener('open', function () {
      socket.send(JSON.stringify({ type: 'hello', version: 2, client: 'sluice-web', build: null, capabilities: [], revisions: {} }));
      if (first.session) socket.send(JSON.stringify({ type: 'subscribe', id: first.id, sessionId: first.session, revision: null, turns: 12 }));
    });
    socket.onmessage = function (event) { first.heard.push(event.data); };
    Object.defineProperty(window, 'sluiceFirst', { value: first });
  }

  function kept() {
    try {
      return JSON.parse(localStorage.getItem('sluice.kept') || '[]');
    } catch (_) {
      return [];
    }
  }
})();

// Runs before anything else, while the page itself is still on its way. A chosen theme is the colour scheme of the
// root before the first paint, none follows the system. And the line is begun: the bridge answers meanwhile.
(function () {
  var kept = [];
  try {
    var theme = localStorage.getItem('sluice.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
    kept = JSON.parse(localStorage.getItem('sluice.kept') || '[]');
  } catch (_) {
    // Storage may be refused; the system's theme is right then.
  }
  // Who brings a code is not known yet: a line would be refused.
  if (location.hash.indexOf('#pair=') === 0) return;
  try {
    var place = /^#\/s\/([^/?]+)/.exec(location.hash);
    var session = place ? decodeURIComponent(place[1]) : null;
    // Of a session that was kept on the device only what is new is asked for, once it is known what that is.
    if (session && kept.indexOf(session) >= 0) session = null;
    var first = { heard: [], session: session, id: 'first-' + Date.now() + '-' + Math.random().toString(36).slice(2) };
    var socket = new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/ws');
    first.socket = socket;
    socket.addEventListener('open', function () {
      socket.send(JSON.stringify({ type: 'hello', version: 1, client: 'sluice-web', build: null, capabilities: [], cursors: {} }));
      if (session) socket.send(JSON.stringify({ type: 'subscribe', id: first.id, sessionId: session, cursor: null, turns: 12 }));
    });
    socket.onmessage = function (event) { first.heard.push(event.data); };
    Object.defineProperty(window, 'sluiceFirst', { value: first });
  } catch (_) {
    // The page begins its line itself then.
  }
})();

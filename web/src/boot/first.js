// Runs before anything else, while the page itself is still on its way. A chosen theme is the colour scheme of the
// root before the first paint, none follows the system. And the line is begun: the bridge answers meanwhile.
(function () {
  // Who brings a code is not known yet: a line would be refused.
  var stranger = location.hash.indexOf('#pair=') === 0;
  try {
    if (!stranger) begin();
  } catch (_) {
    // The page begins its line itself then.
  }
  // After it: what a browser kept is read in another process, and the line is opened meanwhile.
  try {
    var theme = localStorage.getItem('sluice.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch (_) {
    // Storage may be refused; the system's theme is right then.
  }

  function begin() {
    var place = /^#\/s\/([^/?]+)/.exec(location.hash);
    var first = { heard: [], session: place ? decodeURIComponent(place[1]) : null, id: 'first-' + Date.now() + '-' + Math.random().toString(36).slice(2) };
    var socket = new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/ws');
    first.socket = socket;
    // Of a session that was kept on the device only what is new is asked for, once it is known what that is.
    if (first.session && kept().indexOf(first.session) >= 0) first.session = null;
    socket.addEventListener('open', function () {
      socket.send(JSON.stringify({ type: 'hello', version: 1, client: 'sluice-web', build: null, capabilities: [], cursors: {} }));
      if (first.session) socket.send(JSON.stringify({ type: 'subscribe', id: first.id, sessionId: first.session, cursor: null, turns: 12 }));
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

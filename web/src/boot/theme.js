// Runs before the first paint: a chosen theme is the colour scheme of the root, none follows the system.
(function () {
  try {
    var theme = localStorage.getItem('sluice.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch (_) {
    // Storage may be refused; the system's theme is right then.
  }
})();

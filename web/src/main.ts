import { createComponent, render } from 'solid-js/web';
import './styles';
import { App } from './app';
import { registerWorker } from './boot/worker';
import { takePairingCode } from './route/route';
import { connect } from './screens/link';
import { firstLocale } from './screens/prefs';
import { soon } from './ui/task';

// The code leaves the address before anything else happens.
const code = takePairingCode();
const root = document.getElementById('app');

void firstLocale().then(() => {
  // Who brings a code is not known yet: a line would be refused.
  connect(code === null);
  // Reading the page and showing it are two tasks.
  if (root) soon(() => { render(() => createComponent(App, { code }), root); });
});

// The shell is kept for a fast start, where the browser allows it.
try {
  registerWorker();
} catch {
  // A policy that has no room for it: the page starts from the network then.
}

import { createComponent, render } from 'solid-js/web';
import './styles';
import { App } from './app';
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
  if (root)
    soon(() => {
      render(() => createComponent(App, { code }), root);
    });
});

import { createComponent, render } from 'solid-js/web';
import './styles';
import { App } from './app';
import { takePairingCode } from './route/route';
import { connect } from './screens/link';
import { firstLocale } from './screens/prefs';
import { soon } from './ui/task';

// Removes the pairing code from the address before anything else.
const code = takePairingCode();
const root = document.getElementById('app');

void firstLocale().then(() => {
  // A device that is being paired has no cookie yet: the connection would be refused.
  connect(code === null);
  // Renders in a separate task, after the scripts were evaluated.
  if (root)
    soon(() => {
      render(() => createComponent(App, { code }), root);
    });
});

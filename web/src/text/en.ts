import ui from './en/ui';
import transcript from './en/transcript';
import asks from './en/asks';
import composer from './en/composer';
import sessions from './en/sessions';
import panels from './en/panels';
import settings from './en/settings';
import errors from './en/errors';
import onboarding from './en/onboarding';
import keys from './en/keys';

export const en = { ui, transcript, asks, composer, sessions, panels, settings, errors, onboarding, keys };

import ui from './de/ui';
import transcript from './de/transcript';
import asks from './de/asks';
import composer from './de/composer';
import sessions from './de/sessions';
import panels from './de/panels';
import settings from './de/settings';
import errors from './de/errors';
import onboarding from './de/onboarding';
import keys from './de/keys';
import forms from './de/forms';
import pairing from './de/pairing';
import places from './de/places';

export const de = { ui, transcript, asks, composer, sessions, panels, settings, errors, onboarding, keys, forms, pairing, places };

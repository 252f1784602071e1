// Every area there is: what English has to say, for the types and for the test that no language lacks any of it.
import { en } from './en';
import forms from './en/forms';
import keys from './en/keys';
import onboarding from './en/onboarding';
import pairing from './en/pairing';
import panels from './en/panels';
import places from './en/places';
import settings from './en/settings';

export const all = { ...en, forms, keys, onboarding, pairing, panels, places, settings };

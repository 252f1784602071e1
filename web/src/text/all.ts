// All texts in English: the source of their types, and of the test that every language is complete.
import { en } from './en';
import forms from './en/forms';
import keys from './en/keys';
import onboarding from './en/onboarding';
import pairing from './en/pairing';
import panels from './en/panels';
import places from './en/places';
import settings from './en/settings';

export const all = { ...en, forms, keys, onboarding, pairing, panels, places, settings };

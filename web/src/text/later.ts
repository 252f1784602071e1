// Words that no first view shows: settings, panels, keys, the other places, the first steps. The parts that show them
// import this; a test sees to it that nothing the first load holds needs them.
import keys from './en/keys';
import onboarding from './en/onboarding';
import panels from './en/panels';
import places from './en/places';
import settings from './en/settings';
import { addEnglish } from './index';

addEnglish({ settings, panels, keys, places, onboarding });

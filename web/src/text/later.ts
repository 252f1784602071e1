// Words that no first view shows: panels, the other views of a session, the first steps. The parts that show them import
// this; a test sees to it that nothing the first load holds needs them.
import onboarding from './en/onboarding';
import panels from './en/panels';
import places from './en/places';
import { addEnglish } from './index';

addEnglish({ panels, places, onboarding });

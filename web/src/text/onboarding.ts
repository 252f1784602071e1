// Texts of the first visit.
import onboarding from './en/onboarding';
import { addEnglish } from './index';

addEnglish({ onboarding });

// Texts of the pairing screen.
import pairing from './en/pairing';
import { addEnglish } from './index';

addEnglish({ pairing });

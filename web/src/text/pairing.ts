// The words of the screen a browser sees once.
import pairing from './en/pairing';
import { addEnglish } from './index';

addEnglish({ pairing });

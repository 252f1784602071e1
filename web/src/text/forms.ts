// The words of the forms that come with the first ask of such a kind, and of the gate when something is wrong.
import forms from './en/forms';
import { addEnglish } from './index';

addEnglish({ forms });

// Texts of the request forms that are loaded on demand, and of the gate in case of trouble.
import forms from './en/forms';
import { addEnglish } from './index';

addEnglish({ forms });

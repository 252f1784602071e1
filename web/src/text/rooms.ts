// Texts of the settings, keys, help and usage screens.
import keys from './en/keys';
import settings from './en/settings';
import { addEnglish } from './index';

addEnglish({ settings, keys });

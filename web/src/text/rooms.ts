// The words of settings, keys, help and usage: places one goes to, not beside a conversation.
import keys from './en/keys';
import settings from './en/settings';
import { addEnglish } from './index';

addEnglish({ settings, keys });

import ui from './en/ui';
import transcript from './en/transcript';
import asks from './en/asks';
import composer from './en/composer';
import sessions from './en/sessions';
import errors from './en/errors';

/** What the first load holds; other parts bring their own. */
export const en = { ui, transcript, asks, composer, sessions, errors };

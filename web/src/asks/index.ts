export { Asks, askTarget, type AsksHandle, type AsksProps } from './Asks';
export { allowNotices, useNotices, type NoticeOptions } from './notice';
export { Revealed } from './Revealed';
export { reveal } from './reveal';
export { ruleText, scopeWords, suggestionsOf, type Suggestion } from './suggestions';

// Labels of the permission modes.
import { t } from '../text';

export type Mode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions';
export const MODES: readonly Mode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];

export function modeWord(mode: string): string {
  switch (mode) {
    case 'default':
      return t('sessions.modeDefault');
    case 'acceptEdits':
      return t('sessions.modeAcceptEdits');
    case 'plan':
      return t('sessions.modePlan');
    case 'dontAsk':
      return t('sessions.modeDontAsk');
    case 'bypassPermissions':
      return t('sessions.modeBypassPermissions');
    default:
      return mode;
  }
}

export function modeMeaning(mode: Mode): string {
  switch (mode) {
    case 'default':
      return t('sessions.modeDefaultWords');
    case 'acceptEdits':
      return t('sessions.modeAcceptEditsWords');
    case 'plan':
      return t('sessions.modePlanWords');
    case 'dontAsk':
      return t('sessions.modeDontAskWords');
    case 'bypassPermissions':
      return t('sessions.modeBypassPermissionsWords');
  }
}

/** Effort levels, as agents name them. */
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];
const isEffort = (value: string): value is Effort => (EFFORTS as readonly string[]).includes(value);
export const effortWord = (value: string): string => (isEffort(value) ? t(`composer.${value}`) : value);

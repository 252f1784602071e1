// Model, permission mode and effort of a session.
import type { Accessor } from 'solid-js';
import type { Facts, SessionState } from '../api/types';
import type { Client } from '../protocol';
import { nameOf } from '../screens/models';
import type { Effort, Mode } from '../screens/modes';
import { t } from '../text';

export interface SettingOptions {
  id: () => string;
  state: () => SessionState | null | undefined;
  facts: () => Facts | null | undefined;
  send: (command: Parameters<Client['commands']['send']>[0]) => void;
  /** This device may choose to bypass permissions here. */
  mayBypass: () => boolean;
  /** Asks for a confirmation before permissions are bypassed. */
  askBypass: () => void;
}

/** What is set in a session, and how it is changed. */
export interface Settings {
  readonly model: Accessor<string | null>;
  readonly modelName: Accessor<string>;
  readonly models: Accessor<Facts['models']>;
  readonly mode: Accessor<Mode>;
  readonly effort: Accessor<string | null>;
  readonly mayBypass: Accessor<boolean>;
  readonly setModel: (model: string | null) => void;
  readonly setMode: (mode: Mode) => void;
  readonly setEffort: (effort: Effort) => void;
}

export function createSettings({ id, state, facts, send, mayBypass, askBypass }: SettingOptions): Settings {
  const models = () => facts()?.models ?? [];
  return {
    model: () => state()?.model ?? null,
    modelName: () => {
      const model = state()?.model;
      return model ? nameOf(model, models()) : t('composer.modelDefault');
    },
    models,
    mode: () => (state()?.permissionMode ?? 'default') as Mode,
    effort: () => state()?.effort ?? null,
    mayBypass,
    setModel: (model) => send({ type: 'set_model', sessionId: id(), model }),
    setMode: (mode) => {
      if (mode === 'bypassPermissions') askBypass();
      else send({ type: 'set_permission_mode', sessionId: id(), mode });
    },
    setEffort: (effort) => send({ type: 'set_effort', sessionId: id(), effort }),
  };
}

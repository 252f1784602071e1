// Settings the user chooses for this session: model, mode, effort, thinking, output style. The first three are also in
// the message box; here each shows where it is stored.
import '../text/later';
import { createSignal, Show, type JSX } from 'solid-js';
import type { Facts, JsonValue, SessionState } from '../api/types';
import { createSettings } from '../composer/settings';
import { SettingFields } from './SettingFields';
import { Field, Select, toast } from '../ui';
import { t } from '../text';
import { tokens } from '../text/format';
import { act } from '../screens/act';
import { may, request } from '../screens/link';

/** Thinking budgets in tokens, as used by the agents. */
const BUDGETS = [0, 4_000, 10_000, 31_999] as const;
/** Built-in output styles; others are named in the settings. */
const STYLES = ['default', 'Explanatory', 'Learning'] as const;

export type Where = 'userSettings' | 'localSettings';

/**
 * Writes settings to a file. Shows `words` once they are saved, with the reason if they do not apply yet, or why saving
 * failed.
 */
export async function saveSetting(id: string, source: Where, settings: { [name: string]: JsonValue }, words: string): Promise<boolean> {
  const answer = await act(async () => (await request({ type: 'set_setting', sessionId: id, source, settings })) ?? {});
  if (!answer) return false;
  toast(answer.warning ? t('panels.changedBut', { saved: words, why: answer.warning }) : words);
  return true;
}

/** `saved`: the settings in effect, by name. */
export function Chosen(props: {
  id: string;
  state: SessionState | undefined;
  facts: Facts | undefined;
  saved: { [name: string]: JsonValue } | undefined;
  onSaved: () => void;
}): JSX.Element {
  const send = (command: Parameters<typeof request>[0]) => void act(() => request(command));
  const settings = createSettings({
    id: () => props.id,
    state: () => props.state,
    facts: () => props.facts,
    send,
    // Chosen in the message box, where it is confirmed.
    mayBypass: () => false,
    askBypass: () => undefined,
  });
  // The value in the file. The agent may apply it only after a restart, or once the folder is trusted.
  const [kept, setKept] = createSignal<string | null>(null);
  const style = () => {
    const saved = kept() ?? props.saved?.['outputStyle'];
    return typeof saved === 'string' ? saved : (props.facts?.style ?? 'default');
  };
  const thinking = () => {
    const now = props.state?.thinking;
    return now === null || now === undefined ? 'free' : String(now);
  };
  const off = () => !may('operate');
  const keepStyle = async (next: string) => {
    if (await saveSetting(props.id, 'localSettings', { outputStyle: next }, t('panels.styleKept'))) {
      setKept(next);
      props.onSaved();
    }
  };
  const options = (values: readonly string[], now: string) => [...new Set([...values, now])].map((value) => ({ value, label: value }));
  return (
    <div class="chosen">
      <SettingFields settings={settings} disabled={off()} />
      <Field label={t('panels.thinking')}>
        {(attributes) => (
          <Select
            {...attributes}
            disabled={off()}
            value={thinking()}
            onChange={(value) => send({ type: 'set_thinking', sessionId: props.id, tokens: value === 'free' ? null : Number(value) })}
            options={[
              { value: 'free', label: t('sessions.modelDefault') },
              ...[...new Set([...BUDGETS.map(String), ...(thinking() === 'free' ? [] : [thinking()])])].map((value) => ({
                value,
                label: value === '0' ? t('panels.thinkingOff') : t('panels.thinkingUpTo', { n: tokens(Number(value)) }),
              })),
            ]}
          />
        )}
      </Field>
      <Field label={t('panels.style')} hint={t('panels.styleWords')}>
        {(attributes) => (
          <Show when={may('admin')} fallback={<p>{style()}</p>}>
            <Select {...attributes} value={style()} onChange={(value) => void keepStyle(value)} options={options(STYLES, style())} />
          </Show>
        )}
      </Field>
    </div>
  );
}

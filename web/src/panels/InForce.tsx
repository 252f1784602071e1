import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { Facts, JsonValue, SessionState } from '../api/types';
import { Button, Dialog, Field, IconButton, Select, TextArea } from '../ui';
import { t } from '../text';
import { createAsked } from '../screens/asked';
import { may, request } from '../screens/link';
import { Chosen, saveSetting, type Where } from './Chosen';
import { Asked, Pane } from './Pane';

const sourceWord = (source: string | undefined): string => {
  switch (source) {
    case undefined:
      return t('panels.fromDefault');
    case 'userSettings':
      return t('panels.srcUser');
    case 'projectSettings':
      return t('panels.srcProject');
    case 'localSettings':
      return t('panels.srcLocal');
    case 'flagSettings':
    case 'cliArg':
      return t('panels.srcFlag');
    case 'policySettings':
      return t('panels.srcPolicy');
    case 'session':
      return t('panels.srcSession');
    default:
      return source;
  }
};

/** The settings in effect in this session and the file each comes from. Later sources take precedence. */
export function InForce(props: { id: string; state: SessionState | undefined; facts: Facts | undefined }): JSX.Element {
  const key = () => (props.state?.process.state === 'up' ? props.id : null);
  const [asked, { refetch }] = createAsked(key, (id) => request({ type: 'settings', sessionId: id }));
  const rows = createMemo(() => {
    if (asked.error) return [];
    const answer = asked.latest;
    return Object.entries(answer?.effective ?? {}).map(([name, value]) => {
      const from = (answer?.sources ?? []).findLast((one) => one.settings && name in one.settings);
      return { name, value, from: from?.source ?? from?.name, path: from?.path };
    });
  });
  const [editing, setEditing] = createSignal<{ name: string; value: JsonValue } | null>(null);
  return (
    <Pane name="inforce" title={t('panels.inForce')} figure={rows().length || undefined}>
      <Show when={key()} fallback={<p class="dim">{t('panels.needsAgent')}</p>}>
        <Chosen
          id={props.id}
          state={props.state}
          facts={props.facts}
          saved={asked.error ? undefined : asked.latest?.effective}
          onSaved={() => void refetch()}
        />
        <Asked of={asked} again={() => void refetch()}>
          <Show when={rows().length} fallback={<p class="dim">{t('panels.inForceNone')}</p>}>
            <table class="inforce">
              <thead class="vh">
                <tr>
                  <th scope="col">{t('panels.setting')}</th>
                  <th scope="col">{t('panels.value')}</th>
                  <th scope="col">
                    <span class="vh">{t('panels.changeTitle')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                <For each={rows()}>
                  {(row) => (
                    <tr>
                      <th scope="row">
                        {row.name}
                        <div class="src" title={row.path}>
                          {sourceWord(row.from)}
                        </div>
                      </th>
                      <td>
                        <code>{JSON.stringify(row.value)}</code>
                      </td>
                      <td class="right">
                        <Show when={may('admin')}>
                          <IconButton small icon="edit" label={t('panels.change', { name: row.name })} onClick={() => setEditing(row)} />
                        </Show>
                      </td>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
          </Show>
        </Asked>
      </Show>
      <Show when={editing()}>
        {(one) => (
          <Edit
            id={props.id}
            name={one().name}
            value={one().value}
            onClose={(saved) => {
              setEditing(null);
              if (saved) void refetch();
            }}
          />
        )}
      </Show>
    </Pane>
  );
}

function Edit(props: { id: string; name: string; value: JsonValue; onClose: (saved: boolean) => void }): JSX.Element {
  const [text, setText] = createSignal(JSON.stringify(props.value, null, 2));
  const [where, setWhere] = createSignal<Where>('localSettings');
  const read = (): { value: JsonValue } | null => {
    if (!text().trim()) return { value: null };
    try {
      return { value: JSON.parse(text()) as JsonValue };
    } catch {
      return null;
    }
  };
  const save = async () => {
    const parsed = read();
    if (!parsed) return;
    if (await saveSetting(props.id, where(), { [props.name]: parsed.value }, t('panels.changed'))) props.onClose(true);
  };
  return (
    <Dialog
      open
      title={t('panels.change', { name: props.name })}
      onClose={() => props.onClose(false)}
      footer={
        <>
          <Button look="primary" disabled={!read()} onClick={() => void save()}>
            {t('panels.save')}
          </Button>
          <Button look="bare" onClick={() => props.onClose(false)}>
            {t('ui.cancel')}
          </Button>
        </>
      }
    >
      <Field label={props.name} hint={t('panels.changeHint')} error={read() ? undefined : t('panels.changeBad')}>
        {(attributes) => <TextArea {...attributes} mono rows={4} spellcheck={false} value={text()} onInput={(event) => setText(event.currentTarget.value)} />}
      </Field>
      <Field label={t('panels.changeWhere')}>
        {(attributes) => (
          <Select
            {...attributes}
            value={where()}
            onChange={setWhere}
            options={[
              { value: 'localSettings', label: t('panels.scopeLocal') },
              { value: 'userSettings', label: t('panels.scopeUser') },
            ]}
          />
        )}
      </Field>
    </Dialog>
  );
}

// All keyboard shortcuts. A shortcut is changed by pressing the new keys; conflicts are shown before it is saved.
import '../text/rooms';
import { createSignal, For, onCleanup, Show, type JSX } from 'solid-js';
import { Button, IconButton, toast } from '../ui';
import { t } from '../text';
import { actions, caps, clash, definition, isChanged, keysOf, places, press, rebind, reset, type Action } from '../keys/keymap';
import { pauseKeys } from '../keys/listen';
import { Page } from './Page';
import { actionWord, placeWord } from './words';
import './more.css';

export default function Keys(): JSX.Element {
  const [recording, setRecording] = createSignal<Action | null>(null);
  return (
    <Page
      title={t('keys.title')}
      head={
        <>
          <span class="push" />
          <Button
            small
            icon="undo"
            disabled={!isChanged()}
            onClick={() => {
              reset();
              toast(t('keys.wasReset'));
            }}
          >
            {t('keys.defaults')}
          </Button>
        </>
      }
    >
      <div class="cols keymap">
        <For each={places}>
          {(place) => (
            <section>
              <h2 id={`keys-${place}`}>{placeWord(place)}</h2>
              <table class="kt" aria-labelledby={`keys-${place}`}>
                <thead class="vh">
                  <tr>
                    <th scope="col">{t('keys.action')}</th>
                    <th scope="col">{t('keys.keys')}</th>
                    <th scope="col">
                      <span class="vh">{t('keys.press')}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  <For each={actions.filter((one) => one.place === place)}>
                    {(one) => (
                      <Show
                        when={recording() === one.id}
                        fallback={
                          <tr>
                            <th scope="row">{actionWord(one.id)}</th>
                            <td>
                              <For each={caps(keysOf(one.id))}>{(cap) => <kbd>{cap}</kbd>}</For>
                            </td>
                            <td>
                              <Show when={!definition(one.id).fixed} fallback={<span class="vh">{t('keys.fixed')}</span>}>
                                <Show when={isChanged(one.id)}>
                                  <IconButton small icon="undo" label={t('keys.resetOne', { action: actionWord(one.id) })} onClick={() => reset(one.id)} />
                                </Show>
                                <IconButton small icon="edit" label={t('keys.change', { action: actionWord(one.id) })} onClick={() => setRecording(one.id)} />
                              </Show>
                            </td>
                          </tr>
                        }
                      >
                        <Recorder id={one.id} onDone={() => setRecording(null)} />
                      </Show>
                    )}
                  </For>
                </tbody>
              </table>
            </section>
          )}
        </For>
      </div>
    </Page>
  );
}

/** Records one press, or two in a row. Pressing conflicting keys again saves them anyway. */
function Recorder(props: { id: Action; onDone: () => void }): JSX.Element {
  const [keys, setKeys] = createSignal<readonly string[]>([]);
  const [other, setOther] = createSignal<Action | null>(null);
  const resume = pauseKeys();
  let timer = 0;
  let warned = '';
  const take = (next: readonly string[]) => {
    clearTimeout(timer);
    const against = clash(props.id, next);
    if (against && warned !== next.join(' ')) {
      warned = next.join(' ');
      setOther(against);
      return;
    }
    rebind(props.id, next);
    props.onDone();
  };
  const down = (event: KeyboardEvent) => {
    if (event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') return props.onDone();
    const key = press(event);
    if (!key || event.repeat) return;
    if (warned === key) return take([key]);
    const next = keys().length === 1 && !warned ? [...keys(), key] : [key];
    setKeys(next);
    setOther(null);
    clearTimeout(timer);
    // A letter may be the first of two presses; a key with a modifier is complete.
    if (next.length === 2 || key.includes('+') || key.length > 1) take(next);
    else timer = window.setTimeout(() => take(next), 900);
  };
  document.addEventListener('keydown', down, true);
  onCleanup(() => {
    document.removeEventListener('keydown', down, true);
    clearTimeout(timer);
    resume();
  });
  return (
    <tr class="rec">
      <th scope="row">
        {actionWord(props.id)}
        <Show when={other()}>
          {(one) => (
            <p class="t-bad" role="alert">
              {t('keys.clash', { keys: caps(keys()).join(' '), other: actionWord(one()) })}
            </p>
          )}
        </Show>
      </th>
      <td>
        <span class="rec-words" role="status">
          {keys().length && !other() ? t('keys.pressMore', { keys: caps(keys()).join(' ') }) : t('keys.press')}
        </span>
      </td>
      <td>
        <Button small onClick={() => props.onDone()}>
          {t('ui.cancel')}
        </Button>
      </td>
    </tr>
  );
}

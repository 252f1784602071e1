// `?`: the keyboard shortcuts in a dialog.
import '../text/rooms';
import { For, type JSX } from 'solid-js';
import { Button, Dialog } from '../ui';
import { t } from '../text';
import { actions, caps, keysOf, places } from '../keys/keymap';
import { go } from '../route/route';
import { actionWord, placeWord } from './words';
import './more.css';

export default function KeySheet(props: { onClose: () => void }): JSX.Element {
  return (
    <Dialog
      open
      wide
      title={t('keys.sheet')}
      onClose={props.onClose}
      footer={
        <Button
          onClick={() => {
            props.onClose();
            go('#/keys');
          }}
        >
          {t('keys.all')}
        </Button>
      }
    >
      <div class="keymap" tabIndex={0} role="group" aria-label={t('keys.sheet')}>
        <For each={places}>
          {(place) => (
            <section>
              <h2 id={`sheet-${place}`}>{placeWord(place)}</h2>
              <table class="kt" aria-labelledby={`sheet-${place}`}>
                <tbody>
                  <For each={actions.filter((one) => one.place === place)}>
                    {(one) => (
                      <tr>
                        <th scope="row">{actionWord(one.id)}</th>
                        <td>
                          <For each={caps(keysOf(one.id))}>{(cap) => <kbd>{cap}</kbd>}</For>
                        </td>
                      </tr>
                    )}
                  </For>
                </tbody>
              </table>
            </section>
          )}
        </For>
      </div>
    </Dialog>
  );
}

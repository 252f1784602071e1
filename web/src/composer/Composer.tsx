// The message box: text, completion, attachments, and one submit button whose label says what it will do.
import { createUniqueId, Show, type JSX } from 'solid-js';
import { isPhone } from '../gate/typing';
import { t } from '../text';
import { Button, IconButton, type IconName, Problem } from '../ui';
import { beginToken, createBox, createHandle, onBoxKey, type Box, type ComposerProps } from './box';
import { Figures } from './Figures';
import { Listbox } from './Listbox';
import { Pictures } from './Pictures';
import { Selectors } from './Selectors';
import './composer.css';

export type { ComposerHandle, ComposerProps } from './box';

const LABELS = { send: 'composer.send', queue: 'composer.queue', start: 'composer.start', keep: 'composer.keep' } as const;
const PLACEHOLDERS = {
  send: 'composer.placeholder',
  queue: 'composer.placeholderQueue',
  start: 'composer.placeholderStart',
  keep: 'composer.placeholderKeep',
} as const;
const ICONS: { [action: string]: IconName } = { send: 'send', queue: 'queue', start: 'send', keep: 'clock' };

export function Composer(props: ComposerProps): JSX.Element {
  const box = createBox(props);
  const { completion, attachments, draft } = box;
  const listId = createUniqueId();
  let picker!: HTMLInputElement;
  let modelButton: HTMLElement | undefined;
  props.handle?.(createHandle(props, box, () => modelButton?.click()));
  return (
    <div class="compwrap">
      <Show when={completion.open()}>
        <Listbox
          id={listId}
          label={completion.token()?.kind === 'file' ? t('composer.files') : t('composer.commands')}
          items={completion.items()}
          active={completion.active()}
          empty={completion.token()?.kind === 'file' ? t('composer.filesNone') : null}
          onPick={completion.pick}
          onActive={completion.setActive}
        />
      </Show>
      <form
        class="comp"
        classList={{ one: props.compact === true, over: attachments.over() }}
        id="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void box.send();
        }}
      >
        <Show when={draft.pictures().length > 0}>
          <Pictures pictures={draft.pictures()} onRemove={attachments.remove} />
        </Show>
        <Field {...props} box={box} listId={listId} />
        <Show when={box.hint()}>
          {(words) => (
            <p class="argument" aria-live="polite">
              <span class="mono">{words()}</span>
            </p>
          )}
        </Show>
        <Bar
          {...props}
          box={box}
          onAttach={() => picker.click()}
          modelRef={(button) => {
            modelButton = button;
          }}
        />
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-hidden="true"
          tabIndex={-1}
          onChange={(event) => {
            void attachments.add([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
            box.field().focus();
          }}
        />
      </form>
      <Notes box={box} />
    </div>
  );
}

function Field(props: ComposerProps & { box: Box; listId: string }): JSX.Element {
  const { box } = props;
  const { completion } = box;
  return (
    <textarea
      ref={box.mount}
      id="message"
      rows="1"
      aria-label={t('composer.message')}
      placeholder={t(PLACEHOLDERS[box.action()])}
      value={box.draft.text()}
      disabled={!box.allowed()}
      autocapitalize="sentences"
      enterkeyhint="enter"
      aria-autocomplete="list"
      aria-controls={completion.open() ? props.listId : undefined}
      aria-activedescendant={completion.open() && completion.items().length > 0 ? `${props.listId}-${completion.active()}` : undefined}
      onInput={(event) => {
        box.history.reset();
        box.setText(event.currentTarget.value);
        completion.update();
      }}
      onKeyDown={(event) => onBoxKey(event, props, box)}
      onKeyUp={completion.update}
      onPointerUp={completion.update}
      onBlur={completion.close}
      onPaste={(event) => {
        const files = [...(event.clipboardData?.files ?? [])];
        if (files.length > 0) {
          event.preventDefault();
          void box.attachments.add(files);
        }
      }}
    />
  );
}

/** The buttons below the text. */
function Bar(props: ComposerProps & { box: Box; onAttach: () => void; modelRef: (button: HTMLElement) => void }): JSX.Element {
  const { box } = props;
  const off = () => !box.allowed();
  return (
    <div class="bar">
      <Show when={!props.compact}>
        <IconButton small icon="clip" label={t('composer.attach')} disabled={off()} onClick={() => props.onAttach()} />
        <IconButton small class="not-phone" icon="slash" label={t('composer.commands')} disabled={off()} onClick={() => beginToken(box, '/')} />
        <IconButton small class="not-phone" icon="at" label={t('composer.files')} disabled={off()} onClick={() => beginToken(box, '@')} />
        <Show when={props.session}>
          {(session) => <Selectors client={props.client} session={session()} disabled={!box.connected() || off()} modelRef={props.modelRef} />}
        </Show>
        <Figures session={props.session} />
      </Show>
      <Button
        type="submit"
        class="sendbtn"
        look={props.compact || props.quiet ? undefined : 'primary'}
        icon={ICONS[box.action()]}
        hotkey={props.compact || isPhone() ? undefined : props.enterIsLine ? 'Ctrl Enter' : 'Enter'}
        disabled={box.empty() || off()}
      >
        {t(LABELS[box.action()])}
      </Button>
    </div>
  );
}

/** What is wrong with the message or the box. */
function Notes(props: { box: Box }): JSX.Element {
  const { box } = props;
  return (
    <>
      <Show when={box.unknown()}>
        {(name) => (
          <div class="compnote row" role="alert">
            <span class="grow">{t('composer.unknownCommand', { name: name() })}</span>
            <Button small onClick={() => void box.send(false, true)}>
              {t('composer.sendAnyway')}
            </Button>
          </div>
        )}
      </Show>
      <Problem class="compnote" why={box.attachments.note()} />
      <Show when={box.draft.full()}>
        <p class="compnote t-ask" role="status">
          {t('composer.notKept')}
        </p>
      </Show>
      <Show when={!box.allowed()}>
        <p class="compnote dim">{t('composer.viewOnly')}</p>
      </Show>
    </>
  );
}

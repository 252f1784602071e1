// The message box: text, completion, attachments, and one submit button whose label says what it will do.
import { createMemo, createSignal, createUniqueId, Show, type JSX } from 'solid-js';
import type { Image } from '../api/types';
import { enterStep, sendWord } from '../gate/rules';
import { isPhone } from '../gate/typing';
import type { Client, Line, SessionView } from '../protocol';
import { t } from '../text';
import { announce, Button, IconButton, type IconName } from '../ui';
import { createAttachments } from './attachments';
import { createCompletion } from './completion';
import { createDraft } from './draft';
import { Figures } from './Figures';
import { createHistory } from './history';
import { Listbox } from './Listbox';
import { Pictures } from './Pictures';
import { Selectors } from './Selectors';
import { hintFor, unknownCommand } from './token';
import './composer.css';

export interface ComposerHandle {
  focus: () => void;
  hasFocus: () => boolean;
  text: () => string;
  /** Clears the box; ↑ restores the text. */
  clear: () => void;
  /** Appends text on a separate line. */
  add: (text: string) => void;
  /** Clears the box and returns its text. */
  take: () => string;
  chooseModel: () => void;
}

export interface ComposerProps {
  client: Client;
  /** Undefined if the session has not been started yet. */
  session?: SessionView | undefined;
  line: Line;
  /** Key under which the draft is stored; the session's id by default. */
  draftKey?: string | undefined;
  /** The folder whose files are completed, if the session has not been started yet. */
  folder?: string | undefined;
  /** A turn is running or a request is pending: messages are queued. */
  busy: boolean;
  /** A turn is running that can be steered. */
  running: boolean;
  /** The agent is not running: it is resumed before the message is sent. */
  resumeFirst?: boolean | undefined;
  /** Shows one row only, while a request is open. */
  compact?: boolean | undefined;
  /** Another element shows the primary button. */
  quiet?: boolean | undefined;
  /** Enter inserts a line break; Ctrl Enter sends. */
  enterIsLine?: boolean | undefined;
  handle?: ((handle: ComposerHandle) => void) | undefined;
  /** Starts the session with the first message. If it returns false, the text stays in the box. */
  onStart?: ((message: { text: string; images: Image[] }) => Promise<boolean>) | undefined;
  /** Called when a message was sent: the transcript scrolls to its end. */
  onSent?: (() => void) | undefined;
}

const LABELS = { send: 'composer.send', queue: 'composer.queue', start: 'composer.start', keep: 'composer.keep' } as const;
const PLACEHOLDERS = {
  send: 'composer.placeholder',
  queue: 'composer.placeholderQueue',
  start: 'composer.placeholderStart',
  keep: 'composer.placeholderKeep',
} as const;
const ICONS: { [action: string]: IconName } = { send: 'send', queue: 'queue', start: 'send', keep: 'clock' };

export function Composer(props: ComposerProps): JSX.Element {
  const key = () => props.draftKey ?? props.session?.store.id ?? 'new';
  const draft = createDraft(props.client, key);
  const { text, pictures, save } = draft;
  const [unknown, setUnknown] = createSignal<string | null>(null);
  const listId = createUniqueId();
  let box!: HTMLTextAreaElement;
  let picker!: HTMLInputElement;
  let modelButton: HTMLElement | undefined;

  const setText = (next: string) => {
    draft.setText(next);
    setUnknown(null);
  };
  const connected = () => props.line.phase === 'up' || props.line.phase === 'connecting';
  const allowed = () => props.client.welcome.value === null || props.client.may('operate');
  const action = createMemo(() => sendWord({ connected: connected(), started: props.session !== undefined, busy: props.busy }));
  const commands = () => props.session?.facts()?.commands ?? [];

  const replace = (next: string, caret = next.length) => {
    setText(next);
    box.value = next;
    box.focus();
    box.setSelectionRange(caret, caret);
    completion.update();
  };

  const completion = createCompletion({
    client: props.client,
    session: () => props.session,
    folder: () => props.folder,
    box: () => box,
    text,
    replace,
  });

  const history = createHistory({ client: props.client, session: () => props.session, key, text, replace });
  const attachments = createAttachments({ client: props.client, draft, box: () => box, allowed, replace });

  const empty = () => text().trim() === '' && pictures().length === 0;
  const send = async (steer = false, asText = false) => {
    if (empty() || !allowed()) return;
    const message = text();
    const name = asText ? null : unknownCommand(message.trim(), commands());
    if (name !== null) {
      setUnknown(name);
      return;
    }
    const images = pictures().flatMap((one): Image[] => (one.hash ? [{ hash: one.hash, mimeType: one.mimeType }] : []));
    const notUploaded = pictures()
      .filter((one) => !one.hash)
      .map((one) => one.key);
    if (!props.session) {
      if (!props.onStart || !(await props.onStart({ text: message, images }))) return;
    } else {
      if (props.resumeFirst && props.client.connection.up) {
        try {
          await props.client.commands.send({ type: 'resume_session', sessionId: props.session.store.id });
        } catch {
          // The outbox shows why the message was not sent.
        }
      }
      void props.client.outbox.keep({ sessionId: props.session.store.id, text: message, images, pictures: notUploaded, steer });
    }
    for (const one of pictures()) if (one.hash) void props.client.drafts.dropPicture(one.key);
    props.client.drafts.remember(key(), message);
    history.reset();
    draft.setPictures([]);
    setText('');
    box.value = '';
    save();
    completion.close();
    props.onSent?.();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (completion.onKeyDown(event)) return;
    // Ctrl Enter in an empty box is handled by the open permission request.
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && empty()) return;
    if (event.key === 'Enter') {
      const what = enterStep({
        phone: isPhone(),
        enterIsLine: props.enterIsLine === true,
        composing: event.isComposing,
        shift: event.shiftKey,
        ctrl: event.ctrlKey || event.metaKey,
        running: props.running,
      });
      if (what === 'send' || what === 'steer') {
        event.preventDefault();
        if (!event.repeat) void send(what === 'steer');
      }
      return;
    }
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const first = !text().slice(0, box.selectionStart).includes('\n');
    const last = !text().slice(box.selectionEnd).includes('\n');
    if (event.key === 'ArrowUp' && (text() === '' || (history.browsing() && first)) && history.step(1)) event.preventDefault();
    else if (event.key === 'ArrowDown' && history.browsing() && last && history.step(-1)) event.preventDefault();
  };

  props.handle?.({
    focus: () => box.focus(),
    hasFocus: () => document.activeElement === box,
    text,
    clear: () => {
      props.client.drafts.remember(key(), text());
      setText('');
      box.value = '';
      save();
      history.reset();
      announce(t('composer.cleared'));
    },
    add: (more) => {
      const next = text().trim() === '' ? more : `${text().replace(/\s+$/, '')}\n${more}`;
      setText(next);
      box.value = next;
      save();
    },
    take: () => {
      const taken = text();
      setText('');
      box.value = '';
      save();
      return taken;
    },
    chooseModel: () => modelButton?.click(),
  });

  const begin = (sign: '/' | '@') => {
    const at = box.selectionStart;
    if (sign === '/') {
      if (!text().startsWith('/')) replace(`/${text()}`, 1);
      else box.focus();
      return;
    }
    const space = at > 0 && !/\s/.test(text()[at - 1] ?? '') ? ' ' : '';
    replace(`${text().slice(0, at)}${space}@${text().slice(at)}`, at + space.length + 1);
  };
  const hint = () => hintFor(text(), commands());

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
          void send();
        }}
      >
        <Show when={pictures().length > 0}>
          <Pictures pictures={pictures()} onRemove={attachments.remove} />
        </Show>
        <textarea
          ref={box}
          id="message"
          rows="1"
          aria-label={t('composer.message')}
          placeholder={t(PLACEHOLDERS[action()])}
          value={text()}
          disabled={!allowed()}
          autocapitalize="sentences"
          enterkeyhint="enter"
          aria-autocomplete="list"
          aria-controls={completion.open() ? listId : undefined}
          aria-activedescendant={completion.open() && completion.items().length > 0 ? `${listId}-${completion.active()}` : undefined}
          onInput={(event) => {
            history.reset();
            setText(event.currentTarget.value);
            completion.update();
          }}
          onKeyDown={onKeyDown}
          onKeyUp={completion.update}
          onPointerUp={completion.update}
          onBlur={completion.close}
          onPaste={(event) => {
            const files = [...(event.clipboardData?.files ?? [])];
            if (files.length > 0) {
              event.preventDefault();
              void attachments.add(files);
            }
          }}
        />
        <Show when={hint()}>
          {(words) => (
            <p class="argument" aria-live="polite">
              <span class="mono">{words()}</span>
            </p>
          )}
        </Show>
        <div class="bar">
          <Show when={!props.compact}>
            <IconButton small icon="clip" label={t('composer.attach')} disabled={!allowed()} onClick={() => picker.click()} />
            <IconButton small class="not-phone" icon="slash" label={t('composer.commands')} disabled={!allowed()} onClick={() => begin('/')} />
            <IconButton small class="not-phone" icon="at" label={t('composer.files')} disabled={!allowed()} onClick={() => begin('@')} />
            <Show when={props.session}>
              {(session) => (
                <Selectors
                  client={props.client}
                  session={session()}
                  disabled={!connected() || !allowed()}
                  modelRef={(button) => {
                    modelButton = button;
                  }}
                />
              )}
            </Show>
            <Figures session={props.session} />
          </Show>
          <Button
            type="submit"
            class="sendbtn"
            look={props.compact || props.quiet ? undefined : 'primary'}
            icon={ICONS[action()]}
            hotkey={props.compact || isPhone() ? undefined : props.enterIsLine ? 'Ctrl Enter' : 'Enter'}
            disabled={empty() || !allowed()}
          >
            {t(LABELS[action()])}
          </Button>
        </div>
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
            box.focus();
          }}
        />
      </form>
      <Show when={unknown()}>
        {(name) => (
          <div class="compnote row" role="alert">
            <span class="grow">{t('composer.unknownCommand', { name: name() })}</span>
            <Button small onClick={() => void send(false, true)}>
              {t('composer.sendAnyway')}
            </Button>
          </div>
        )}
      </Show>
      <Show when={attachments.note()}>
        {(words) => (
          <p class="compnote t-bad" role="alert">
            {words()}
          </p>
        )}
      </Show>
      <Show when={draft.full()}>
        <p class="compnote t-ask" role="status">
          {t('composer.notKept')}
        </p>
      </Show>
      <Show when={!allowed()}>
        <p class="compnote dim">{t('composer.viewOnly')}</p>
      </Show>
    </div>
  );
}

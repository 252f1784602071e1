// The state and the actions of the message box.
import { createMemo, createSignal, type Accessor } from 'solid-js';
import type { Image } from '../api/types';
import { enterStep, sendWord } from '../gate/rules';
import { isPhone } from '../gate/typing';
import type { Client, Line, SessionView } from '../protocol';
import { t } from '../text';
import { announce } from '../ui';
import { createAttachments, type Attachments } from './attachments';
import { createCompletion, type Completion } from './completion';
import { createDraft, type Draft } from './draft';
import { createHistory, type History } from './history';
import { hintFor, unknownCommand } from './token';

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

/** What the message box consists of. */
export interface Box {
  readonly draft: Draft;
  readonly completion: Completion;
  readonly history: History;
  readonly attachments: Attachments;
  /** The field, once it is rendered. */
  readonly field: () => HTMLTextAreaElement;
  readonly mount: (field: HTMLTextAreaElement) => void;
  readonly connected: Accessor<boolean>;
  /** This device may send messages. */
  readonly allowed: Accessor<boolean>;
  readonly empty: Accessor<boolean>;
  /** What the submit button does. */
  readonly action: Accessor<ReturnType<typeof sendWord>>;
  /** The arguments of the command that is typed. */
  readonly hint: Accessor<string | null>;
  /** The command that the agent does not know. */
  readonly unknown: Accessor<string | null>;
  readonly setText: (text: string) => void;
  /** Sets the text and the caret, and moves the focus to the field. */
  readonly replace: (text: string, caret?: number) => void;
  /** Sets the text, in the field and in the draft. */
  readonly fill: (text: string) => void;
  readonly send: (steer?: boolean, asText?: boolean) => Promise<void>;
}

export function createBox(props: ComposerProps): Box {
  const client = props.client;
  const key = () => props.draftKey ?? props.session?.store.id ?? 'new';
  const session = () => props.session;
  const draft = createDraft(client, key);
  const { text, pictures } = draft;
  const [unknown, setUnknown] = createSignal<string | null>(null);
  let field!: HTMLTextAreaElement;
  const box = () => field;
  const setText = (next: string) => {
    draft.setText(next);
    setUnknown(null);
  };
  const fill = (next: string) => {
    setText(next);
    field.value = next;
    draft.save();
  };
  const connected = () => props.line.phase === 'up' || props.line.phase === 'connecting';
  const allowed = () => client.welcome.value === null || client.may('operate');
  const empty = () => text().trim() === '' && pictures().length === 0;
  const commands = () => props.session?.facts()?.commands ?? [];
  const replace = (next: string, caret = next.length) => {
    setText(next);
    field.value = next;
    field.focus();
    field.setSelectionRange(caret, caret);
    completion.update();
  };
  const completion = createCompletion({ client, session, folder: () => props.folder, box, text, replace });
  const history = createHistory({ client, session, key, text, replace });
  const send = async (steer = false, asText = false) => {
    if (empty() || !allowed()) return;
    const message = text();
    const name = asText ? null : unknownCommand(message.trim(), commands());
    if (name !== null) {
      setUnknown(name);
      return;
    }
    if (!(await deliver(props, draft, message, steer))) return;
    for (const one of pictures()) if (one.hash) void client.drafts.dropPicture(one.key);
    client.drafts.remember(key(), message);
    history.reset();
    draft.setPictures([]);
    fill('');
    completion.close();
    props.onSent?.();
  };
  return {
    draft,
    completion,
    history,
    attachments: createAttachments({ client, draft, box, allowed, replace }),
    field: box,
    mount: (element) => {
      field = element;
    },
    connected,
    allowed,
    empty,
    action: createMemo(() => sendWord({ connected: connected(), started: props.session !== undefined, busy: props.busy })),
    hint: () => hintFor(text(), commands()),
    unknown,
    setText,
    replace,
    fill,
    send,
  };
}

/** Starts the session with the message, or puts it into the outbox. Returns false if it was not accepted. */
async function deliver(props: ComposerProps, draft: Draft, text: string, steer: boolean): Promise<boolean> {
  const pictures = draft.pictures();
  const images = pictures.flatMap((one): Image[] => (one.hash ? [{ hash: one.hash, mimeType: one.mimeType }] : []));
  if (!props.session) return (await props.onStart?.({ text, images })) === true;
  const sessionId = props.session.store.id;
  if (props.resumeFirst && props.client.connection.up) {
    try {
      await props.client.commands.send({ type: 'resume_session', sessionId });
    } catch {
      // The outbox shows why the message was not sent.
    }
  }
  const notUploaded = pictures.filter((one) => !one.hash).map((one) => one.key);
  void props.client.outbox.keep({ sessionId, text, images, pictures: notUploaded, steer });
  return true;
}

export function createHandle(props: ComposerProps, box: Box, chooseModel: () => void): ComposerHandle {
  const { text } = box.draft;
  return {
    focus: () => box.field().focus(),
    hasFocus: () => document.activeElement === box.field(),
    text,
    clear: () => {
      props.client.drafts.remember(props.draftKey ?? props.session?.store.id ?? 'new', text());
      box.fill('');
      box.history.reset();
      announce(t('composer.cleared'));
    },
    add: (more) => box.fill(text().trim() === '' ? more : `${text().replace(/\s+$/, '')}\n${more}`),
    take: () => {
      const taken = text();
      box.fill('');
      return taken;
    },
    chooseModel,
  };
}

export function onBoxKey(event: KeyboardEvent, props: ComposerProps, box: Box): void {
  if (event.isComposing || event.keyCode === 229) return;
  if (box.completion.onKeyDown(event)) return;
  const ctrl = event.ctrlKey || event.metaKey;
  if (event.key === 'Enter') {
    // Ctrl Enter in an empty box is handled by the open permission request.
    if (ctrl && box.empty()) return;
    const what = enterStep({
      phone: isPhone(),
      enterIsLine: props.enterIsLine === true,
      composing: event.isComposing,
      shift: event.shiftKey,
      ctrl,
      running: props.running,
    });
    if (what !== 'send' && what !== 'steer') return;
    event.preventDefault();
    if (!event.repeat) void box.send(what === 'steer');
    return;
  }
  if (event.altKey || ctrl || event.shiftKey) return;
  const { history } = box;
  const { selectionStart, selectionEnd } = box.field();
  const text = box.draft.text();
  const first = !text.slice(0, selectionStart).includes('\n');
  const last = !text.slice(selectionEnd).includes('\n');
  if (event.key === 'ArrowUp' && (text === '' || (history.browsing() && first)) && history.step(1)) event.preventDefault();
  else if (event.key === 'ArrowDown' && history.browsing() && last && history.step(-1)) event.preventDefault();
}

/** Begins a command or the path of a file at the caret. */
export function beginToken(box: Box, sign: '/' | '@'): void {
  const text = box.draft.text();
  if (sign === '/') {
    if (!text.startsWith('/')) box.replace(`/${text}`, 1);
    else box.field().focus();
    return;
  }
  const at = box.field().selectionStart;
  const space = at > 0 && !/\s/.test(text[at - 1] ?? '') ? ' ' : '';
  box.replace(`${text.slice(0, at)}${space}@${text.slice(at)}`, at + space.length + 1);
}

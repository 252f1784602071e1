// The message box: grows, completes commands and files, takes pictures, keeps what is typed, and has one button whose
// word is the truth.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, onMount, Show, type JSX } from 'solid-js';
import type { Image, Template } from '../api/types';
import { enterStep, sendWord } from '../gate/rules';
import { isPhone } from '../gate/typing';
import { keepFailed, newId, uploadPicture, type Client, type DraftPicture, type Line, type SessionView } from '../protocol';
import { t } from '../text';
import { count, money, percent, tokens } from '../text/format';
import { announce, Button, Icon, IconButton, type IconName } from '../ui';
import { inWorktree } from '../text/paths';
import { rank } from './fuzzy';
import { Listbox, type ListItem } from './Listbox';
import { MOST_PICTURES, prepare } from './pictures';
import { Selectors } from './Selectors';
import { fenced, readTextFile } from './textFiles';
import { complete, hintFor, tokenAt, unknownCommand, type Token } from './token';
import './composer.css';

export interface ComposerHandle {
  focus: () => void;
  hasFocus: () => boolean;
  text: () => string;
  /** Empties the box; ↑ brings it back. */
  clear: () => void;
  /** Adds text, on a line of its own. */
  add: (text: string) => void;
  /** Takes the text out of the box. */
  take: () => string;
  chooseModel: () => void;
}

export interface ComposerProps {
  client: Client;
  /** Nothing for a session that is yet to be started. */
  session?: SessionView | undefined;
  line: Line;
  /** Where the draft is kept; the session's id by default. */
  draftKey?: string | undefined;
  /** The folder whose files are found, for a session that is yet to be started. */
  folder?: string | undefined;
  /** A turn runs or an ask waits: a message is queued. */
  busy: boolean;
  /** A turn runs that can be steered. */
  running: boolean;
  /** The agent is not there: it is resumed before the message goes. */
  resumeFirst?: boolean | undefined;
  /** One row only, while an ask is open. */
  compact?: boolean | undefined;
  /** The one filled button stands elsewhere. */
  quiet?: boolean | undefined;
  enterIsLine?: boolean | undefined;
  handle?: ((handle: ComposerHandle) => void) | undefined;
  /** Begins the session with the first message. False keeps the text. */
  onStart?: ((message: { text: string; images: Image[] }) => Promise<boolean>) | undefined;
  /** A message was sent from here: the view follows the tail again. */
  onSent?: (() => void) | undefined;
}

const WORDS = { send: 'composer.send', queue: 'composer.queue', start: 'composer.start', keep: 'composer.keep' } as const;
const HINTS = {
  send: 'composer.placeholder',
  queue: 'composer.placeholderQueue',
  start: 'composer.placeholderStart',
  keep: 'composer.placeholderKeep',
} as const;
const ICONS: { [word: string]: IconName } = { send: 'send', queue: 'queue', start: 'send', keep: 'clock' };

export function Composer(props: ComposerProps): JSX.Element {
  const key = () => props.draftKey ?? props.session?.store.id ?? 'new';
  const kept = props.client.drafts.get(key());
  const [text, setTextSignal] = createSignal(kept.text);
  const [pictures, setPictures] = createSignal<readonly DraftPicture[]>(kept.pictures);
  const [note, setNote] = createSignal<string | null>(null);
  const [unknown, setUnknown] = createSignal<string | null>(null);
  const [over, setOver] = createSignal(false);
  const [full, setFull] = createSignal(false);
  const listId = createUniqueId();
  let box!: HTMLTextAreaElement;
  let picker!: HTMLInputElement;
  let modelButton: HTMLElement | undefined;

  // What is typed is kept at once when the page goes, and a moment later otherwise.
  let due: ReturnType<typeof setTimeout> | null = null;
  const save = () => {
    if (due !== null) clearTimeout(due);
    due = null;
    if (!props.client.drafts.set(key(), text(), pictures())) setFull(true);
    else setFull(false);
  };
  const saveSoon = () => {
    due ??= setTimeout(save, 250);
  };
  const setText = (next: string) => {
    setTextSignal(next);
    setUnknown(null);
    saveSoon();
  };
  onMount(() => {
    const gone = () => {
      if (due !== null) save();
    };
    window.addEventListener('pagehide', gone);
    document.addEventListener('visibilitychange', gone);
    onCleanup(() => {
      gone();
      window.removeEventListener('pagehide', gone);
      document.removeEventListener('visibilitychange', gone);
    });
  });
  onCleanup(keepFailed.listen(() => setFull(true)));

  const connected = () => props.line.phase === 'up' || props.line.phase === 'connecting';
  const may = () => props.client.welcome.value === null || props.client.may('operate');
  const word = createMemo(() => sendWord({ connected: connected(), started: props.session !== undefined, busy: props.busy }));
  const commands = () => props.session?.facts()?.commands ?? [];

  // Templates of the person, read when a slash is typed: a running agent may not know the newest yet.
  const [templates, setTemplates] = createSignal<readonly Template[]>([]);
  const readTemplates = () =>
    void props.client.commands.send({ type: 'templates' }, { timeout: 10_000 }).then(
      (answer) => setTemplates(answer.templates),
      () => undefined,
    );
  const plainName = (name: string) => name.replace(/^\//, '');
  const offered = createMemo(() => {
    const known = new Set(commands().map((command) => plainName(command.name)));
    const own = templates().filter((template) => !known.has(template.name));
    return [
      ...commands().map(({ name, hint, description }) => ({ name, note: [hint, description].filter(Boolean).join(' · ') || null, template: undefined })),
      ...own.map((template) => ({ name: template.name, note: [t('composer.template'), template.description].filter(Boolean).join(' · '), template })),
    ];
  });

  // Choices for what is typed at the caret.
  const [token, setToken] = createSignal<Token | null>(null, {
    equals: (a, b) => a?.kind === b?.kind && a?.query === b?.query && a?.from === b?.from && a?.to === b?.to,
  });
  const [files, setFiles] = createSignal<{ query: string; items: ListItem[] } | null>(null);
  const [active, setActive] = createSignal(0);
  const look = () => setToken(document.activeElement === box && box.selectionStart === box.selectionEnd ? tokenAt(text(), box.selectionStart) : null);
  createEffect(
    on(token, (now) => {
      setActive(0);
      if (now?.kind === 'command' && now.query === '') readTemplates();
      if (now?.kind !== 'file') {
        setFiles(null);
        return;
      }
      const stop = new AbortController();
      const timer = setTimeout(() => {
        props.client.commands
          .send(
            { type: 'files', sessionId: props.session?.store.id ?? null, folder: props.folder ?? null, query: now.query, limit: 8 * 4 },
            { signal: stop.signal, timeout: 10_000 },
          )
          .then(
            ({ paths }) =>
              setFiles({
                query: now.query,
                items: paths
                  .filter((path) => !inWorktree(path.path))
                  .slice(0, 8)
                  .map((path) => ({
                    key: path.path,
                    name: path.path,
                    hits: path.matched,
                    note: path.resource ? [path.resource.name, path.resource.description].filter(Boolean).join(' · ') : null,
                    icon: path.resource ? 'mcp' : path.folder ? 'folder' : 'read',
                    prefix: '',
                  })),
              }),
            () => undefined,
          );
      }, 80);
      onCleanup(() => {
        clearTimeout(timer);
        stop.abort();
      });
    }),
  );
  const items = createMemo<readonly ListItem[]>(() => {
    const now = token();
    if (now?.kind === 'file') return files()?.items ?? [];
    if (now?.kind !== 'command') return [];
    return rank(now.query, offered(), (command) => plainName(command.name), 8).map(({ item, hits }) => ({
      key: item.name,
      name: item.name.replace(/^\//, ''),
      hits,
      note: item.note,
      icon: null,
      prefix: '/',
    }));
  });
  const open = () => token() !== null && (items().length > 0 || (token()?.kind === 'file' && files() !== null && token()?.query !== ''));
  const pick = (index: number) => {
    const now = token();
    const item = items()[index];
    if (!now || !item) return;
    // The agent does not know it: its text is put into the box.
    const template = now.kind === 'command' ? offered().find((one) => one.name === item.key)?.template : undefined;
    if (template) {
      put(template.text.replace(/^---\n[\s\S]*?\n---\n/, '').trim());
      return;
    }
    const next = complete(text(), now, item.name);
    put(next.text, next.caret);
  };
  const put = (next: string, caret = next.length) => {
    setText(next);
    box.value = next;
    box.focus();
    box.setSelectionRange(caret, caret);
    look();
  };

  // Earlier messages.
  let back = -1;
  let unsent = '';
  const earlier = () => {
    const said =
      props.session
        ?.records()
        .flatMap((record) => (record.what.type === 'sluice_prompt' ? [String((record.what as { text?: unknown }).text ?? '')] : []))
        .reverse() ?? [];
    return [...new Set([...props.client.drafts.history(key()), ...said])].filter((one) => one !== '');
  };
  const step = (by: number): boolean => {
    const all = earlier();
    const next = back + by;
    if (next < -1 || next >= all.length) return false;
    if (back === -1) unsent = text();
    back = next;
    put(next === -1 ? unsent : (all[next] ?? ''));
    return true;
  };

  const addPictures = async (list: readonly File[]) => {
    setNote(null);
    for (const file of list) {
      if (pictures().length >= MOST_PICTURES) {
        setNote(t('composer.tooManyPictures', { n: MOST_PICTURES }));
        return;
      }
      try {
        const made = await prepare(file);
        const picture: DraftPicture = {
          key: newId(),
          name: file.name || 'picture',
          width: made.width,
          height: made.height,
          bytes: made.blob.size,
          mimeType: made.blob.type,
          smaller: made.smaller,
          hash: null,
        };
        if (!(await props.client.drafts.putPicture(picture.key, made.blob))) setFull(true);
        setPictures([...pictures(), picture]);
        save();
        if (props.client.connection.up)
          void uploadPicture(made.blob).then(
            ({ hash }) => {
              setPictures(pictures().map((one) => (one.key === picture.key ? { ...one, hash: hash ?? null } : one)));
              save();
            },
            () => undefined,
          );
      } catch {
        setNote(t('composer.notPicture', { name: file.name || file.type }));
      }
    }
  };
  const addFiles = async (list: readonly File[]) => {
    const images = list.filter((file) => file.type.startsWith('image/'));
    await addPictures(images);
    for (const file of list.filter((one) => !images.includes(one))) {
      const read = await readTextFile(file);
      if ('problem' in read) {
        setNote(t(read.problem === 'large' ? 'composer.fileTooLarge' : 'composer.notText', { name: file.name }));
        continue;
      }
      const before = text().trim() === '' ? '' : `${text().replace(/\s+$/, '')}\n`;
      put(`${before}${fenced(file.name, read.text)}`);
    }
  };
  // A file can be dropped anywhere on the session.
  onMount(() => {
    const area = box.closest<HTMLElement>('.main') ?? box;
    const holdsFiles = (event: DragEvent) => may() && event.dataTransfer?.types.includes('Files') === true;
    const dragged = (event: DragEvent) => {
      if (holdsFiles(event)) {
        event.preventDefault();
        setOver(true);
      }
    };
    const left = (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node && area.contains(event.relatedTarget))) setOver(false);
    };
    const dropped = (event: DragEvent) => {
      setOver(false);
      if (!holdsFiles(event)) return;
      event.preventDefault();
      void addFiles([...(event.dataTransfer?.files ?? [])]);
    };
    area.addEventListener('dragover', dragged);
    area.addEventListener('dragleave', left);
    area.addEventListener('drop', dropped);
    onCleanup(() => {
      area.removeEventListener('dragover', dragged);
      area.removeEventListener('dragleave', left);
      area.removeEventListener('drop', dropped);
    });
  });
  const removePicture = (picture: DraftPicture) => {
    setPictures(pictures().filter((one) => one.key !== picture.key));
    void props.client.drafts.dropPicture(picture.key);
    save();
  };

  const empty = () => text().trim() === '' && pictures().length === 0;
  const send = async (steer = false, asText = false) => {
    if (empty() || !may()) return;
    const said = text();
    const name = asText ? null : unknownCommand(said.trim(), commands());
    if (name !== null) {
      setUnknown(name);
      return;
    }
    const images = pictures().flatMap((one): Image[] => (one.hash ? [{ hash: one.hash, mimeType: one.mimeType }] : []));
    const later = pictures()
      .filter((one) => !one.hash)
      .map((one) => one.key);
    if (!props.session) {
      if (!props.onStart || !(await props.onStart({ text: said, images }))) return;
    } else {
      if (props.resumeFirst && props.client.connection.up) {
        try {
          await props.client.commands.send({ type: 'resume_session', sessionId: props.session.store.id });
        } catch {
          /* the message says why it did not go */
        }
      }
      void props.client.outbox.keep({ sessionId: props.session.store.id, text: said, images, pictures: later, steer });
    }
    for (const one of pictures()) if (one.hash) void props.client.drafts.dropPicture(one.key);
    props.client.drafts.remember(key(), said);
    back = -1;
    setPictures([]);
    setText('');
    box.value = '';
    save();
    setToken(null);
    props.onSent?.();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (open() && items().length > 0) {
      const move = (by: number) => {
        event.preventDefault();
        setActive((active() + by + items().length) % items().length);
      };
      if (event.key === 'ArrowDown') {
        move(1);
        return;
      }
      if (event.key === 'ArrowUp') {
        move(-1);
        return;
      }
      if (event.key === 'Tab' || (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.shiftKey)) {
        event.preventDefault();
        pick(active());
        return;
      }
    }
    if (event.key === 'Escape' && open()) {
      event.preventDefault();
      event.stopPropagation();
      setToken(null);
      return;
    }
    // Ctrl Enter in an empty box goes to a permission request that waits.
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
    if (event.key === 'ArrowUp' && (text() === '' || (back >= 0 && first)) && step(1)) event.preventDefault();
    else if (event.key === 'ArrowDown' && back >= 0 && last && step(-1)) event.preventDefault();
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
      back = -1;
      announce(t('composer.cleared'));
    },
    add: (more) => {
      const next = text().trim() === '' ? more : `${text().replace(/\s+$/, '')}\n${more}`;
      setText(next);
      box.value = next;
      save();
    },
    take: () => {
      const said = text();
      setText('');
      box.value = '';
      save();
      return said;
    },
    chooseModel: () => modelButton?.click(),
  });

  const begin = (sign: '/' | '@') => {
    const at = box.selectionStart;
    if (sign === '/') {
      if (!text().startsWith('/')) put(`/${text()}`, 1);
      else box.focus();
      return;
    }
    const space = at > 0 && !/\s/.test(text()[at - 1] ?? '') ? ' ' : '';
    put(`${text().slice(0, at)}${space}@${text().slice(at)}`, at + space.length + 1);
  };
  const usage = () => {
    const context = props.session?.state()?.context;
    return context?.window ? { part: context.tokens / context.window, used: context.tokens, window: context.window } : null;
  };
  const spent = () => props.session?.state()?.cost.total ?? null;
  const hint = () => hintFor(text(), commands());

  return (
    <div class="compwrap">
      <Show when={open()}>
        <Listbox
          id={listId}
          label={token()?.kind === 'file' ? t('composer.files') : t('composer.commands')}
          items={items()}
          active={active()}
          empty={token()?.kind === 'file' ? t('composer.filesNone') : null}
          onPick={pick}
          onActive={setActive}
        />
      </Show>
      <form
        class="comp"
        classList={{ one: props.compact === true, over: over() }}
        id="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Show when={pictures().length > 0}>
          <ul class="att">
            <For each={pictures()}>
              {(one) => (
                <li>
                  <Icon name="image" />
                  <span class="trunc">{one.name}</span>{' '}
                  <span class="dim not-phone">
                    {one.smaller
                      ? t('composer.madeSmaller', { width: count(one.width), height: count(one.height) })
                      : t('composer.pictureSize', { width: count(one.width), height: count(one.height) })}
                  </span>
                  <IconButton small icon="x" label={`${t('composer.remove')} ${one.name}`} onClick={() => removePicture(one)} />
                </li>
              )}
            </For>
          </ul>
        </Show>
        <textarea
          ref={box}
          id="message"
          rows="1"
          aria-label={t('composer.message')}
          placeholder={t(HINTS[word()])}
          value={text()}
          disabled={!may()}
          autocapitalize="sentences"
          enterkeyhint="enter"
          aria-autocomplete="list"
          aria-controls={open() ? listId : undefined}
          aria-activedescendant={open() && items().length > 0 ? `${listId}-${active()}` : undefined}
          onInput={(event) => {
            back = -1;
            setText(event.currentTarget.value);
            look();
          }}
          onKeyDown={onKeyDown}
          onKeyUp={look}
          onPointerUp={look}
          onBlur={() => setToken(null)}
          onPaste={(event) => {
            const found = [...(event.clipboardData?.files ?? [])];
            if (found.length > 0) {
              event.preventDefault();
              void addFiles(found);
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
            <IconButton small icon="clip" label={t('composer.attach')} disabled={!may()} onClick={() => picker.click()} />
            <IconButton small class="not-phone" icon="slash" label={t('composer.commands')} disabled={!may()} onClick={() => begin('/')} />
            <IconButton small class="not-phone" icon="at" label={t('composer.files')} disabled={!may()} onClick={() => begin('@')} />
            <Show when={props.session}>
              {(session) => (
                <Selectors
                  client={props.client}
                  session={session()}
                  disabled={!connected() || !may()}
                  modelRef={(button) => {
                    modelButton = button;
                  }}
                />
              )}
            </Show>
            <span class="figures not-phone">
              <Show when={usage()}>
                {(now) => (
                  <span
                    class="context"
                    classList={{ 't-ask': now().part > 0.8 }}
                    title={`${t('composer.context')}: ${t('composer.contextOf', { used: tokens(now().used), window: tokens(now().window) })}`}
                  >
                    {percent(Math.min(1, now().part))}{' '}
                    <span class="mini" aria-hidden="true">
                      <i style={{ '--part': Math.min(1, now().part) }} />
                    </span>
                  </span>
                )}
              </Show>
              <Show when={spent() !== null && (spent() ?? 0) > 0}>
                <span title={t('composer.cost')}>{money(spent() ?? 0)}</span>
              </Show>
            </span>
          </Show>
          <Button
            type="submit"
            class="sendbtn"
            look={props.compact || props.quiet ? undefined : 'primary'}
            icon={ICONS[word()]}
            hotkey={props.compact || isPhone() ? undefined : props.enterIsLine ? 'Ctrl Enter' : 'Enter'}
            disabled={empty() || !may()}
          >
            {t(WORDS[word()])}
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
            void addFiles([...(event.currentTarget.files ?? [])]);
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
      <Show when={note()}>
        {(words) => (
          <p class="compnote t-bad" role="alert">
            {words()}
          </p>
        )}
      </Show>
      <Show when={full()}>
        <p class="compnote t-ask" role="status">
          {t('composer.notKept')}
        </p>
      </Show>
      <Show when={!may()}>
        <p class="compnote dim">{t('composer.viewOnly')}</p>
      </Show>
    </div>
  );
}

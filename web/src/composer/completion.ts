// Completion in the message box: commands and templates after `/`, files and MCP resources after `@`.
import { createEffect, createMemo, createSignal, on, onCleanup, type Accessor } from 'solid-js';
import type { Template } from '../api/types';
import type { Client, SessionView } from '../protocol';
import { t } from '../text';
import { inWorktree } from '../text/paths';
import { rank } from './fuzzy';
import type { ListItem } from './Listbox';
import { complete, tokenAt, type Token } from './token';

/** Maximum number of completions in the list. */
const MAX_ITEMS = 8;
/** Delay between typing and the request for files, in milliseconds. */
const REQUEST_DELAY = 80;
const REQUEST_TIMEOUT = 10_000;

export interface CompletionOptions {
  client: Client;
  session: () => SessionView | undefined;
  /** The folder whose files are completed if there is no session yet. */
  folder: () => string | undefined;
  box: () => HTMLTextAreaElement;
  text: () => string;
  /** Replaces the text of the message box and places the caret; at the end by default. */
  replace: (text: string, caret?: number) => void;
}

export interface Completion {
  /** The word at the caret that is being completed. */
  token: Accessor<Token | null>;
  items: Accessor<readonly ListItem[]>;
  /** Index of the highlighted item. */
  active: Accessor<number>;
  setActive: (index: number) => void;
  /** True while the list is shown. */
  open: () => boolean;
  /** Reads the word at the caret again. */
  update: () => void;
  close: () => void;
  /** Inserts the item with this index. */
  pick: (index: number) => void;
  /** Handles the keys of the list. Returns true if the event was handled. */
  onKeyDown: (event: KeyboardEvent) => boolean;
}

const withoutSlash = (name: string) => name.replace(/^\//, '');
const withoutFrontMatter = (text: string) => text.replace(/^---\n[\s\S]*?\n---\n/, '').trim();

export function createCompletion({ client, session, folder, box, text, replace }: CompletionOptions): Completion {
  const [token, setToken] = createSignal<Token | null>(null, {
    equals: (a, b) => a?.kind === b?.kind && a?.query === b?.query && a?.from === b?.from && a?.to === b?.to,
  });
  const [active, setActive] = createSignal(0);
  const offered = createCommands(client, session, token);
  const files = createFiles(client, session, folder, token);
  createEffect(on(token, () => setActive(0)));

  const update = () => {
    const element = box();
    const caret = document.activeElement === element && element.selectionStart === element.selectionEnd ? element.selectionStart : null;
    setToken(caret === null ? null : tokenAt(text(), caret));
  };
  const items = createMemo<readonly ListItem[]>(() => {
    const now = token();
    if (now?.kind === 'file') return files()?.items ?? [];
    if (now?.kind !== 'command') return [];
    return rank(now.query, offered(), (command) => withoutSlash(command.name), MAX_ITEMS).map(({ item, hits }) => ({
      key: item.name,
      name: withoutSlash(item.name),
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
    // A template that the agent has not loaded is inserted as text.
    const template = now.kind === 'command' ? offered().find((one) => one.name === item.key)?.template : undefined;
    if (template) {
      replace(withoutFrontMatter(template.text));
      return;
    }
    const next = complete(text(), now, item.name);
    replace(next.text, next.caret);
  };
  const close = () => setToken(null);

  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!open()) return false;
    const count = items().length;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const picks = event.key === 'Tab' || (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.shiftKey);
    if (count > 0 && step !== 0) setActive((active() + step + count) % count);
    else if (count > 0 && picks) pick(active());
    else if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    } else return false;
    event.preventDefault();
    return true;
  };

  return { token, items, active, setActive, open, update, close, pick, onKeyDown };
}

interface OfferedCommand {
  name: string;
  note: string | null;
  /** Set if the agent does not know this command. */
  template: Template | undefined;
}

/** The commands of the agent and the templates of the user. Templates are fetched when a slash is typed: a running agent
 * may not have loaded the newest. */
function createCommands(client: Client, session: () => SessionView | undefined, token: Accessor<Token | null>): Accessor<readonly OfferedCommand[]> {
  const [templates, setTemplates] = createSignal<readonly Template[]>([]);
  createEffect(
    on(token, (now) => {
      if (now?.kind !== 'command' || now.query !== '') return;
      void client.commands.send({ type: 'templates' }, { timeout: REQUEST_TIMEOUT }).then(
        (answer) => setTemplates(answer.templates),
        () => undefined,
      );
    }),
  );
  return createMemo(() => {
    const commands = session()?.facts()?.commands ?? [];
    const known = new Set(commands.map((command) => withoutSlash(command.name)));
    return [
      ...commands.map(({ name, hint, description }) => ({ name, note: [hint, description].filter(Boolean).join(' · ') || null, template: undefined })),
      ...templates()
        .filter((template) => !known.has(template.name))
        .map((template) => ({ name: template.name, note: [t('composer.template'), template.description].filter(Boolean).join(' · '), template })),
    ];
  });
}

/** The files that match the token; null until the server has answered. */
function createFiles(
  client: Client,
  session: () => SessionView | undefined,
  folder: () => string | undefined,
  token: Accessor<Token | null>,
): Accessor<{ query: string; items: ListItem[] } | null> {
  const [files, setFiles] = createSignal<{ query: string; items: ListItem[] } | null>(null);
  createEffect(
    on(token, (now) => {
      if (now?.kind !== 'file') {
        setFiles(null);
        return;
      }
      const stop = new AbortController();
      const timer = setTimeout(() => {
        client.commands
          .send(
            // More than are shown: files of other worktrees are filtered out below.
            { type: 'files', sessionId: session()?.store.id ?? null, folder: folder() ?? null, query: now.query, limit: MAX_ITEMS * 4 },
            { signal: stop.signal, timeout: REQUEST_TIMEOUT },
          )
          .then(
            ({ paths }) =>
              setFiles({
                query: now.query,
                items: paths
                  .filter((path) => !inWorktree(path.path))
                  .slice(0, MAX_ITEMS)
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
      }, REQUEST_DELAY);
      onCleanup(() => {
        clearTimeout(timer);
        stop.abort();
      });
    }),
  );
  return files;
}

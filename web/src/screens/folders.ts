// The folder of a new session: what is typed, what is offered, and what is chosen.
import { createEffect, createMemo, createSignal, on, type Accessor } from 'solid-js';
import type { PathInfo } from '../api/types';
import { route } from '../route/route';
import { inWorktree } from '../text/paths';
import { announce } from '../ui';
import { createAsked } from './asked';
import { request, up, welcome } from './link';

/** `~` for the home folder of the bridge's machine. */
export const short = (path: string, home: string): string => (home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path);
const long = (path: string, home: string): string => (path === '~' || path.startsWith('~/') ? home + path.slice(1) : path);

export interface Folders {
  readonly home: Accessor<string>;
  /** The chosen folder. */
  readonly folder: Accessor<string>;
  readonly typed: Accessor<string>;
  readonly offered: Accessor<PathInfo[]>;
  /** What the bridge knows about the chosen folder. */
  readonly chosen: Accessor<PathInfo | undefined>;
  readonly loading: Accessor<boolean>;
  /** The folders were loaded, or could not be. */
  readonly answered: Accessor<'found' | 'failed' | null>;
  readonly choose: (path: string) => void;
  readonly type: (text: string) => void;
  readonly clear: () => void;
}

export function createFolders(): Folders {
  const home = () => welcome()?.home ?? '';
  const asked = () => {
    const here = route();
    return here.at === 'new' ? here.folder : '';
  };
  const [folder, setFolder] = createSignal(asked());
  const [typed, setTyped] = createSignal(asked());
  const [found] = createAsked(
    () => (up() ? long(typed(), home()) : null),
    async (prefix) => {
      try {
        const answer = await request({ type: 'folders', prefix: prefix || null });
        // No recent folders: offers those in the home folder.
        return prefix || answer.paths.length || answer.recent.length || !home() ? answer : await request({ type: 'folders', prefix: `${home()}/` });
      } catch {
        return { paths: [], recent: [] };
      }
    },
  );
  // While nothing is typed, the recent folders, with the home folder last, since few users want an agent there.
  // Otherwise the folders that match.
  const offered = createMemo((): PathInfo[] => {
    const answer = found.latest;
    if (!answer) return [];
    const list = typed()
      ? [...answer.paths, ...answer.recent.filter((one) => one.path.startsWith(long(typed(), home())))]
      : [...answer.recent, ...answer.paths.filter((one) => one.path !== home()), ...answer.paths];
    // Worktrees of other sessions are not offered.
    return [...new Map(list.filter((one) => typed() !== '' || !inWorktree(one.path)).map((one) => [one.path, one])).values()].slice(0, 12);
  });
  // A link to another folder while this screen is open.
  createEffect(
    on(
      asked,
      (next) => {
        if (next) {
          setFolder(next);
          setTyped(next);
        }
      },
      { defer: true },
    ),
  );
  createEffect(
    on(offered, (list) => {
      if (!folder() && !typed() && list[0]) setFolder(list[0].path);
    }),
  );
  const chosen = () => offered().find((one) => one.path === folder());
  const type = (text: string) => {
    setTyped(text);
    setFolder(long(text.replace(/(.)\/+$/, '$1'), home()));
  };
  const clear = () => {
    setTyped('');
    setFolder('');
  };
  return {
    home,
    folder,
    typed,
    offered,
    chosen,
    loading: () => found.loading,
    answered: () => (found.error !== undefined ? 'failed' : found.latest !== undefined ? 'found' : null),
    choose: setFolder,
    type,
    clear,
  };
}

/** Keys of the folder field. Enter calls `onEnter`. */
export function onFolderKey(event: KeyboardEvent, folders: Folders, onEnter: () => void): void {
  if (event.isComposing) return;
  const list = folders.offered();
  const at = list.findIndex((one) => one.path === folders.folder());
  // Tab completes a partial name; after a complete one it moves the focus.
  const match = list[at] ?? list[0];
  if (
    event.key === 'Tab' &&
    !event.shiftKey &&
    folders.typed() &&
    !folders.typed().endsWith('/') &&
    match &&
    match.path !== long(folders.typed(), folders.home())
  ) {
    event.preventDefault();
    folders.type(`${short(match.path, folders.home())}/`);
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && list.length > 0) {
    event.preventDefault();
    const next = event.key === 'ArrowDown' ? at + 1 : at < 0 ? list.length - 1 : at - 1;
    folders.choose(list[(next + list.length) % list.length]?.path ?? folders.folder());
    announce(short(folders.folder(), folders.home()));
  } else if (event.key === 'Enter' && folders.folder() !== '') {
    event.preventDefault();
    onEnter();
  } else if (event.key === 'Escape' && folders.typed()) {
    event.preventDefault();
    folders.clear();
  }
}

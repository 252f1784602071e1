// Names of folders, and the worktrees that agents make inside a repository.
const WORKTREE = /(^|\/)\.claude\/worktrees(\/|$)/;

/** Whether a path is in a worktree: its files are copies of those of the repository. */
export const inWorktree = (path: string): boolean => WORKTREE.test(path);

/** The last part of a path, which is what people call a folder; for a worktree the name of its repository. */
export function folderName(path: string): string {
  const tree = WORKTREE.exec(path);
  const folder = tree && tree.index > 0 ? path.slice(0, tree.index) : path;
  return folder.replace(/\/+$/, '').split('/').at(-1) || path;
}

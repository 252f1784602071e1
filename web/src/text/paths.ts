// Names of folders, and the worktrees that agents create inside a repository.
const WORKTREE = /(^|\/)\.claude\/worktrees(\/|$)/;

/** True if a path is in a worktree, whose files are copies of those in the repository. */
export const inWorktree = (path: string): boolean => WORKTREE.test(path);

/** The last component of a path; for a worktree the name of its repository. */
export function folderName(path: string): string {
  const tree = WORKTREE.exec(path);
  const folder = tree && tree.index > 0 ? path.slice(0, tree.index) : path;
  return folder.replace(/\/+$/, '').split('/').at(-1) || path;
}

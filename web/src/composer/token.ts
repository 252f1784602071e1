// What is being typed at the caret: a command at the very beginning, a file, or something a server offers, after an @.
import type { CommandInfo } from '../api/types';

export type Token = { kind: 'command' | 'file'; query: string; from: number; to: number };

export function tokenAt(text: string, caret: number): Token | null {
  const before = text.slice(0, caret);
  const command = /^\/([\w:.-]*)$/.exec(before);
  if (command) return { kind: 'command', query: command[1] ?? '', from: 0, to: caret };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (file) return { kind: 'file', query: file[1] ?? '', from: caret - (file[1]?.length ?? 0) - 1, to: caret };
  return null;
}

/** Puts what was chosen in the place of what was typed; a space follows, so that typing goes on. */
export function complete(text: string, token: Token, chosen: string): { text: string; caret: number } {
  const rest = text.slice(token.to);
  const put = `${token.kind === 'command' ? '/' : '@'}${chosen}${rest.startsWith(' ') ? '' : ' '}`;
  return { text: text.slice(0, token.from) + put + rest, caret: token.from + put.length + (rest.startsWith(' ') ? 1 : 0) };
}

/** The command a message begins with, if it looks like one. A path is none. */
export const commandOf = (text: string): string | null => /^\/([A-Za-z][\w:.-]*)(?=\s|$)/.exec(text)?.[1] ?? null;

/** The name of a command that nobody knows; nothing when it is fine, or when the commands are not known yet. */
export function unknownCommand(text: string, commands: readonly CommandInfo[]): string | null {
  const name = commandOf(text);
  if (name === null || commands.length === 0) return null;
  return commands.some((command) => command.name.replace(/^\//, '') === name) ? null : name;
}

/** What the command at the beginning wants to be given, while nothing is given. */
export function hintFor(text: string, commands: readonly CommandInfo[]): string | null {
  const name = /^\/([\w:.-]+)\s?$/.exec(text)?.[1];
  return commands.find((command) => command.name.replace(/^\//, '') === name)?.hint ?? null;
}

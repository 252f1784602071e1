// The word at the caret that can be completed: a command at the very beginning, or a file or MCP resource after an @.
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

/** Replaces the token by the chosen item, followed by a space. */
export function complete(text: string, token: Token, chosen: string): { text: string; caret: number } {
  const rest = text.slice(token.to);
  const put = `${token.kind === 'command' ? '/' : '@'}${chosen}${rest.startsWith(' ') ? '' : ' '}`;
  return { text: text.slice(0, token.from) + put + rest, caret: token.from + put.length + (rest.startsWith(' ') ? 1 : 0) };
}

/** The command at the beginning of a message. A path is not a command. */
export const commandOf = (text: string): string | null => /^\/([A-Za-z][\w:.-]*)(?=\s|$)/.exec(text)?.[1] ?? null;

/** The name of an unknown command, or null if the command is known or the commands are not loaded yet. */
export function unknownCommand(text: string, commands: readonly CommandInfo[]): string | null {
  const name = commandOf(text);
  if (name === null || commands.length === 0) return null;
  return commands.some((command) => command.name.replace(/^\//, '') === name) ? null : name;
}

/** The argument hint of the command at the beginning, until an argument is typed. */
export function hintFor(text: string, commands: readonly CommandInfo[]): string | null {
  const name = /^\/([\w:.-]+)\s?$/.exec(text)?.[1];
  return commands.find((command) => command.name.replace(/^\//, '') === name)?.hint ?? null;
}

// Attached text files: their content is inserted into the message, in a code fence that nothing in it can close.
/** Maximum number of characters of an attached file. */
export const MAX_TEXT = 100_000;

/** Returns the text of a file, or why it cannot be attached. */
export async function readTextFile(file: Blob): Promise<{ text: string } | { problem: 'large' | 'binary' }> {
  if (file.size > MAX_TEXT * 4) return { problem: 'large' };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return { problem: 'binary' };
  }
  if (text.includes('\0')) return { problem: 'binary' };
  return text.length > MAX_TEXT ? { problem: 'large' } : { text };
}

/** A file as part of a message: its name, then its content in a code fence. */
export function fenced(name: string, text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  const language = /\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1] ?? '';
  return `${name}:\n${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}\n`;
}

/** Markdown as plain text on one line, for previews. */
export function plainWords(text: string): string {
  return text
    .replace(/```\w*/g, ' ')
    .replace(/^\s{0,3}(#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .replace(/\*\*(?=[^\s*])(.+?)(?<=[^\s*])\*\*/g, '$1')
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/`([^`]*)`/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The same for part of a line: spaces at its ends are kept. */
export function plainPiece(text: string): string {
  const words = plainWords(text);
  return words === '' ? (text === '' ? '' : ' ') : `${/^\s/.test(text) ? ' ' : ''}${words}${/\s$/.test(text) ? ' ' : ''}`;
}

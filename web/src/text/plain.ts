/** Markdown as a line of plain words: for rows that show a beginning. */
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

/** The same for a piece of a line: the spaces at its ends are part of it. */
export function plainPiece(text: string): string {
  const words = plainWords(text);
  return words === '' ? (text === '' ? '' : ' ') : `${/^\s/.test(text) ? ' ' : ''}${words}${/\s$/.test(text) ? ' ' : ''}`;
}

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

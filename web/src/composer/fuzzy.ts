// Which of many names is meant by a few letters in order; earlier and together counts more.
export interface Match {
  score: number;
  hits: number[];
}

export function match(query: string, name: string): Match | null {
  const want = query.toLowerCase();
  const have = name.toLowerCase();
  if (want === '') return { score: 0, hits: [] };
  const whole = have.indexOf(want);
  if (whole >= 0) {
    const starts = whole === 0 ? 100 : /[\s/_:.-]/.test(have[whole - 1] ?? '') ? 60 : 30;
    return { score: starts + want.length * 4 - have.length * 0.1, hits: Array.from(want, (_, index) => whole + index) };
  }
  const hits: number[] = [];
  let score = 0;
  let from = 0;
  for (const char of want) {
    const at = have.indexOf(char, from);
    if (at < 0) return null;
    score += at === from && from > 0 ? 3 : /[\s/_:.-]/.test(have[at - 1] ?? '/') ? 2 : 0;
    hits.push(at);
    from = at + 1;
  }
  return { score: score - have.length * 0.1, hits };
}

/** Returns the best matches in order; equal matches keep their order. */
export function rank<T>(query: string, items: readonly T[], name: (item: T) => string, most: number): { item: T; hits: number[] }[] {
  return items
    .map((item, index) => ({ item, index, found: match(query, name(item)) }))
    .filter((one): one is { item: T; index: number; found: Match } => one.found !== null)
    .sort((a, b) => b.found.score - a.found.score || a.index - b.index)
    .slice(0, most)
    .map(({ item, found }) => ({ item, hits: found.hits }));
}

/** Splits a name into matched and unmatched pieces. */
export function pieces(name: string, hits: readonly number[]): { text: string; hit: boolean }[] {
  const marked = new Set(hits);
  const out: { text: string; hit: boolean }[] = [];
  for (const [index, char] of [...name].entries()) {
    const hit = marked.has(index);
    const last = out.at(-1);
    if (last && last.hit === hit) last.text += char;
    else out.push({ text: char, hit });
  }
  return out;
}

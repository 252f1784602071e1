// Highlighted code from the server: lines of [class, text]. Unknown class names are dropped.
export type Runs = readonly (readonly (readonly [className: string, text: string])[])[];

const CLASSES: Readonly<Record<string, string>> = { key: 'k', type: 'ty', fn: 'fn', str: 's', num: 'nu', com: 'co' };
export const runClass = (name: string): string => (Object.hasOwn(CLASSES, name) ? (CLASSES[name] ?? '') : '');

/** Appends the pieces of one line. */
export function appendRuns(into: Node, line: readonly (readonly [string, string])[]): void {
  for (const [name, text] of line) {
    const known = runClass(name);
    if (!known) {
      into.appendChild(document.createTextNode(text));
      continue;
    }
    const span = document.createElement('span');
    span.className = known;
    span.textContent = text;
    into.appendChild(span);
  }
}

/** Replaces the text of `code` by the same text with highlighting. */
export function paint(code: Element, runs: Runs): void {
  const part = document.createDocumentFragment();
  runs.forEach((line, index) => {
    if (index > 0) part.append('\n');
    appendRuns(part, line);
  });
  code.replaceChildren(part);
}

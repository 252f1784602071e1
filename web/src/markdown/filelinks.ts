// Turns file paths in prose into links: code that looks like a path, and text that names a file and a line.

/** `src/pool.rs`, `src/pool.rs:12`, `pool.rs:12:5`, `/home/ada/a.rs`. */
const PATH = /^(?:~?\/|\.{1,2}\/)?(?:[\w@.+-]+\/)*[\w@.+-]*\.?\w[\w+-]*(?::(\d{1,7})(?::\d+)?)?$/;
const WITH_LINE = /(?<![\w/.:-])((?:~?\/)?(?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.\w{1,8}):(\d{1,7})(?::\d+)?(?![\w/])/g;

export interface FilePlace {
  path: string;
  line: number | null;
}

/** The file and line that code refers to, or null for other code. */
export function placeOf(code: string): FilePlace | null {
  const found = code.length <= 300 ? PATH.exec(code) : null;
  if (!found) return null;
  const path = code.replace(/(?::\d+){1,2}$/, '');
  const line = found[1] === undefined ? null : Number(found[1]);
  // A single word is not a path. A name with an extension is one if it has a folder or a line; any name if it has both.
  const named = /\.[A-Za-z]\w{0,7}$/.test(path) || /(?:^|\/)(?:Makefile|Dockerfile|LICENSE)$/.test(path);
  return (line !== null && (named || path.includes('/'))) || (named && path.includes('/')) ? { path, line } : null;
}

/** The references to a file and a line in a text, with their offsets. */
export function placesIn(text: string): { at: number; length: number; place: FilePlace }[] {
  return [...text.matchAll(WITH_LINE)].map((found) => ({ at: found.index, length: found[0].length, place: { path: found[1] ?? '', line: Number(found[2]) } }));
}

function anchorOf(place: FilePlace, href: (place: FilePlace) => string): HTMLAnchorElement {
  const anchor = document.createElement('a');
  anchor.className = 'to-file';
  anchor.href = href(place);
  return anchor;
}

/** Links the paths in rendered prose. Code blocks are left alone. */
export function linkFiles(root: Element, href: (place: FilePlace) => string): void {
  for (const code of root.querySelectorAll('code')) {
    if (code.closest('pre, a')) continue;
    const place = placeOf(code.textContent ?? '');
    if (!place) continue;
    const anchor = anchorOf(place, href);
    code.replaceWith(anchor);
    anchor.append(code);
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (!node.parentElement?.closest('pre, code, a')) texts.push(node);
  }
  for (const node of texts) {
    // From the end, so that earlier offsets stay valid.
    for (const { at, length, place } of placesIn(node.data).reverse()) {
      const rest = node.splitText(at);
      rest.splitText(length);
      const anchor = anchorOf(place, href);
      rest.replaceWith(anchor);
      anchor.append(rest);
    }
  }
}

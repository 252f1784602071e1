// Merges a rebuilt block into the one that is shown. Unchanged nodes stay, which saves layout and keeps the selection.

/** Elements without attributes; others are replaced as a whole. */
const PLAIN = new Set(['P', 'UL', 'OL', 'LI', 'STRONG', 'EM', 'DEL', 'CODE', 'BLOCKQUOTE', 'H3', 'H4', 'H5', 'H6']);

/** Makes `old` equal to `fresh`. Returns whether that was possible; the `caret` stays in place. */
export function merge(old: Node, fresh: Node, caret: Node | undefined): boolean {
  if (old.nodeType === 3 && fresh.nodeType === 3) {
    const [shown, text] = [old as Text, (fresh as Text).data];
    if (shown.data === text) return true;
    if (text.startsWith(shown.data)) shown.appendData(text.slice(shown.data.length));
    else shown.data = text;
    return true;
  }
  if (old.nodeType !== 1 || old.nodeName !== fresh.nodeName || !PLAIN.has(old.nodeName)) return false;
  if ((old as Element).attributes.length > 0 || (fresh as Element).attributes.length > 0) return false;
  const end = caret?.parentNode === old ? caret : null;
  let at = old.firstChild;
  for (let next = fresh.firstChild; next; ) {
    const following = next.nextSibling;
    if (at === end || !at) old.insertBefore(next, end);
    else {
      const after: ChildNode | null = at.nextSibling;
      if (!merge(at, next, caret)) old.replaceChild(next, at);
      at = after;
    }
    next = following;
  }
  while (at && at !== end) {
    const after: ChildNode | null = at.nextSibling;
    at.remove();
    at = after;
  }
  return true;
}

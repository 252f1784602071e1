// A block that was made anew, put into the one that is shown: what is the same stays, so that the browser lays out
// little, and what is selected in it stays selected.

/** Elements without anything but their content; others are replaced as a whole. */
const PLAIN = new Set(['P', 'UL', 'OL', 'LI', 'STRONG', 'EM', 'DEL', 'CODE', 'BLOCKQUOTE', 'H3', 'H4', 'H5', 'H6']);

/** Makes `old` what `fresh` is, and says whether it could; the `caret` stays where it is. */
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

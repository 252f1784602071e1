// Replaces `solid-js/web` for compiled JSX. Everything is Solid's except `template`: Solid's assigns innerHTML, which
// the page's Trusted Types policy forbids. This one parses the (compile-time constant) markup once and builds the
// nodes; every use is a clone.
export * from 'solid-js/web';

const SVG = 'http://www.w3.org/2000/svg';
const VOID = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0', '#39': "'" };
const PART = /<![^>]*>|<\/([a-zA-Z][\w-]*)>|<([a-zA-Z][\w-]*)((?:\s+[^\s=>/]+(?:=(?:"[^"]*"|'[^']*'|[^\s>]*))?)*)\s*(\/?)>|[^<]+/g;
const ATTRIBUTE = /([^\s=>/]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/g;

const decoded = (text: string) => text.replace(/&(#39|[a-z]+);/g, (whole, name: string) => ENTITIES[name] ?? whole);

/** Builds the nodes of a compiled template. Only for the compiler's output: well formed, no scripts. */
export function build(markup: string, svg: boolean): Node {
  const root = document.createDocumentFragment();
  const open: (Element | DocumentFragment)[] = [root];
  for (const part of markup.matchAll(PART)) {
    const parent = open[open.length - 1] ?? root;
    const [whole, closing, tag, attributes = '', selfClosed] = part;
    if (closing) {
      if (open.length > 1) open.pop();
    } else if (tag) {
      const inSvg = svg || tag === 'svg' || (parent instanceof Element && parent.namespaceURI === SVG && parent.localName !== 'foreignObject');
      const element = inSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
      for (const [, name = '', a, b, c] of attributes.matchAll(ATTRIBUTE)) element.setAttribute(name, decoded(a ?? b ?? c ?? ''));
      parent.append(element);
      if (!selfClosed && !VOID.has(tag)) open.push(element);
    } else if (whole.startsWith('<!')) {
      parent.append(document.createComment(''));
    } else {
      parent.append(decoded(whole));
    }
  }
  const first = root.firstChild;
  if (!first) throw new Error('empty template');
  return first;
}

export function template(markup: string, importNode?: boolean, isSvg?: boolean): () => Node {
  let node: Node | undefined;
  const make = () => (node ??= isSvg ? (build(markup, true).firstChild ?? build(markup, true)) : build(markup, false));
  const clone = importNode ? () => document.importNode(make(), true) : () => make().cloneNode(true);
  return Object.assign(clone, { cloneNode: clone });
}

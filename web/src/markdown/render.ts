// Tokens to DOM by an allow-list. Nothing here parses HTML: raw HTML is shown as the text it is.
import { t } from '../text';
import { copyText } from '../ui/parts';
import { iconElement } from '../ui/drawings';
import type { Token, Tokens } from './lexer';
import type { FilePlace } from './filelinks';
import { paint, type Runs } from './runs';

export interface MarkdownServices {
  /** Highlights a closed code fence; done by the server. */
  highlight?: ((lang: string, code: string) => Promise<Runs>) | undefined;
  /** The address of a file of the session. If undefined, paths are not links. */
  fileHref?: ((place: FilePlace) => string) | undefined;
}

const SAFE = /^(?:https?:\/\/|mailto:)/i;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  rarr: '→',
  larr: '←',
  times: '×',
  bull: '•',
  middot: '·',
};

export function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex?: string, dec?: string, name?: string) => {
    if (name) return NAMED[name] ?? whole;
    const code = hex ? parseInt(hex, 16) : Number(dec);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
  });
}

const make = (tag: string, className?: string): HTMLElement => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  return element;
};

export function renderBlocks(tokens: readonly Token[], services: MarkdownServices, into: Node): void {
  for (const token of tokens) {
    const node = renderBlock(token, services);
    if (node) into.appendChild(node);
  }
}

/** Renders a block as one node, or returns undefined for blank lines. */
export function renderBlock(token: Token, services: MarkdownServices): Node | undefined {
  switch (token.type) {
    case 'space':
      return undefined;
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      const heading = make(`h${Math.max(3, depth)}`, `md-h${depth}`);
      renderInline(tokens, heading);
      return heading;
    }
    case 'paragraph': {
      const paragraph = make('p');
      renderInline((token as Tokens.Paragraph).tokens, paragraph);
      return paragraph;
    }
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      const part = document.createDocumentFragment();
      if (tokens) renderInline(tokens, part);
      else part.append(decode(text));
      return part;
    }
    case 'code':
      return codeBlock(token as Tokens.Code, services);
    case 'blockquote': {
      const quote = make('blockquote');
      renderBlocks((token as Tokens.Blockquote).tokens, services, quote);
      return quote;
    }
    case 'list':
      return list(token as Tokens.List, services);
    case 'table':
      return table(token as Tokens.Table);
    case 'hr':
      return make('hr');
    case 'html': {
      const paragraph = make('p', 'md-raw');
      paragraph.textContent = token.raw.trimEnd();
      return paragraph.textContent ? paragraph : undefined;
    }
    default: {
      const paragraph = make('p');
      paragraph.textContent = token.raw.trim();
      return paragraph.textContent ? paragraph : undefined;
    }
  }
}

export function renderInline(tokens: readonly Token[], into: Node): void {
  for (const token of tokens) {
    switch (token.type) {
      case 'text': {
        const { tokens: nested, text } = token as Tokens.Text;
        if (nested) renderInline(nested, into);
        else append(into, decode(text));
        break;
      }
      case 'escape':
        append(into, (token as Tokens.Escape).text);
        break;
      case 'strong':
        wrap('strong', (token as Tokens.Strong).tokens, into);
        break;
      case 'em':
        wrap('em', (token as Tokens.Em).tokens, into);
        break;
      case 'del':
        wrap('del', (token as Tokens.Del).tokens, into);
        break;
      case 'codespan': {
        const code = make('code');
        code.textContent = (token as Tokens.Codespan).text;
        into.appendChild(code);
        break;
      }
      case 'br':
        into.appendChild(make('br'));
        break;
      case 'checkbox':
        into.appendChild(checkbox((token as Tokens.Checkbox).checked));
        break;
      case 'link':
        link(token as Tokens.Link, into);
        break;
      case 'image':
        image(token as Tokens.Image, into);
        break;
      case 'html':
        if (/^<br\s*\/?>$/i.test(token.raw)) into.appendChild(make('br'));
        else append(into, token.raw);
        break;
      default:
        append(into, token.raw);
    }
  }
}

/** Merges adjacent texts into one node, so that the tree does not depend on how the source was split. */
function append(into: Node, text: string): void {
  const last = into.lastChild;
  if (last?.nodeType === 3) last.nodeValue = (last.nodeValue ?? '') + text;
  else into.appendChild(document.createTextNode(text));
}

function wrap(tag: string, tokens: readonly Token[], into: Node): void {
  const element = make(tag);
  renderInline(tokens, element);
  into.appendChild(element);
}

function link(token: Tokens.Link, into: Node): void {
  const href = decode(token.href).trim();
  if (!SAFE.test(href)) {
    const span = make('span', 'md-ref');
    span.title = href;
    renderInline(token.tokens, span);
    into.appendChild(span);
    return;
  }
  const anchor = external(href);
  renderInline(token.tokens, anchor);
  into.appendChild(anchor);
}

function external(href: string): HTMLAnchorElement {
  const anchor = document.createElement('a');
  anchor.href = href;
  anchor.rel = 'noreferrer noopener';
  anchor.target = '_blank';
  anchor.className = 'ext';
  anchor.title = `${href} (${t('ui.external')})`;
  return anchor;
}

/** Remote pictures are never loaded: renders a link with the alternative text and the host. */
function image(token: Tokens.Image, into: Node): void {
  const href = decode(token.href).trim();
  const words = decode(token.text) || href;
  if (!/^https?:\/\//i.test(href)) {
    append(into, words);
    return;
  }
  const anchor = external(href);
  anchor.classList.add('md-image');
  anchor.append(iconElement('image'), words);
  const host = make('span', 'dim');
  host.textContent = ` ${hostOf(href)}`;
  anchor.append(host);
  into.appendChild(anchor);
}

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}

function checkbox(checked: boolean): HTMLElement {
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.disabled = true;
  box.checked = checked;
  box.toggleAttribute('checked', checked);
  box.setAttribute('aria-label', checked ? t('transcript.taskDone') : t('transcript.taskOpen'));
  return box;
}

function list(token: Tokens.List, services: MarkdownServices): HTMLElement {
  const element = make(token.ordered ? 'ol' : 'ul');
  if (token.ordered && typeof token.start === 'number' && token.start !== 1) element.setAttribute('start', String(token.start));
  for (const item of token.items) {
    const li = make('li', item.task ? 'md-task' : '');
    const hasBox = item.tokens.some(
      (child) => child.type === 'checkbox' || (child.type === 'paragraph' && (child as Tokens.Paragraph).tokens.some((inner) => inner.type === 'checkbox')),
    );
    if (item.task && !hasBox) li.append(checkbox(item.checked === true), ' ');
    for (const child of item.tokens) {
      if (child.type === 'checkbox') {
        li.append(checkbox((child as Tokens.Checkbox).checked), ' ');
        continue;
      }
      const node = renderBlock(child, services);
      if (node) li.appendChild(node);
    }
    element.append(li);
  }
  return element;
}

function table(token: Tokens.Table): HTMLElement {
  const scroll = make('div', 'md-table');
  scroll.tabIndex = 0;
  const element = make('table');
  const head = make('thead');
  const cell = (tag: 'th' | 'td', data: Tokens.TableCell, column: number): HTMLElement => {
    const one = make(tag, token.align[column] === 'right' ? 'right' : token.align[column] === 'center' ? 'center' : '');
    renderInline(data.tokens, one);
    return one;
  };
  const row = (tag: 'th' | 'td', cells: readonly Tokens.TableCell[]): HTMLElement => {
    const tr = make('tr');
    for (const [column, data] of cells.entries()) tr.append(cell(tag, data, column));
    return tr;
  };
  head.append(row('th', token.header));
  const body = make('tbody');
  for (const cells of token.rows) body.append(row('td', cells));
  element.append(head, body);
  scroll.append(element);
  return scroll;
}

export const langOf = (info: string | undefined): string => (info ?? '').trim().split(/\s+/)[0] ?? '';

const fenced = (raw: string) => /^ {0,3}(`{3,}|~{3,})/.exec(raw);

/** True if a fenced block has its closing fence; an indented block is always closed. */
export function isClosed(token: Tokens.Code): boolean {
  const marker = fenced(token.raw)?.[1];
  if (!marker) return true;
  const lines = token.raw.trimEnd().split('\n');
  const last = lines.at(-1)?.trim() ?? '';
  return lines.length > 1 && last.length >= marker.length && last === marker.charAt(0).repeat(last.length);
}

/** A code block: its language, a copy button, and the text, which is highlighted once the block is closed. */
export function codeBlock(token: Tokens.Code, services: MarkdownServices): HTMLElement {
  const figure = make('figure', 'md-code');
  const head = make('figcaption', 'boxhead');
  const lang = langOf(token.lang);
  const name = make('span', 'grow');
  name.textContent = lang;
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'icon-btn small';
  copy.setAttribute('aria-label', t('ui.copy'));
  copy.append(iconElement('copy'));
  const pre = make('pre');
  pre.tabIndex = 0;
  const code = make('code');
  code.textContent = token.text;
  copy.addEventListener('click', () => void copyText(code.textContent ?? ''));
  head.append(name, copy);
  pre.append(code);
  figure.append(head, pre);
  if (isClosed(token)) colour(code, lang, token.text, services);
  return figure;
}

const MAX_HIGHLIGHTED_CHARS = 60_000;

export function colour(code: Element, lang: string, text: string, services: MarkdownServices): void {
  if (!services.highlight || !lang || text.length > MAX_HIGHLIGHTED_CHARS) return;
  services.highlight(lang, text).then(
    (runs) => {
      if (code.textContent === text) paint(code, runs);
    },
    () => undefined,
  );
}

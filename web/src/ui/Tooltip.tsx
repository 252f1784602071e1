// One tooltip element for the page. It only repeats the accessible label.
import { place } from './place';

const SHOW_DELAY = 500;
let tip: HTMLElement | undefined;
let timer = 0;
let owner: Element | undefined;

function element(): HTMLElement {
  if (!tip) {
    tip = document.createElement('div');
    tip.className = 'pop tip';
    tip.setAttribute('popover', 'manual');
    tip.setAttribute('aria-hidden', 'true');
    document.body.append(tip);
  }
  return tip;
}

function show(anchor: Element, text: string): void {
  const box = element();
  box.textContent = text;
  if (!box.isConnected || !anchor.isConnected) return;
  const host = anchor.closest('dialog') ?? document.body;
  if (box.parentElement !== host) host.append(box);
  box.showPopover?.();
  place(box, anchor, 'center');
  owner = anchor;
}

function hide(): void {
  clearTimeout(timer);
  if (owner && tip?.matches(':popover-open')) tip.hidePopover();
  owner = undefined;
}

/** Shows `text` next to `anchor` while it is hovered or focused by keyboard. */
export function tooltip(anchor: HTMLElement, text: () => string): void {
  const showAfter = (delay: number) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => show(anchor, text()), delay);
  };
  anchor.addEventListener('pointerenter', (event) => {
    if (event.pointerType === 'mouse') showAfter(SHOW_DELAY);
  });
  // In a separate task: a menu that opens or closes can move the focus here, and browsers refuse a second popover
  // meanwhile.
  anchor.addEventListener('focus', () => {
    if (anchor.matches(':focus-visible')) showAfter(0);
  });
  for (const type of ['pointerleave', 'blur', 'pointerdown', 'keydown']) anchor.addEventListener(type, hide);
}

// Position of a popover: below its anchor, above it if there is no space below, always inside the window.
export type Side = 'below' | 'above';

export function place(floating: HTMLElement, anchor: Element, align: 'start' | 'end' | 'center' = 'start', prefer: Side = 'below'): void {
  const gap = 4;
  const a = anchor.getBoundingClientRect();
  const f = floating.getBoundingClientRect();
  const below = window.innerHeight - a.bottom - gap;
  const above = a.top - gap;
  const side: Side = prefer === 'below' ? (below >= f.height || below >= above ? 'below' : 'above') : above >= f.height || above >= below ? 'above' : 'below';
  const left = align === 'start' ? a.left : align === 'end' ? a.right - f.width : a.left + a.width / 2 - f.width / 2;
  const top = side === 'below' ? a.bottom + gap : a.top - gap - f.height;
  floating.style.setProperty('left', `${Math.max(8, Math.min(left, window.innerWidth - f.width - 8))}px`);
  floating.style.setProperty('top', `${Math.max(8, Math.min(top, window.innerHeight - f.height - 8))}px`);
}

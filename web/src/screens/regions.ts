// F6 moves the focus through the regions of the page in reading order: rail, head, stream, gate, box, panel.
const PLACES = {
  rail: '.rail-list',
  head: 'header.head',
  stream: '.stream, [data-region="stream"]',
  gate: '.dock .askbox, .dock .gateslot',
  box: '.dock form.comp',
  panel: '.stage > .panel',
} as const;
export type Region = keyof typeof PLACES;
const ORDER = Object.keys(PLACES) as readonly Region[];

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), select:not(:disabled), [tabindex="0"]';

const seen = (element: HTMLElement): boolean => element.checkVisibility();
/** Finds a region; with several sessions side by side, in the one that had the focus last. */
function find(name: Region): HTMLElement | undefined {
  const all = [...document.querySelectorAll<HTMLElement>(PLACES[name])].filter(seen);
  return all.find((element) => element.closest('[data-focused]')) ?? all[0];
}

/** Focuses a region: the element itself if it is focusable, else its first focusable descendant. */
export function focusRegion(name: Region): boolean {
  const region = find(name);
  if (!region) return false;
  const current = region.querySelector<HTMLElement>('[aria-current="page"]');
  const field = name === 'box' ? region.querySelector<HTMLElement>('textarea') : null;
  const target =
    field ??
    (current && seen(current) ? current : null) ??
    (region.hasAttribute('tabindex') ? region : [...region.querySelectorAll<HTMLElement>(FOCUSABLE)].find(seen)) ??
    region;
  target.focus();
  return document.activeElement === target;
}

export function cycleRegion(step: 1 | -1): void {
  const active = document.activeElement;
  const at = ORDER.findIndex((name) => active && find(name)?.contains(active));
  for (let n = 1; n <= ORDER.length; n += 1) {
    const name = ORDER[((at < 0 && step < 0 ? 0 : at) + step * n + ORDER.length * 2) % ORDER.length];
    if (name && focusRegion(name)) return;
  }
}

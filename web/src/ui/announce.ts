// The two live regions of the page. Streaming text never goes here.
type Politeness = 'polite' | 'assertive';
const regions: Partial<Record<Politeness, HTMLElement>> = {};

function region(politeness: Politeness): HTMLElement {
  let element = regions[politeness];
  if (!element?.isConnected) {
    element = document.createElement('div');
    element.className = 'vh';
    element.setAttribute('role', politeness === 'polite' ? 'status' : 'alert');
    element.setAttribute('aria-live', politeness);
    document.body.append(element);
    regions[politeness] = element;
  }
  return element;
}

/** Says `text` to a screen reader. The same text twice is said twice. */
export function announce(text: string, politeness: Politeness = 'polite'): void {
  const element = region(politeness);
  element.textContent = element.textContent === text ? `${text}\u00a0` : text;
}

/** Makes the regions exist before the first message, or readers miss it. */
export function installRegions(): void {
  region('polite');
  region('assertive');
}

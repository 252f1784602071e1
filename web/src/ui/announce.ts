// The two live regions of the page. Not for streaming text.
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

/** Announces `text` to screen readers, also if it is the same as before. */
export function announce(text: string, politeness: Politeness = 'polite'): void {
  const element = region(politeness);
  element.textContent = element.textContent === text ? `${text}\u00a0` : text;
}

/** Creates the regions before the first message, which screen readers would miss otherwise. */
export function installRegions(): void {
  region('polite');
  region('assertive');
}

// When a field last received input, and which element has the focus.
let field: Element | null = null;
let typedAt = 0;

const isField = (element: Element | null): element is HTMLInputElement | HTMLTextAreaElement | HTMLElement =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range', 'color', 'file'].includes(element.type)) ||
  (element instanceof HTMLElement && element.isContentEditable);

if (typeof document !== 'undefined') {
  document.addEventListener(
    'input',
    (event) => {
      if (event.target instanceof Element) {
        field = event.target;
        typedAt = performance.now();
      }
    },
    { capture: true, passive: true },
  );
}

/** The current focus in the form `mayTakeFocus` needs. */
export function focusNow(): { active: 'nothing' | 'field' | 'control'; text: boolean; typed: number | null } {
  const active = document.activeElement;
  if (!active || active === document.body || active === document.documentElement) return { active: 'nothing', text: false, typed: null };
  if (!isField(active)) return { active: 'control', text: false, typed: null };
  const text = active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement ? active.value : (active.textContent ?? '');
  return { active: 'field', text: text !== '', typed: active === field ? performance.now() - typedAt : null };
}

/** True if keys go into a field now. */
export const writesNow = (): boolean => isField(document.activeElement);

/** A narrow or touch screen: Enter inserts a line break there, and nothing takes the focus automatically. */
export const isPhone = (): boolean =>
  typeof matchMedia === 'function' && (matchMedia('(max-width: 47.99rem)').matches || matchMedia('(pointer: coarse)').matches);

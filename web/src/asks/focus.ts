// The focus of the request that is shown. A request takes it only if the user is not typing; it goes to the dialog, not
// to a button, and returns afterwards.
import { createSignal, onCleanup, onMount, type Accessor } from 'solid-js';
import { mayTakeFocus } from '../gate/rules';
import { focusNow, isPhone, writesNow } from '../gate/typing';

export interface AskFocus {
  /** The dialog of the request, once it is rendered. */
  readonly dialog: () => HTMLElement | undefined;
  /** What has the focus. The keys of a request work while it is in the request. */
  readonly where: Accessor<'ask' | 'field' | 'page'>;
  /** Reads again what has the focus. */
  readonly look: () => void;
  /** Sets the dialog and moves the focus to it, unless the user is busy elsewhere. */
  readonly mount: (element: HTMLElement) => void;
  readonly enter: () => void;
  /** Returns the focus to where it was. */
  readonly restore: () => void;
  readonly inside: () => boolean;
}

export function createAskFocus(here: () => boolean): AskFocus {
  let dialog: HTMLElement | undefined;
  let returnTo: Element | null = null;
  const [where, setWhere] = createSignal<'ask' | 'field' | 'page'>('page');
  const inside = () => dialog?.contains(document.activeElement) ?? false;
  const look = () => queueMicrotask(() => setWhere(inside() ? 'ask' : writesNow() ? 'field' : 'page'));
  onMount(() => {
    document.addEventListener('focusin', look);
    document.addEventListener('focusout', look);
    onCleanup(() => {
      document.removeEventListener('focusin', look);
      document.removeEventListener('focusout', look);
    });
  });
  return {
    dialog: () => dialog,
    where,
    look,
    inside,
    mount: (element) => {
      dialog = element;
      const away = !document.hasFocus() || document.querySelector('dialog[open]') !== null;
      if (away || isPhone() || !mayTakeFocus({ ...focusNow(), here: here() })) return;
      returnTo = document.activeElement === document.body ? returnTo : document.activeElement;
      queueMicrotask(() => element.isConnected && element.focus({ preventScroll: true }));
    },
    enter: () =>
      queueMicrotask(() => {
        if (!dialog) return;
        if (!inside()) returnTo = document.activeElement;
        dialog.focus({ preventScroll: true });
      }),
    restore: () => {
      if (!inside() && document.activeElement !== document.body && document.activeElement !== null) return;
      const back = returnTo;
      returnTo = null;
      if (back instanceof HTMLElement && back.isConnected && !dialog?.contains(back)) back.focus({ preventScroll: true });
    },
  };
}

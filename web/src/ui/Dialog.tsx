import { createEffect, createUniqueId, onCleanup, Show, type JSX } from 'solid-js';
import { t } from '../text';
import { IconButton } from './Button';

export interface DialogProps {
  open: boolean;
  title: string;
  /** Called for Escape, the close button and the backdrop; the owner sets `open` to false. */
  onClose: () => void;
  wide?: boolean | undefined;
  footer?: JSX.Element;
  /** The element that is focused first; by default the first field or the dialog itself. */
  initialFocus?: (() => HTMLElement | undefined) | undefined;
  children: JSX.Element;
}

/** A modal dialog (native <dialog>): focus stays inside and returns afterwards. Not for permission requests. */
export function Dialog(props: DialogProps): JSX.Element {
  const title = createUniqueId();
  let dialog!: HTMLDialogElement;
  createEffect(() => {
    if (props.open && !dialog.open) {
      dialog.showModal();
      const first = props.initialFocus?.() ?? dialog.querySelector<HTMLElement>('input, textarea, select, [autofocus]');
      (first ?? dialog).focus();
    } else if (!props.open && dialog.open) dialog.close();
  });
  onCleanup(() => dialog.open && dialog.close());
  return (
    <dialog
      ref={dialog}
      class="dialog"
      classList={{ wide: props.wide === true }}
      aria-labelledby={title}
      tabIndex={-1}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onClose={() => props.open && props.onClose()}
      onPointerDown={(event) => event.target === dialog && outside(dialog, event) && props.onClose()}
    >
      <Show when={props.open}>
        <header>
          <h2 id={title}>{props.title}</h2>
          <IconButton icon="x" label={t('ui.close')} onClick={() => props.onClose()} />
        </header>
        <div class="content">{props.children}</div>
        <Show when={props.footer}>
          <footer>{props.footer}</footer>
        </Show>
      </Show>
    </dialog>
  );
}

function outside(dialog: HTMLElement, event: PointerEvent): boolean {
  const box = dialog.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}

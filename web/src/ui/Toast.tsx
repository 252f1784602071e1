import { createSignal, For, onCleanup, onMount, Show, type JSX } from 'solid-js';
import { t } from '../text';
import { announce } from './announce';
import { Button, IconButton } from './Button';

export interface ToastOptions {
  action?: { label: string; run: () => void } | undefined;
  seconds?: number | undefined;
}
interface Entry extends ToastOptions {
  id: number;
  text: string;
}

const [entries, setEntries] = createSignal<readonly Entry[]>([]);
let next = 1;

export function dismissToast(id: number): void {
  setEntries((all) => all.filter((entry) => entry.id !== id));
}

/** A notification that disappears by itself; not for decisions. With an undo action it stays for 8 s. */
export function toast(text: string, options: ToastOptions = {}): number {
  const id = next++;
  setEntries((all) => [...all.slice(-2), { id, text, ...options }]);
  announce(options.action ? `${text}. ${options.action.label}` : text);
  return id;
}

export function Toasts(): JSX.Element {
  return (
    <section class="toasts" aria-label={t('ui.notifications')}>
      <For each={entries()}>{(entry) => <Line entry={entry} />}</For>
    </section>
  );
}

function Line(props: { entry: Entry }): JSX.Element {
  const life = (props.entry.seconds ?? (props.entry.action ? 8 : 4)) * 1000;
  let timer = 0;
  const start = () => {
    timer = window.setTimeout(() => dismissToast(props.entry.id), life);
  };
  onMount(start);
  onCleanup(() => clearTimeout(timer));
  return (
    <div class="toast" onPointerEnter={() => clearTimeout(timer)} onPointerLeave={start} onFocusIn={() => clearTimeout(timer)} onFocusOut={start}>
      <span class="grow">{props.entry.text}</span>
      <Show when={props.entry.action}>
        {(action) => (
          <Button
            small
            onClick={() => {
              dismissToast(props.entry.id);
              action().run();
            }}
          >
            {action().label}
          </Button>
        )}
      </Show>
      <IconButton small icon="x" label={t('ui.dismiss')} onClick={() => dismissToast(props.entry.id)} />
    </div>
  );
}

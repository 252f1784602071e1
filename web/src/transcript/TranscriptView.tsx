import { createMemo, createSignal, onCleanup, onMount, Show, Suspense, type JSX } from 'solid-js';
import { lazy } from '../ui/part';
import { Stream, type StreamHandle, type StreamProps } from './Stream';
import { remembering } from './remember';
import { TranscriptServicesProvider, type TranscriptServices } from './services';

const Find = lazy(() => import('./Find').then((module) => ({ default: module.Find })));

export interface TranscriptHandle extends StreamHandle {
  /** Opens the find bar, or focuses it if it is open. */
  openFind(): void;
}

export interface TranscriptViewProps extends Omit<StreamProps, 'handle'> {
  services: TranscriptServices;
  /** Whether Ctrl F opens this find bar; false for all but one of several sessions side by side. */
  active?: boolean | undefined;
  handle?: ((handle: TranscriptHandle) => void) | undefined;
  /** Called when find was closed: items that were loaded for it can be dropped. */
  onFound?: (() => void) | undefined;
}

/** The transcript of a session: the list, its find bar, and the keys of both. */
export function TranscriptView(props: TranscriptViewProps): JSX.Element {
  const services = createMemo(() => remembering(props.services));
  const [stream, setStream] = createSignal<StreamHandle>();
  const [finding, setFinding] = createSignal(false);
  let mark: (() => void) | undefined;
  let before: Element | null = null;

  const openFind = () => {
    if (finding()) {
      stream()?.element.closest('.streambox')?.parentElement?.querySelector<HTMLElement>('.findbar input')?.focus();
      return;
    }
    before = document.activeElement;
    setFinding(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'f' || event.shiftKey || event.altKey) return;
    // Ctrl F in the open find bar opens the browser's find.
    if (props.active === false || finding()) return;
    event.preventDefault();
    openFind();
  };
  const close = () => {
    setFinding(false);
    mark = undefined;
    props.onFound?.();
    if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
    else stream()?.focus();
  };
  onMount(() => document.addEventListener('keydown', onKeyDown));
  onCleanup(() => document.removeEventListener('keydown', onKeyDown));
  return (
    <TranscriptServicesProvider value={services()}>
      <div class="transcript">
        <Show when={finding() ? stream() : undefined}>
          {(handle) => (
            <Suspense>
              <Find
                stream={handle()}
                onClose={close}
                onShown={(again) => {
                  mark = again;
                }}
              />
            </Suspense>
          )}
        </Show>
        <Stream
          transcript={props.transcript}
          hasOlder={props.hasOlder}
          onOlder={props.onOlder}
          startAt={props.startAt}
          foldLooks={props.foldLooks}
          onFollow={props.onFollow}
          still={props.still}
          seenUpTo={props.seenUpTo}
          empty={props.empty}
          onSettled={props.onSettled}
          handle={(handle) => {
            setStream(handle);
            props.handle?.(Object.assign(Object.create(handle) as StreamHandle, { openFind }));
          }}
          onShown={() => {
            mark?.();
            props.onShown?.();
          }}
        />
      </div>
    </TranscriptServicesProvider>
  );
}

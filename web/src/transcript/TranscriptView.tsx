import { createSignal, lazy, onCleanup, onMount, Show, Suspense, type JSX } from 'solid-js';
import { Stream, type StreamHandle, type StreamProps } from './Stream';
import { TranscriptServicesProvider, type TranscriptServices } from './services';

const Find = lazy(() => import('./Find').then((module) => ({ default: module.Find })));

export interface TranscriptViewProps extends StreamProps {
  services: TranscriptServices;
}

/** The whole transcript of a session: the list, its find bar, and the keys of both. */
export function TranscriptView(props: TranscriptViewProps): JSX.Element {
  const [stream, setStream] = createSignal<StreamHandle>();
  const [finding, setFinding] = createSignal(false);
  let mark: (() => void) | undefined;
  let before: Element | null = null;

  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'f' || event.shiftKey || event.altKey) return;
    // The second Ctrl F is the browser's.
    if (finding()) return;
    event.preventDefault();
    before = document.activeElement;
    setFinding(true);
  };
  const close = () => {
    setFinding(false);
    mark = undefined;
    if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
    else stream()?.focus();
  };
  onMount(() => document.addEventListener('keydown', onKeyDown));
  onCleanup(() => document.removeEventListener('keydown', onKeyDown));
  return (
    <TranscriptServicesProvider value={props.services}>
      <Show when={finding() ? stream() : undefined}>{(handle) => <Suspense><Find stream={handle()} onClose={close} onShown={(again) => { mark = again; }} /></Suspense>}</Show>
      <Stream {...props} handle={(handle) => { setStream(handle); props.handle?.(handle); }} onShown={() => { mark?.(); props.onShown?.(); }} />
    </TranscriptServicesProvider>
  );
}

import { createEffect, onCleanup, onMount, untrack, type JSX } from 'solid-js';
import { BlockStream } from './BlockStream';
import type { MarkdownServices } from './render';

export interface MarkdownProps {
  /** Grows while `streaming`; any other change starts again. */
  text: string;
  streaming?: boolean | undefined;
  services?: MarkdownServices | undefined;
  class?: string | undefined;
}

/** Prose of a model. While it streams, at most one paint a frame, and only the tail of it. */
export function Markdown(props: MarkdownProps): JSX.Element {
  let host!: HTMLDivElement;
  let stream: BlockStream | undefined;
  let taken = '';
  let frame = 0;
  const services = untrack(() => props.services) ?? {};

  const paint = () => {
    frame = 0;
    stream?.paint();
    stream?.setCaret(true);
  };
  const update = (text: string, streaming: boolean) => {
    if (!stream || stream.done || !text.startsWith(taken)) {
      if (stream && stream.done && text === taken) return;
      host.replaceChildren();
      stream = new BlockStream(host, services);
      taken = '';
    }
    if (text.length > taken.length) stream.append(text.slice(taken.length));
    taken = text;
    if (!streaming) {
      cancelAnimationFrame(frame);
      frame = 0;
      stream.finish();
    } else if (frame === 0) frame = requestAnimationFrame(paint);
  };
  onMount(() => createEffect(() => update(props.text, props.streaming === true)));
  onCleanup(() => cancelAnimationFrame(frame));
  return <div ref={host} class={`prose ${props.class ?? ''}`} />;
}

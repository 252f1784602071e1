import { createEffect, onMount, untrack, type JSX } from 'solid-js';
import { BlockStream } from './BlockStream';
import { linkFiles } from './filelinks';
import type { MarkdownServices } from './render';

export interface MarkdownProps {
  /** Appended to while `streaming`; any other change renders it again. */
  text: string;
  streaming?: boolean | undefined;
  services?: MarkdownServices | undefined;
  class?: string | undefined;
}

/** Markdown from a model. While streaming, only its tail is painted; the caller updates `text` at most once per frame. */
export function Markdown(props: MarkdownProps): JSX.Element {
  let host!: HTMLDivElement;
  let stream: BlockStream | undefined;
  let rendered = '';
  const services = untrack(() => props.services) ?? {};

  const update = (text: string, streaming: boolean) => {
    if (!stream || stream.done || !text.startsWith(rendered)) {
      if (stream?.done && text === rendered) return;
      host.replaceChildren();
      stream = new BlockStream(host, services);
      rendered = '';
    }
    if (text.length > rendered.length) stream.append(text.slice(rendered.length));
    rendered = text;
    if (!streaming) {
      stream.finish();
      if (services.fileHref) linkFiles(host, services.fileHref);
      return;
    }
    stream.paint();
    stream.setCaret(true);
  };
  onMount(() => createEffect(() => update(props.text, props.streaming === true)));
  return <div ref={host} class={`prose ${props.class ?? ''}`} />;
}

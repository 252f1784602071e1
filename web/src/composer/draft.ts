// The unsent message: its text and pictures, saved in the browser.
import { createSignal, onCleanup, onMount, type Accessor } from 'solid-js';
import { keepFailed, type Client, type DraftPicture } from '../protocol';

/** Delay between typing and saving, in milliseconds. */
const SAVE_DELAY = 250;

export interface Draft {
  text: Accessor<string>;
  /** Replaces the text; it is saved after a short delay. */
  setText: (text: string) => void;
  pictures: Accessor<readonly DraftPicture[]>;
  /** Replaces the pictures without saving them. */
  setPictures: (pictures: readonly DraftPicture[]) => void;
  save: () => void;
  /** The browser's storage is full: the draft exists only in this tab. */
  full: Accessor<boolean>;
  setFull: (full: boolean) => void;
}

export function createDraft(client: Client, key: () => string): Draft {
  const stored = client.drafts.get(key());
  const [text, setTextSignal] = createSignal(stored.text);
  const [pictures, setPictures] = createSignal<readonly DraftPicture[]>(stored.pictures);
  const [full, setFull] = createSignal(false);

  let timer: ReturnType<typeof setTimeout> | null = null;
  const save = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    setFull(!client.drafts.set(key(), text(), pictures()));
  };
  const setText = (next: string) => {
    setTextSignal(next);
    timer ??= setTimeout(save, SAVE_DELAY);
  };
  onMount(() => {
    // Saves at once when the page is hidden or closed.
    const flush = () => {
      if (timer !== null) save();
    };
    window.addEventListener('pagehide', flush);
    document.addEventListener('visibilitychange', flush);
    onCleanup(() => {
      flush();
      window.removeEventListener('pagehide', flush);
      document.removeEventListener('visibilitychange', flush);
    });
  });
  onCleanup(keepFailed.listen(() => setFull(true)));

  return { text, setText, pictures, setPictures, save, full, setFull };
}

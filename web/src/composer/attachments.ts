// Files that are attached to a message: pictures are uploaded, text files become part of the text.
import { createSignal, onCleanup, onMount, type Accessor } from 'solid-js';
import { newId, uploadPicture, type Client, type DraftPicture } from '../protocol';
import { t } from '../text';
import type { Draft } from './draft';
import { MAX_PICTURES, prepare } from './pictures';
import { fenced, readTextFile } from './textFiles';

export interface AttachmentOptions {
  client: Client;
  draft: Draft;
  box: () => HTMLTextAreaElement;
  /** Whether this device may send messages. */
  allowed: () => boolean;
  /** Replaces the text of the message box. */
  replace: (text: string) => void;
}

export interface Attachments {
  add: (files: readonly File[]) => Promise<void>;
  remove: (picture: DraftPicture) => void;
  /** Why the last file was not attached. */
  note: Accessor<string | null>;
  /** A file is being dragged over the session. */
  over: Accessor<boolean>;
}

export function createAttachments({ client, draft, box, allowed, replace }: AttachmentOptions): Attachments {
  const { text, pictures, setPictures, save } = draft;
  const [note, setNote] = createSignal<string | null>(null);

  const addPicture = async (file: File) => {
    const made = await prepare(file);
    const picture: DraftPicture = {
      key: newId(),
      name: file.name || 'picture',
      width: made.width,
      height: made.height,
      bytes: made.blob.size,
      mimeType: made.blob.type,
      smaller: made.smaller,
      hash: null,
    };
    if (!(await client.drafts.putPicture(picture.key, made.blob))) draft.setFull(true);
    setPictures([...pictures(), picture]);
    save();
    if (!client.connection.up) return;
    void uploadPicture(made.blob).then(
      ({ hash }) => {
        setPictures(pictures().map((one) => (one.key === picture.key ? { ...one, hash: hash ?? null } : one)));
        save();
      },
      () => undefined,
    );
  };
  const addPictures = async (files: readonly File[]) => {
    setNote(null);
    for (const file of files) {
      if (pictures().length >= MAX_PICTURES) {
        setNote(t('composer.tooManyPictures', { n: MAX_PICTURES }));
        return;
      }
      try {
        await addPicture(file);
      } catch {
        setNote(t('composer.notPicture', { name: file.name || file.type }));
      }
    }
  };
  const add = async (files: readonly File[]) => {
    const images = files.filter((file) => file.type.startsWith('image/'));
    await addPictures(images);
    for (const file of files.filter((one) => !images.includes(one))) {
      const read = await readTextFile(file);
      if ('problem' in read) {
        setNote(t(read.problem === 'large' ? 'composer.fileTooLarge' : 'composer.notText', { name: file.name }));
        continue;
      }
      const before = text().trim() === '' ? '' : `${text().replace(/\s+$/, '')}\n`;
      replace(`${before}${fenced(file.name, read.text)}`);
    }
  };
  const remove = (picture: DraftPicture) => {
    setPictures(pictures().filter((one) => one.key !== picture.key));
    void client.drafts.dropPicture(picture.key);
    save();
  };

  const over = createDropTarget(box, allowed, (files) => void add(files));
  return { add, remove, note, over };
}

/** Accepts files that are dropped anywhere on the session. Returns whether one is being dragged over it. */
function createDropTarget(box: () => HTMLElement, allowed: () => boolean, onDrop: (files: readonly File[]) => void): Accessor<boolean> {
  const [over, setOver] = createSignal(false);
  onMount(() => {
    const area = box().closest<HTMLElement>('.main') ?? box();
    const accepts = (event: DragEvent) => allowed() && event.dataTransfer?.types.includes('Files') === true;
    const onDragOver = (event: DragEvent) => {
      if (accepts(event)) {
        event.preventDefault();
        setOver(true);
      }
    };
    const onDragLeave = (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node && area.contains(event.relatedTarget))) setOver(false);
    };
    const onDropEvent = (event: DragEvent) => {
      setOver(false);
      if (!accepts(event)) return;
      event.preventDefault();
      onDrop([...(event.dataTransfer?.files ?? [])]);
    };
    area.addEventListener('dragover', onDragOver);
    area.addEventListener('dragleave', onDragLeave);
    area.addEventListener('drop', onDropEvent);
    onCleanup(() => {
      area.removeEventListener('dragover', onDragOver);
      area.removeEventListener('dragleave', onDragLeave);
      area.removeEventListener('drop', onDropEvent);
    });
  });
  return over;
}

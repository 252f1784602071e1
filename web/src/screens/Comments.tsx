// Comments on the lines of a diff. They are added to the session's message box.
import '../text/places';
import { createSignal, Show, type JSX } from 'solid-js';
import type { DiffLine } from '../api/types';
import { t } from '../text';
import { Button, copyText, IconButton, Menu, TextArea, toast, type MenuItem } from '../ui';
import { client, may } from './link';

export interface Comments {
  /** Comments on a line. Undefined if the device may not send messages. */
  onLine: ((line: DiffLine) => void) | undefined;
  /** Comments on the whole file. */
  onFile: () => void;
  /** The form below a line of the diff. */
  below: (line: DiffLine) => JSX.Element | undefined;
  /** The form below the diff. */
  foot: () => JSX.Element;
}

/** The comment that is being written on a file. It survives an update of the diff. */
export function createComments(id: string, path: string): Comments {
  const [comment, setComment] = createSignal<DiffLine | 'file' | null>(null);
  const [text, setText] = createSignal('');
  const close = () => {
    setComment(null);
    setText('');
  };
  const form = () => <Comment id={id} path={path} line={lineNumber(comment())} text={text()} onText={setText} onClose={close} />;
  const isAt = (line: DiffLine) => {
    const at = comment();
    return at !== null && at !== 'file' && at.t === line.t && at.old === line.old && at.new === line.new;
  };
  return {
    get onLine() {
      return may('operate') ? (line: DiffLine) => setComment(line) : undefined;
    },
    onFile: () => setComment('file'),
    below: (line) => (isAt(line) ? form() : undefined),
    foot: () => <Show when={comment() === 'file'}>{form()}</Show>,
  };
}

/** The menu of a file in a list of diffs. */
export function FileMenu(props: { path: string; onComment: () => void; more?: MenuItem[] | undefined }): JSX.Element {
  return (
    <Menu
      label={t('places.fileMenu', { path: props.path })}
      items={() => [
        ...(may('operate') ? [{ label: t('places.comment'), icon: 'edit' as const, onSelect: () => props.onComment() }] : []),
        { label: t('places.copyPath'), icon: 'copy', onSelect: () => void copyText(props.path) },
        ...(props.more ?? []),
      ]}
      trigger={(attributes) => <IconButton {...attributes} small icon="dots" label={t('places.fileMenu', { path: props.path })} />}
    />
  );
}

const lineNumber = (line: DiffLine | 'file' | null): number | null => (line && line !== 'file' ? (line.new ?? line.old) : null);

function Comment(props: { id: string; path: string; line: number | null; text: string; onText: (text: string) => void; onClose: () => void }): JSX.Element {
  const add = () => {
    const { drafts } = client();
    const draft = drafts.get(props.id);
    const place = props.line === null ? props.path : `${props.path}:${props.line}`;
    drafts.set(props.id, [draft.text.trimEnd(), `${place}\n${props.text.trim()}`].filter(Boolean).join('\n\n'), draft.pictures);
    toast(t('places.commentAdded'));
    props.onClose();
  };
  return (
    <form
      class="cmt"
      aria-label={t('places.commentOn', { path: props.path })}
      onSubmit={(event) => {
        event.preventDefault();
        if (props.text.trim()) add();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          props.onClose();
        }
      }}
    >
      <p>
        <b class="strong">{props.line === null ? t('places.commentWhole') : t('places.commentLine', { n: props.line })}</b>{' '}
        <span class="dim">{t('places.commentGoes')}</span>
      </p>
      <TextArea
        ref={(element) => queueMicrotask(() => element.focus())}
        aria-label={t('places.comment')}
        rows={2}
        value={props.text}
        onInput={(event) => props.onText(event.currentTarget.value)}
      />
      <div class="row">
        <Button type="submit" look="primary" disabled={!props.text.trim()}>
          {t('places.commentAdd')}
        </Button>
        <Button look="bare" onClick={() => props.onClose()}>
          {t('ui.cancel')}
        </Button>
      </div>
    </form>
  );
}

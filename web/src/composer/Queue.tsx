// Queued messages: at the bridge, and on this device while it is disconnected.
import { createSignal, For, Show, type Accessor, type JSX } from 'solid-js';
import type { QueuedPrompt } from '../api/types';
import { reason } from '../gate/act';
import type { Client, KeptEntry, SessionView } from '../protocol';
import { t } from '../text';
import { announce, Button, IconButton, toast, Problem } from '../ui';

export interface QueueProps {
  client: Client;
  session: SessionView;
  kept: readonly KeptEntry[];
  connected: boolean;
  running: boolean;
  resumable: boolean;
  onTakenBack: (text: string) => void;
}

/** The queue at the bridge and what can be done with it. */
interface QueueActions {
  readonly waiting: Accessor<readonly QueuedPrompt[]>;
  readonly may: Accessor<boolean>;
  /** Why the last action failed. */
  readonly problem: Accessor<string | null>;
  /** The message that is being edited. */
  readonly editing: Accessor<string | null>;
  readonly setEditing: (id: string | null) => void;
  readonly takeBack: (one: QueuedPrompt) => Promise<void>;
  readonly sendNow: (one: QueuedPrompt) => void;
  readonly edit: (one: QueuedPrompt, text: string) => Promise<void>;
  readonly release: () => void;
  /** Moves a message to a position. */
  readonly place: (uuid: string, to: number) => Promise<void>;
  /** Moves a message by one step. */
  readonly move: (one: QueuedPrompt, step: number) => void;
}

function createActions(props: QueueProps): QueueActions {
  const sessionId = () => props.session.store.id;
  const [problem, setProblem] = createSignal<string | null>(null);
  const [editing, setEditing] = createSignal<string | null>(null);
  const waiting = () => props.session.queue;
  const may = () => props.client.may('operate') && props.connected;
  const send = async (command: Parameters<typeof props.client.commands.send>[0]) => {
    setProblem(null);
    try {
      await props.client.commands.send(command);
      return true;
    } catch (error) {
      setProblem(reason(error));
      return false;
    }
  };
  const place = async (uuid: string, to: number) => {
    const rest = waiting().filter((one) => one.uuid !== uuid);
    if (await send({ type: 'reorder', sessionId: sessionId(), uuid, before: rest[to]?.uuid ?? null }))
      announce(t('composer.moved', { n: to + 1, of: waiting().length }));
  };
  return {
    waiting,
    may,
    problem,
    editing,
    setEditing,
    takeBack: async ({ uuid, text }) => {
      if (!(await send({ type: 'take_back', sessionId: sessionId(), uuid }))) return;
      props.client.drafts.remember(sessionId(), text);
      toast(t('composer.takenBack'), { action: { label: t('ui.undo'), run: () => void props.client.outbox.keep({ sessionId: sessionId(), text }) } });
    },
    sendNow: ({ uuid }) => void send({ type: 'send_now', sessionId: sessionId(), uuid }),
    edit: async ({ uuid }, text) => {
      if (await send({ type: 'edit', sessionId: sessionId(), uuid, text })) setEditing(null);
    },
    release: () => void send({ type: 'release_queue', sessionId: sessionId() }),
    place,
    move: (one, step) => {
      const from = waiting().findIndex((entry) => entry.uuid === one.uuid);
      const to = from + step;
      if (from < 0 || to < 0 || to >= waiting().length || !may()) return;
      void place(one.uuid, to);
    },
  };
}

/** A message that is being dragged, and the position it is over. */
type Dragged = { uuid: string; over: number } | null;

/** Follows the pointer from `down` until the message is dropped. */
function drag(down: PointerEvent, one: QueuedPrompt, list: HTMLElement, queue: QueueActions, setDragged: (dragged: Dragged) => void): void {
  if (!queue.may() || queue.waiting().length < 2) return;
  down.preventDefault();
  const handle = down.currentTarget as HTMLElement;
  handle.setPointerCapture(down.pointerId);
  const from = queue.waiting().findIndex((entry) => entry.uuid === one.uuid);
  let over: number | undefined;
  const follow = (event: PointerEvent) => {
    const rows = [...list.querySelectorAll<HTMLElement>('li[data-uuid]')];
    const index = rows.findIndex((row) => {
      const box = row.getBoundingClientRect();
      return event.clientY < box.top + box.height / 2;
    });
    over = index < 0 ? rows.length : index;
    setDragged({ uuid: one.uuid, over });
  };
  const end = (event: Event) => {
    handle.removeEventListener('pointermove', follow);
    setDragged(null);
    if (event.type !== 'pointerup' || over === undefined) return;
    const target = over > from ? over - 1 : over;
    if (target !== from) void queue.place(one.uuid, target);
  };
  handle.addEventListener('pointermove', follow);
  handle.addEventListener('pointerup', end, { once: true });
  handle.addEventListener('pointercancel', end, { once: true });
}

export function Queue(props: QueueProps): JSX.Element {
  const queue = createActions(props);
  const { waiting, may, editing, setEditing } = queue;
  const [dragged, setDragged] = createSignal<Dragged>(null);
  let list!: HTMLOListElement;
  const held = () => waiting().filter((one) => one.state === 'held').length;
  return (
    <Show when={waiting().length + props.kept.length > 0}>
      <ol class="queue" ref={list} aria-label={waiting().length > 0 ? t('composer.queueLabel') : t('composer.keptLabel')}>
        <Show when={held() > 0}>
          <li class="held">
            <span class="grow">{t('composer.heldQueue', { n: held() })}</span>
            <Button small disabled={!may()} onClick={queue.release}>
              {t('composer.release')}
            </Button>
          </li>
        </Show>
        <For each={waiting()}>
          {(one, index) => (
            <li
              data-uuid={one.uuid}
              classList={{ dragged: dragged()?.uuid === one.uuid, before: dragged()?.over === index() }}
              onKeyDown={(event) => {
                if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
                  event.preventDefault();
                  queue.move(one, event.key === 'ArrowUp' ? -1 : 1);
                }
              }}
            >
              <Show
                when={editing() === one.uuid}
                fallback={<QueuedRow {...props} queue={queue} one={one} index={index()} onGrip={(event) => drag(event, one, list, queue, setDragged)} />}
              >
                <EditRow text={one.text} onCancel={() => setEditing(null)} onSave={(text) => void queue.edit(one, text)} />
              </Show>
            </li>
          )}
        </For>
        <For each={props.kept}>
          {(one) => (
            <li data-kept={one.id}>
              <Show when={editing() === one.id} fallback={<KeptRow {...props} one={one} onEdit={() => setEditing(one.id)} />}>
                <EditRow
                  text={one.text}
                  onCancel={() => setEditing(null)}
                  onSave={(text) => {
                    props.client.outbox.edit(one.id, text);
                    setEditing(null);
                  }}
                />
              </Show>
            </li>
          )}
        </For>
      </ol>
      <Problem class="compnote" why={queue.problem()} />
    </Show>
  );
}

interface QueuedProps extends QueueProps {
  queue: QueueActions;
  one: QueuedPrompt;
  index: number;
  onGrip: (down: PointerEvent) => void;
}

/** Why a message still waits, where its position does not say it. */
function noteOf(one: QueuedPrompt, resumable: boolean): string | null {
  switch (one.state) {
    case 'sent':
      return t('composer.withAgent');
    case 'held':
      return t('composer.held');
    case 'indeterminate':
      return t('composer.unsure');
    default:
      return resumable ? t('composer.afterResume') : null;
  }
}

/** A message at the bridge. */
function QueuedRow(props: QueuedProps): JSX.Element {
  const { queue } = props;
  const { may } = queue;
  const one = () => props.one;
  /** It can still be edited. */
  const open = () => one().state === 'queued' || one().state === 'held';
  const many = () => queue.waiting().length > 1;
  const nth = () => (props.index === 0 ? t('composer.first') : props.index + 1);
  return (
    <>
      <Show when={many() && open()} fallback={<span class="q">{nth()}</span>}>
        <span class="q grip" aria-hidden="true" onPointerDown={(event) => props.onGrip(event)}>
          {nth()}
        </span>
      </Show>
      <span class="grow trunc">
        {one().text}
        <Show when={one().images > 0}>
          {' '}
          <span class="dim">· {t('composer.pictures', { n: one().images })}</span>
        </Show>
      </span>
      <Show when={noteOf(one(), props.resumable)}>{(words) => <span class="q not-phone">{words()}</span>}</Show>
      <Show when={one().device !== props.client.welcome.value?.device.id && one().by}>
        {(who) => <span class="q not-phone">{t('composer.by', { who: who() })}</span>}
      </Show>
      <Show when={open()}>
        <Show when={props.running || one().state === 'held'}>
          <Button small look="bare" icon="steer" class="steer" disabled={!may()} onClick={() => queue.sendNow(one())}>
            {props.running ? t('composer.steer') : t('composer.sendHeld')}
          </Button>
        </Show>
        <Show when={many()}>
          <IconButton
            small
            class="mover"
            icon="down"
            label={t('composer.moveDown')}
            hotkey="Alt ↓"
            disabled={!may() || props.index === queue.waiting().length - 1}
            onClick={() => queue.move(one(), 1)}
          />
        </Show>
        <IconButton small icon="edit" label={t('composer.edit')} disabled={!may()} onClick={() => queue.setEditing(one().uuid)} />
      </Show>
      <IconButton small icon="x" label={t('composer.takeBack')} disabled={!may()} onClick={() => void queue.takeBack(one())} />
    </>
  );
}

/** State of a message on this device, and what becomes of it. */
function keptWords(one: KeptEntry): { state: string; note: string } {
  switch (one.state) {
    case 'failed':
      return { state: t('composer.failed'), note: one.problem?.message ?? '' };
    case 'kept':
      return { state: t('composer.notSent'), note: t('composer.goesOnce') };
    case 'unanswered':
      return { state: t('composer.beingSent'), note: t('composer.wasItSent') };
    default:
      return { state: t('composer.beingSent'), note: '' };
  }
}

/** A message on this device. */
function KeptRow(props: QueueProps & { one: KeptEntry; onEdit: () => void }): JSX.Element {
  const one = () => props.one;
  const failed = () => one().state === 'failed';
  const takeBack = () => {
    const taken = props.client.outbox.takeBack(one().id);
    if (taken) props.onTakenBack(taken.text);
  };
  return (
    <>
      <span class={`q ${failed() ? 't-bad' : 't-ask'}`}>{keptWords(one()).state}</span>
      <span class="grow trunc">{one().text}</span>
      <span class="q not-phone" classList={{ 't-bad': failed() }}>
        {keptWords(one()).note}
      </span>
      <Show when={failed()}>
        <Button small icon="retry" onClick={() => props.client.outbox.retry(one().id)}>
          {t('composer.retry')}
        </Button>
      </Show>
      <Show when={failed() || one().state === 'kept'}>
        <IconButton small icon="edit" label={t('composer.edit')} onClick={() => props.onEdit()} />
        <IconButton small icon="x" label={t('composer.takeBack')} onClick={takeBack} />
      </Show>
    </>
  );
}

function EditRow(props: { text: string; onSave: (text: string) => void; onCancel: () => void }): JSX.Element {
  const [text, setText] = createSignal(props.text);
  return (
    <div class="editrow">
      <textarea
        class="input"
        rows="1"
        aria-label={t('composer.editMessage')}
        ref={(element) => queueMicrotask(() => element.focus())}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            props.onCancel();
          }
          if (event.key === 'Enter' && !event.shiftKey && text().trim() !== '') {
            event.preventDefault();
            props.onSave(text());
          }
        }}
      />
      <Button small look="primary" disabled={text().trim() === ''} onClick={() => props.onSave(text())}>
        {t('composer.save')}
      </Button>
      <Button small look="bare" onClick={() => props.onCancel()}>
        {t('ui.cancel')}
      </Button>
    </div>
  );
}

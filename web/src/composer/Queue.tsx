// Queued messages: at the bridge, and on this device while it is disconnected.
import { createSignal, For, Show, type JSX } from 'solid-js';
import type { QueuedPrompt } from '../api/types';
import { reason } from '../gate/act';
import type { Client, KeptEntry, SessionView } from '../protocol';
import { t } from '../text';
import { announce, Button, IconButton, toast } from '../ui';

export interface QueueProps {
  client: Client;
  session: SessionView;
  kept: readonly KeptEntry[];
  connected: boolean;
  running: boolean;
  resumable: boolean;
  onTakenBack: (text: string) => void;
}

export function Queue(props: QueueProps): JSX.Element {
  const id = () => props.session.store.id;
  const [editing, setEditing] = createSignal<string | null>(null);
  const [problem, setProblem] = createSignal<string | null>(null);
  const [dragged, setDragged] = createSignal<{ uuid: string; over: number } | null>(null);
  let list!: HTMLOListElement;
  const waiting = () => props.session.queue;
  const may = () => props.client.may('operate') && props.connected;
  const run = async (act: () => Promise<unknown>) => {
    setProblem(null);
    try {
      await act();
      return true;
    } catch (error) {
      setProblem(reason(error));
      return false;
    }
  };

  const takeBack = async (one: QueuedPrompt) => {
    if (!(await run(() => props.client.commands.send({ type: 'take_back', sessionId: id(), uuid: one.uuid })))) return;
    props.client.drafts.remember(id(), one.text);
    toast(t('composer.takenBack'), { action: { label: t('ui.undo'), run: () => void props.client.outbox.keep({ sessionId: id(), text: one.text }) } });
  };
  const place = async (uuid: string, to: number) => {
    const rest = waiting().filter((one) => one.uuid !== uuid);
    const before = rest[to]?.uuid ?? null;
    if (await run(() => props.client.commands.send({ type: 'reorder', sessionId: id(), uuid, before })))
      announce(t('composer.moved', { n: to + 1, of: waiting().length }));
  };
  const move = (one: QueuedPrompt, step: number) => {
    const from = waiting().findIndex((entry) => entry.uuid === one.uuid);
    const to = from + step;
    if (from < 0 || to < 0 || to >= waiting().length || !may()) return;
    void place(one.uuid, to);
  };
  const drag = (down: PointerEvent, one: QueuedPrompt) => {
    if (!may() || waiting().length < 2) return;
    down.preventDefault();
    const handle = down.currentTarget as HTMLElement;
    handle.setPointerCapture(down.pointerId);
    const from = waiting().findIndex((entry) => entry.uuid === one.uuid);
    const at = (y: number) => {
      const rows = [...list.querySelectorAll<HTMLElement>('li[data-uuid]')];
      const index = rows.findIndex((row) => {
        const box = row.getBoundingClientRect();
        return y < box.top + box.height / 2;
      });
      return index < 0 ? rows.length : index;
    };
    const follow = (event: PointerEvent) => setDragged({ uuid: one.uuid, over: at(event.clientY) });
    const end = (event: Event) => {
      handle.removeEventListener('pointermove', follow);
      const to = dragged()?.over;
      setDragged(null);
      if (event.type !== 'pointerup' || to === undefined) return;
      const target = to > from ? to - 1 : to;
      if (target !== from) void place(one.uuid, target);
    };
    handle.addEventListener('pointermove', follow);
    handle.addEventListener('pointerup', end, { once: true });
    handle.addEventListener('pointercancel', end, { once: true });
  };
  /** True for a message that is queued at the bridge and can still be edited. */
  const open = (one: QueuedPrompt) => one.state === 'queued' || one.state === 'held';
  const held = () => waiting().filter((one) => one.state === 'held').length;
  const note = (one: QueuedPrompt) =>
    one.state === 'sent'
      ? t('composer.withAgent')
      : one.state === 'held'
        ? t('composer.held')
        : one.state === 'indeterminate'
          ? t('composer.unsure')
          : props.resumable
            ? t('composer.afterResume')
            : null;

  return (
    <Show when={waiting().length + props.kept.length > 0}>
      <ol class="queue" ref={list} aria-label={waiting().length > 0 ? t('composer.queueLabel') : t('composer.keptLabel')}>
        <Show when={held() > 0}>
          <li class="held">
            <span class="grow">{t('composer.heldQueue', { n: held() })}</span>
            <Button small disabled={!may()} onClick={() => void run(() => props.client.commands.send({ type: 'release_queue', sessionId: id() }))}>
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
                  move(one, event.key === 'ArrowUp' ? -1 : 1);
                }
              }}
            >
              <Show
                when={editing() === one.uuid}
                fallback={
                  <>
                    <Show when={waiting().length > 1 && open(one)} fallback={<span class="q">{index() === 0 ? t('composer.first') : index() + 1}</span>}>
                      <span class="q grip" aria-hidden="true" onPointerDown={(event) => drag(event, one)}>
                        {index() === 0 ? t('composer.first') : index() + 1}
                      </span>
                    </Show>
                    <span class="grow trunc">
                      {one.text}
                      <Show when={one.images > 0}>
                        {' '}
                        <span class="dim">· {t('composer.pictures', { n: one.images })}</span>
                      </Show>
                    </span>
                    <Show when={note(one)}>{(words) => <span class="q not-phone">{words()}</span>}</Show>
                    <Show when={one.device !== props.client.welcome.value?.device.id && one.by}>
                      <span class="q not-phone">{t('composer.by', { who: one.by })}</span>
                    </Show>
                    <Show when={open(one)}>
                      <Show when={props.running || one.state === 'held'}>
                        <Button
                          small
                          look="bare"
                          icon="steer"
                          class="steer"
                          disabled={!may()}
                          onClick={() => void run(() => props.client.commands.send({ type: 'send_now', sessionId: id(), uuid: one.uuid }))}
                        >
                          {props.running ? t('composer.steer') : t('composer.sendHeld')}
                        </Button>
                      </Show>
                      <Show when={waiting().length > 1}>
                        <IconButton
                          small
                          class="mover"
                          icon="down"
                          label={t('composer.moveDown')}
                          hotkey="Alt ↓"
                          disabled={!may() || index() === waiting().length - 1}
                          onClick={() => move(one, 1)}
                        />
                      </Show>
                      <IconButton small icon="edit" label={t('composer.edit')} disabled={!may()} onClick={() => setEditing(one.uuid)} />
                    </Show>
                    <IconButton small icon="x" label={t('composer.takeBack')} disabled={!may()} onClick={() => void takeBack(one)} />
                  </>
                }
              >
                <EditRow
                  text={one.text}
                  onCancel={() => setEditing(null)}
                  onSave={(text) =>
                    void run(() => props.client.commands.send({ type: 'edit', sessionId: id(), uuid: one.uuid, text })).then((done) => {
                      if (done) setEditing(null);
                    })
                  }
                />
              </Show>
            </li>
          )}
        </For>
        <For each={props.kept}>
          {(one) => (
            <li data-kept={one.id}>
              <Show
                when={editing() === one.id}
                fallback={
                  <>
                    <span class={`q ${one.state === 'failed' ? 't-bad' : 't-ask'}`}>
                      {one.state === 'failed' ? t('composer.failed') : one.state === 'kept' ? t('composer.notSent') : t('composer.beingSent')}
                    </span>
                    <span class="grow trunc">{one.text}</span>
                    <span class="q not-phone" classList={{ 't-bad': one.state === 'failed' }}>
                      {one.state === 'failed'
                        ? (one.problem?.message ?? '')
                        : one.state === 'unanswered'
                          ? t('composer.wasItSent')
                          : one.state === 'kept'
                            ? t('composer.goesOnce')
                            : ''}
                    </span>
                    <Show when={one.state === 'failed'}>
                      <Button small icon="retry" onClick={() => props.client.outbox.retry(one.id)}>
                        {t('composer.retry')}
                      </Button>
                    </Show>
                    <Show when={one.state === 'failed' || one.state === 'kept'}>
                      <IconButton small icon="edit" label={t('composer.edit')} onClick={() => setEditing(one.id)} />
                      <IconButton
                        small
                        icon="x"
                        label={t('composer.takeBack')}
                        onClick={() => {
                          const taken = props.client.outbox.takeBack(one.id);
                          if (taken) props.onTakenBack(taken.text);
                        }}
                      />
                    </Show>
                  </>
                }
              >
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
      <Show when={problem()}>
        {(why) => (
          <p class="compnote t-bad" role="alert">
            {why()}
          </p>
        )}
      </Show>
    </Show>
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

import { createEffect, createMemo, For, on, Show, type JSX } from 'solid-js';
import type { SessionState, TodoInfo } from '../api/types';
import { announce, Icon, type IconName } from '../ui';
import { t } from '../text';
import { age } from '../text/format';
import { now } from '../screens/link';
import { Pane } from './Pane';

type Look = { icon: IconName; word: () => string; look: string };

function look(todo: TodoInfo, open: ReadonlySet<string>): Look {
  if (todo.status === 'completed') return { icon: 'done', word: () => t('panels.taskDone'), look: 'done' };
  if (todo.status === 'in_progress') return { icon: 'half', word: () => t('panels.taskActive'), look: 'active' };
  if (todo.blockedBy.some((id) => open.has(id))) return { icon: 'blocked', word: () => t('panels.taskBlocked'), look: '' };
  return { icon: 'circle', word: () => t('panels.taskPending'), look: '' };
}

/** The agent's task list. Changes are announced to screen readers, at most one per five seconds. */
export function Tasks(props: { state: SessionState | undefined }): JSX.Element {
  const todos = () => props.state?.todos ?? [];
  const done = () => todos().filter((one) => one.status === 'completed').length;
  const open = createMemo(
    () =>
      new Set(
        todos()
          .filter((one) => one.status !== 'completed')
          .flatMap((one) => (one.id ? [one.id] : [])),
      ),
  );
  let announcedAt = 0;
  createEffect(
    on(
      () =>
        todos()
          .filter((one) => one.status === 'completed')
          .map((one) => one.subject),
      (after, before) => {
        const fresh = before && after.find((one) => !before.includes(one));
        if (!fresh || Date.now() - announcedAt < 5000) return;
        announcedAt = Date.now();
        announce(t('panels.saidDone', { task: fresh }));
      },
    ),
  );
  return (
    <Pane name="tasks" title={t('panels.tasks')} open figure={todos().length ? t('panels.tasksOf', { done: done(), all: todos().length }) : undefined}>
      <Show when={todos().length} fallback={<p class="dim">{t('panels.tasksNone')}</p>}>
        <ul class="tasks">
          <For each={todos()}>
            {(todo) => {
              const how = () => look(todo, open());
              return (
                <li class={how().look}>
                  <Icon name={how().icon} />
                  <span>
                    <span class="vh">{how().word()}: </span>
                    {how().look === 'active' ? (todo.active ?? todo.subject) : todo.subject}
                  </span>
                  <span class="aside">
                    <Show when={how().look === 'active' && props.state?.turn}>{(turn) => age(now() - turn().began)}</Show>
                    <Show when={how().icon === 'blocked'}>{t('panels.after', { list: todo.blockedBy.filter((id) => open().has(id)).join(', ') })}</Show>
                  </span>
                </li>
              );
            }}
          </For>
        </ul>
      </Show>
    </Pane>
  );
}

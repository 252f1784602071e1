// The user's prompt templates: files that agents offer as slash commands.
import '../text/rooms';
import { createSignal, For, Show, type JSX } from 'solid-js';
import type { Template } from '../api/types';
import { t } from '../text';
import { Button, Field, Icon, IconButton, Input, TextArea, toast } from '../ui';
import { done } from './act';
import { createAsked } from './asked';
import { may, reasonOf, request } from './link';

export default function Templates(): JSX.Element {
  const [listed, { refetch }] = createAsked(
    () => true,
    () => request({ type: 'templates' }),
  );
  /** The name of the open template; '' for a new one. */
  const [open, setOpen] = createSignal<string | null>(null);
  const saved = async () => {
    setOpen(null);
    toast(t('settings.templateSaved'));
    await refetch();
  };
  const drop = async (name: string) => {
    if (!(await done(() => request({ type: 'delete_template', name })))) return;
    toast(t('settings.templateDeleted'));
    await refetch();
  };
  return (
    <section class="templates">
      <h2>{t('settings.templates')}</h2>
      <p class="lead">{t('settings.templatesWords', { folder: listed.latest?.folder ?? '' })}</p>
      <Show when={listed.error}>
        <p class="t-bad">{reasonOf(listed.error)}</p>
      </Show>
      <ul>
        <For
          each={listed.latest?.templates}
          fallback={
            <Show when={listed.latest}>
              <li class="none">{t('settings.templatesNone')}</li>
            </Show>
          }
        >
          {(one) => (
            <li>
              <Show
                when={open() === one.name}
                fallback={
                  <div class="row">
                    <button type="button" class="fold" aria-expanded={false} disabled={!may('admin')} onClick={() => setOpen(one.name)}>
                      <Icon name="slash" />
                      <span class="mono">{one.name}</span>
                      <span class="dim trunc">{one.description}</span>
                    </button>
                    <span class="push" />
                    <IconButton
                      small
                      icon="x"
                      label={t('settings.templateDelete', { name: one.name })}
                      disabled={!may('admin')}
                      onClick={() => void drop(one.name)}
                    />
                  </div>
                }
              >
                <Form template={one} onSaved={() => void saved()} onClose={() => setOpen(null)} />
              </Show>
            </li>
          )}
        </For>
      </ul>
      <Show
        when={open() === ''}
        fallback={
          <Button icon="plus" disabled={!may('admin')} onClick={() => setOpen('')}>
            {t('settings.templateNew')}
          </Button>
        }
      >
        <Form onSaved={() => void saved()} onClose={() => setOpen(null)} />
      </Show>
    </section>
  );
}

function Form(props: { template?: Template | undefined; onSaved: () => void; onClose: () => void }): JSX.Element {
  const [name, setName] = createSignal(props.template?.name ?? '');
  const [text, setText] = createSignal(props.template?.text ?? '');
  const [busy, setBusy] = createSignal(false);
  const save = async () => {
    if (await done(() => request({ type: 'save_template', name: name().trim(), text: text(), was: props.template?.name ?? null }), setBusy)) props.onSaved();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label={t('settings.templateName')}>
        {(attributes) => (
          <Input
            {...attributes}
            mono
            value={name()}
            autocomplete="off"
            ref={(element: HTMLInputElement) => queueMicrotask(() => element.focus())}
            onInput={(event) => setName(event.currentTarget.value.replace(/^\//, ''))}
          />
        )}
      </Field>
      <Field label={t('settings.templateText')}>
        {(attributes) => <TextArea {...attributes} rows={6} value={text()} onInput={(event) => setText(event.currentTarget.value)} />}
      </Field>
      <div class="row">
        <Button type="submit" look="primary" disabled={busy() || name().trim() === '' || text().trim() === ''}>
          {t('settings.templateSave')}
        </Button>
        <Button look="bare" onClick={() => props.onClose()}>
          {t('ui.cancel')}
        </Button>
      </div>
    </form>
  );
}

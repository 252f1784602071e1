// Rewinds a session to before a message. The effect on files is shown first.
import '../text/places';
import { createEffect, createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { Rewound } from '../api/types';
import { Button, Dialog, Field, Path, Select, toast } from '../ui';
import { t } from '../text';
import { clock } from '../text/format';
import { go, sessionHref } from '../route/route';
import { createAsked } from './asked';
import { act } from './act';
import { Choices } from './Choices';
import { openSession, reasonOf, request } from './link';
import { textOf } from '../transcript/model/text';

type What = 'both' | 'talk' | 'files';

export default function Rewind(props: { id: string; prompt: string | null; onClose: () => void }): JSX.Element {
  const view = openSession(props.id);
  const prompts = createMemo(() => {
    const seen = new Map<string, { uuid: string; text: string; at: number }>();
    for (const { body, at } of view.items())
      if (body.type === 'prompt' && body.delivery === 'delivered' && body.uuid !== null) seen.set(body.uuid, { uuid: body.uuid, text: textOf(body.text), at });
    return [...seen.values()].reverse();
  });
  const [picked, setPicked] = createSignal(props.prompt ?? '');
  createEffect(() => {
    const first = prompts()[0];
    if (!picked() && first) setPicked(first.uuid);
  });
  const [what, setWhat] = createSignal<What>('both');
  const [busy, setBusy] = createSignal(false);
  const [dry] = createAsked(picked, (prompt) =>
    request({ type: 'rewind', sessionId: props.id, prompt, dryRun: true, files: true }).catch(
      (error: unknown): Rewound => ({ canRewind: false, files: [], insertions: null, deletions: null, error: reasonOf(error), sessionId: null }),
    ),
  );
  const possible = () => what() === 'talk' || dry.latest?.canRewind === true;
  const rewind = async () => {
    const done = await act(
      () => request({ type: 'rewind', sessionId: props.id, prompt: picked(), files: what() !== 'talk', conversation: what() !== 'files' }),
      setBusy,
    );
    if (!done) return;
    props.onClose();
    toast(t('places.rewound'));
    if (done.sessionId) go(sessionHref(done.sessionId));
  };
  return (
    <Dialog
      open
      title={t('places.rewindTitle')}
      onClose={props.onClose}
      footer={
        <>
          <Button look="primary" disabled={busy() || !picked() || !possible()} onClick={() => void rewind()}>
            {busy() ? t('places.rewinding') : t('places.rewindDo')}
          </Button>
          <Button look="bare" onClick={() => props.onClose()}>
            {t('ui.cancel')}
          </Button>
        </>
      }
    >
      <Show when={prompts().length} fallback={<p class="sec">{t('places.rewindNone')}</p>}>
        <Field label={t('places.rewindTo')}>
          {(attributes) => (
            <Select
              {...attributes}
              value={picked()}
              onChange={setPicked}
              options={prompts().map((one) => ({ value: one.uuid, label: `${clock(one.at)} · ${one.text.slice(0, 80)}` }))}
            />
          )}
        </Field>
        <Choices<What>
          label={t('places.rewindTitle')}
          value={what()}
          onChange={setWhat}
          options={[
            { value: 'both', label: t('places.rewindBoth'), words: t('places.rewindBothWords') },
            { value: 'talk', label: t('places.rewindTalk'), words: t('places.rewindTalkWords') },
            { value: 'files', label: t('places.rewindFiles'), words: t('places.rewindFilesWords') },
          ]}
        />
        <DryRun result={dry.latest} loading={dry.loading} />
      </Show>
    </Dialog>
  );
}

/** What a rewind would do to the files. */
function DryRun(props: { result: Rewound | undefined; loading: boolean }): JSX.Element {
  return (
    <div class="box" role="status">
      <div class="boxhead">
        <span class="grow">{props.loading ? t('places.dryRunning') : t('places.dryRun')}</span>
        <Show when={props.result?.canRewind && props.result.insertions !== null}>
          <span class="pm">
            <b>+{props.result?.insertions}</b> <i>−{props.result?.deletions}</i>
          </span>
        </Show>
      </div>
      <div class="content-pad">
        <Show
          when={props.result?.canRewind}
          fallback={
            <Show when={props.result}>
              <p class="t-ask">{t('places.rewindNo', { why: props.result?.error ?? '' })}</p>
            </Show>
          }
        >
          <Show when={props.result?.files.length} fallback={<p class="dim">{t('places.dryNothing')}</p>}>
            <ul class="files">
              <For each={props.result?.files}>
                {(file) => (
                  <li>
                    <Path path={file} />
                  </li>
                )}
              </For>
            </ul>
          </Show>
        </Show>
      </div>
    </div>
  );
}

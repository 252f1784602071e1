// A new session: folder, worktree, settings and the first message.
import { createMemo, createSignal, onMount, Show, type Accessor, type JSX } from 'solid-js';
import type { Image, Welcome } from '../api/types';
import { Composer, type ComposerHandle } from '../composer/Composer';
import { Button, Field, Icon, IconButton, Input, Select } from '../ui';
import { t } from '../text';
import { when } from '../text/format';
import { go, sessionHref } from '../route/route';
import { act } from './act';
import { Choices } from './Choices';
import { createFolders, onFolderKey, short, type Folders } from './folders';
import { client, line, may, now, request, sessions, up, welcome } from './link';
import { modelNamed } from './models';
import { EFFORTS, effortWord, MODES, modeMeaning, modeWord, type Mode } from './modes';
import { enter, newAgent, newEffort, newMode, newModel, setNewAgent, setNewEffort, setNewMode, setNewModel } from './prefs';
import { TrustNote, trustPending } from './trust';

type Agent = Welcome['agents'][number];

const agents = (): readonly Agent[] => welcome()?.agents ?? [];
/** The agent that was chosen last, or the default. */
const agentNow = (): Agent | undefined =>
  agents().find((one) => one.name === newAgent() && one.available) ??
  agents().find((one) => one.default && one.available) ??
  agents().find((one) => one.available);
const modeNow = (): Mode => (MODES.includes(newMode() as Mode) && (newMode() !== 'bypassPermissions' || may('admin')) ? (newMode() as Mode) : 'default');

/** Starts a session with the first message, or, without one, continues the last session of the folder. */
function createStart(folder: Accessor<string>, agent: Accessor<Agent | undefined>, worktree: Accessor<boolean>) {
  const [busy, setBusy] = createSignal(false);
  const ready = () => up() && may('operate') && !busy() && folder() !== '';
  const begin = async (message: { text: string; images: Image[] } | null): Promise<boolean> => {
    if (!ready()) return false;
    const started = await act(
      () =>
        request({
          type: 'start',
          projectPath: folder(),
          permissionMode: modeNow(),
          model: newModel() || null,
          effort: newEffort() || null,
          agent: agent()?.name ?? null,
          worktree: worktree(),
          continue: message === null,
          text: message?.text ?? null,
          images: message?.images ?? [],
        }),
      setBusy,
    );
    if (!started) return false;
    // After the message box has been cleared.
    queueMicrotask(() => go(sessionHref(started.sessionId), true));
    return true;
  };
  return { busy, ready, begin };
}

export default function NewSession(): JSX.Element {
  const folders = createFolders();
  const { folder, chosen } = folders;
  const [worktree, setWorktree] = createSignal(false);
  const git = () => chosen()?.git === true;
  const agent = createMemo(agentNow);
  const inTree = () => worktree() && git();
  const { busy, ready, begin } = createStart(folder, agent, inTree);
  // Rendered once the folders are loaded, so that nothing moves below them.
  const formed = createMemo<boolean>(
    (was) =>
      was ||
      line().phase === 'lost' ||
      line().phase === 'unpaired' ||
      folders.answered() === 'failed' ||
      (folders.answered() === 'found' && agent() !== undefined && !trustPending(chosen()?.path ?? '', agent()?.name)),
    false,
  );
  let box: ComposerHandle | undefined;
  // Not on touch screens, where this would open the keyboard.
  onMount(() => {
    if (matchMedia('(hover: hover) and (min-width: 48rem)').matches) box?.focus();
  });

  return (
    <main class="main" id="main" tabIndex={-1}>
      <header class="head">
        <a class="icon-btn back" href="#/" aria-label={t('sessions.back')}>
          <Icon name="back" />
        </a>
        <div class="ttl">
          <h1>{t('sessions.newSession')}</h1>
        </div>
      </header>
      <div class="scroll" data-region="stream">
        <div class="begin" classList={{ forming: !formed() }}>
          <h2 id="where">{t('sessions.where')}</h2>
          <FolderField folders={folders} onEnter={() => box?.focus()} />
          <TrustNote class="trust" folder={chosen()?.path ?? ''} agent={agent()?.name} />

          <h2>{t('sessions.whereIn')}</h2>
          <PlaceField git={git()} worktree={inTree()} onChange={setWorktree} />

          <h2>{t('sessions.withWhat')}</h2>
          <AgentFields agent={agent()} />
          <Show when={sessions().some((info) => info.projectPath === folder())}>
            <p>
              <Button look="bare" disabled={!ready()} onClick={() => void begin(null)}>
                {t('sessions.goOn')}
              </Button>
            </p>
          </Show>
          <Show when={busy()}>
            <p role="status">{t('sessions.starting')}</p>
          </Show>
        </div>
      </div>
      <div class="dock">
        <div class="dockbox">
          <Composer
            client={client()}
            line={line()}
            draftKey="new"
            folder={folder()}
            busy={false}
            running={false}
            enterIsLine={enter() === 'line'}
            handle={(one) => {
              box = one;
            }}
            onStart={begin}
          />
        </div>
      </div>
    </main>
  );
}

/** The folder field, and the folders it offers. */
function FolderField(props: { folders: Folders; onEnter: () => void }): JSX.Element {
  const { home, folder, typed, offered, choose, type, clear } = props.folders;
  return (
    <>
      <label class="folder">
        <Icon name="folder" class="dim" />
        <input
          value={typed()}
          placeholder={short(folder(), home()) || '~/'}
          aria-label={t('sessions.folderLabel')}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => onFolderKey(event, props.folders, props.onEnter)}
        />
        <Show when={typed()}>
          <IconButton small icon="x" label={t('sessions.clearSearch')} onClick={clear} />
        </Show>
      </label>
      <Show
        when={offered().length}
        fallback={
          <Show when={typed() && !props.folders.loading()}>
            <p class="t-ask">{t('sessions.folderGone', { roots: welcome()?.roots.join(', ') ?? '' })}</p>
          </Show>
        }
      >
        <Choices
          class="folds"
          mono
          label={t('sessions.foldersLabel')}
          value={folder()}
          onChange={choose}
          options={offered().map((one) => ({
            value: one.path,
            label: short(one.path, home()),
            words: [one.git ? t('sessions.git') : t('sessions.notGit'), one.used ? t('sessions.recent', { when: when(one.used, now()) }) : '']
              .filter(Boolean)
              .join(' · '),
          }))}
        />
      </Show>
    </>
  );
}

/** Agent, model, permission mode and effort. */
function AgentFields(props: { agent: Agent | undefined }): JSX.Element {
  const agent = () => props.agent;
  const mode = modeNow;
  const models = createMemo(() =>
    [
      ...new Set(
        sessions()
          .map((info) => info.model)
          .filter((one): one is string => !!one),
      ),
    ].sort(),
  );
  return (
    <div class="three">
      <Field label={t('sessions.agent')} hint={agent() ? t('sessions.paidBy', { who: agent()?.paysDetail ?? '' }) : undefined}>
        {(attributes) => (
          <Select
            {...attributes}
            value={agent()?.name ?? ''}
            onChange={setNewAgent}
            options={agents().map((one) => ({
              value: one.name,
              label: one.available ? one.name : t('sessions.agentMissing', { agent: one.name }),
              disabled: !one.available,
            }))}
          />
        )}
      </Field>
      <Field label={t('sessions.model')}>
        {(attributes) => (
          <>
            <Input
              {...attributes}
              list="models"
              value={newModel()}
              placeholder={t('sessions.modelDefault')}
              autocomplete="off"
              onInput={(event) => setNewModel(event.currentTarget.value.trim())}
            />
            <datalist id="models">
              {models().map((one) => (
                <option value={one}>{modelNamed(one)}</option>
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field label={t('sessions.mode')} hint={modeMeaning(mode())}>
        {(attributes) => (
          <Select<Mode>
            {...attributes}
            value={mode()}
            onChange={setNewMode}
            options={MODES.filter((one) => one !== 'bypassPermissions' || may('admin')).map((value) => ({ value, label: modeWord(value) }))}
          />
        )}
      </Field>
      <Field label={t('composer.effortNone')}>
        {(attributes) => (
          <Select
            {...attributes}
            value={newEffort()}
            onChange={setNewEffort}
            options={[{ value: '', label: t('sessions.modelDefault') }, ...EFFORTS.map((value) => ({ value, label: effortWord(value) }))]}
          />
        )}
      </Field>
    </div>
  );
}

/** In the folder, or in a worktree. */
function PlaceField(props: { git: boolean; worktree: boolean; onChange: (worktree: boolean) => void }): JSX.Element {
  return (
    <Choices<'place' | 'tree'>
      class="two"
      label={t('sessions.whereIn')}
      value={props.worktree ? 'tree' : 'place'}
      onChange={(value) => props.onChange(value === 'tree')}
      options={[
        { value: 'place', label: t('sessions.inPlace'), words: t('sessions.inPlaceWords') },
        { value: 'tree', label: t('sessions.worktree'), words: props.git ? t('sessions.worktreeWords') : t('sessions.worktreeNo'), disabled: !props.git },
      ]}
    />
  );
}

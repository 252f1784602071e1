// A new session: folder, worktree, settings and the first message.
import { createEffect, createMemo, createSignal, on, onMount, Show, type JSX } from 'solid-js';
import type { Image, PathInfo } from '../api/types';
import { Composer, type ComposerHandle } from '../composer/Composer';
import { announce, Button, Field, Icon, IconButton, Input, Select } from '../ui';
import { t } from '../text';
import { when } from '../text/format';
import { inWorktree } from '../text/paths';
import { go, route, sessionHref } from '../route/route';
import { createAsked } from './asked';
import { act } from './act';
import { Choices } from './Choices';
import { client, line, may, now, request, sessions, up, welcome } from './link';
import { modelNamed } from './models';
import { EFFORTS, effortWord, MODES, modeMeaning, modeWord, type Mode } from './modes';
import { enter, newAgent, newEffort, newMode, newModel, setNewAgent, setNewEffort, setNewMode, setNewModel } from './prefs';
import { TrustNote, trustPending } from './trust';
import './lists.css';

/** `~` for the home folder of the bridge's machine. */
const short = (path: string, home: string): string => (home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path);
const long = (path: string, home: string): string => (path === '~' || path.startsWith('~/') ? home + path.slice(1) : path);

export function NewSession(): JSX.Element {
  const home = () => welcome()?.home ?? '';
  const asked = () => {
    const here = route();
    return here.at === 'new' ? here.folder : '';
  };
  const [folder, setFolder] = createSignal(asked());
  const [typed, setTyped] = createSignal(asked());
  const [found] = createAsked(
    () => (up() ? long(typed(), home()) : null),
    async (prefix) => {
      try {
        const answer = await request({ type: 'folders', prefix: prefix || null });
        // No recent folders: offers those in the home folder.
        return prefix || answer.paths.length || answer.recent.length || !home() ? answer : await request({ type: 'folders', prefix: `${home()}/` });
      } catch {
        return { paths: [], recent: [] };
      }
    },
  );
  // While nothing is typed, the recent folders, with the home folder last, since few users want an agent there.
  // Otherwise the folders that match.
  const offered = createMemo((): PathInfo[] => {
    const answer = found.latest;
    if (!answer) return [];
    const list = typed()
      ? [...answer.paths, ...answer.recent.filter((one) => one.path.startsWith(long(typed(), home())))]
      : [...answer.recent, ...answer.paths.filter((one) => one.path !== home()), ...answer.paths];
    // Worktrees of other sessions are not offered.
    return [...new Map(list.filter((one) => typed() !== '' || !inWorktree(one.path)).map((one) => [one.path, one])).values()].slice(0, 12);
  });
  // A link to another folder while this screen is open.
  createEffect(
    on(
      asked,
      (next) => {
        if (next) {
          setFolder(next);
          setTyped(next);
        }
      },
      { defer: true },
    ),
  );
  createEffect(
    on(offered, (list) => {
      if (!folder() && !typed() && list[0]) setFolder(list[0].path);
    }),
  );
  const chosen = () => offered().find((one) => one.path === folder());
  const choose = (path: string) => {
    setFolder(path);
  };
  const type = (text: string) => {
    setTyped(text);
    setFolder(long(text.replace(/(.)\/+$/, '$1'), home()));
  };

  const [worktree, setWorktree] = createSignal(false);
  const git = () => chosen()?.git === true;
  const agents = () => welcome()?.agents ?? [];
  const agent = createMemo(
    () =>
      agents().find((one) => one.name === newAgent() && one.available) ??
      agents().find((one) => one.default && one.available) ??
      agents().find((one) => one.available),
  );
  const models = createMemo(() =>
    [
      ...new Set(
        sessions()
          .map((info) => info.model)
          .filter((one): one is string => !!one),
      ),
    ].sort(),
  );
  const mode = (): Mode => (MODES.includes(newMode() as Mode) && (newMode() !== 'bypassPermissions' || may('admin')) ? (newMode() as Mode) : 'default');
  const [busy, setBusy] = createSignal(false);
  const ready = () => up() && may('operate') && !busy() && folder() !== '';
  const begin = async (message: { text: string; images: Image[] } | null): Promise<boolean> => {
    if (!ready()) return false;
    const started = await act(
      () =>
        request({
          type: 'start',
          projectPath: folder(),
          permissionMode: mode(),
          model: newModel() || null,
          effort: newEffort() || null,
          agent: agent()?.name ?? null,
          worktree: worktree() && git(),
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
  // Rendered once the folders are loaded, so that nothing moves below them.
  const formed = createMemo<boolean>(
    (was) =>
      was ||
      line().phase === 'lost' ||
      line().phase === 'unpaired' ||
      found.error !== undefined ||
      (found.latest !== undefined && agent() !== undefined && !trustPending(chosen()?.path ?? '', agent()?.name)),
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
              onKeyDown={(event) => {
                if (event.isComposing) return;
                const list = offered();
                const at = list.findIndex((one) => one.path === folder());
                // Tab completes a partial name; after a complete one it moves the focus.
                const match = list[at] ?? list[0];
                if (event.key === 'Tab' && !event.shiftKey && typed() && !typed().endsWith('/') && match && match.path !== long(typed(), home())) {
                  event.preventDefault();
                  type(`${short(match.path, home())}/`);
                } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && list.length > 0) {
                  event.preventDefault();
                  const next = event.key === 'ArrowDown' ? at + 1 : at < 0 ? list.length - 1 : at - 1;
                  choose(list[(next + list.length) % list.length]?.path ?? folder());
                  announce(short(folder(), home()));
                } else if (event.key === 'Enter' && folder() !== '') {
                  event.preventDefault();
                  box?.focus();
                } else if (event.key === 'Escape' && typed()) {
                  event.preventDefault();
                  setTyped('');
                  setFolder('');
                }
              }}
            />
            <Show when={typed()}>
              <IconButton
                small
                icon="x"
                label={t('sessions.clearSearch')}
                onClick={() => {
                  setTyped('');
                  setFolder('');
                }}
              />
            </Show>
          </label>
          <Show
            when={offered().length}
            fallback={
              <Show when={typed() && !found.loading}>
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
          <TrustNote class="trust" folder={chosen()?.path ?? ''} agent={agent()?.name} />

          <h2>{t('sessions.whereIn')}</h2>
          <Choices<'place' | 'tree'>
            class="two"
            label={t('sessions.whereIn')}
            value={worktree() && git() ? 'tree' : 'place'}
            onChange={(value) => setWorktree(value === 'tree')}
            options={[
              { value: 'place', label: t('sessions.inPlace'), words: t('sessions.inPlaceWords') },
              { value: 'tree', label: t('sessions.worktree'), words: git() ? t('sessions.worktreeWords') : t('sessions.worktreeNo'), disabled: !git() },
            ]}
          />

          <h2>{t('sessions.withWhat')}</h2>
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

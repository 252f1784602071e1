// Settings of this device, access of other devices, and the bridge. Everything is saved immediately.
import '../text/rooms';
import { createEffect, createSignal, For, onCleanup, onMount, Show, Suspense, type JSX } from 'solid-js';
import { lazy } from '../ui/part';
import { Button, Icon, Input, Segmented, Select, Switch } from '../ui';
import { t } from '../text';
import { go, route } from '../route/route';
import { act } from './act';
import { Choices } from './Choices';
import { may, welcome } from './link';
import { modelNamed } from './models';
import { EFFORTS, effortWord, MODES, modeMeaning, modeWord, type Mode } from './modes';
import { allowNotices } from '../asks/notice';
import { pushIsOn, pushOff, pushOn, pushPossible, PushTrouble, tellWorker } from '../asks/push';
import * as prefs from './prefs';
import { Page } from './Page';
import './lists.css';
import './more.css';

const Devices = lazy(() => import('./Devices'));
const Machine = lazy(() => import('./Machine'));
const Templates = lazy(() => import('./Templates'));

const PARTS = ['new', 'appearance', 'writing', 'templates', 'notices', 'devices', 'agents', 'bridge', 'keys'] as const;
type Part = (typeof PARTS)[number];

const WORDS: Record<Part, () => string> = {
  new: () => t('settings.newSessions'),
  appearance: () => t('settings.appearance'),
  writing: () => t('settings.writing'),
  templates: () => t('settings.templates'),
  notices: () => t('settings.notices'),
  devices: () => t('settings.devices'),
  agents: () => t('settings.agents'),
  bridge: () => t('settings.bridge'),
  keys: () => t('settings.keys'),
};

export default function Settings(): JSX.Element {
  const part = (): Part => {
    const here = route();
    return (here.at === 'settings' && PARTS.find((one) => one === here.part)) || 'new';
  };
  const [saved, setSaved] = createSignal(false);
  let timer = 0;
  onCleanup(() => clearTimeout(timer));
  // Confirms only what was stored; a notice at the top of the page reports failures.
  const save =
    <T,>(set: Setter<T>) =>
    async (value: T) => {
      clearTimeout(timer);
      setSaved((await act(async () => set(value))) === true);
      timer = window.setTimeout(() => setSaved(false), 4000);
    };
  return (
    <Page
      title={t('sessions.settings')}
      scrolls={false}
      head={
        <span class="saved" role="status">
          <Show when={saved()}>
            <Icon name="check" />
            {t('settings.saved')}
          </Show>
        </span>
      }
    >
      <div class="setg">
        <Parts part={part()} />
        <div class="scroll" tabIndex={0} role="group" aria-label={WORDS[part()]()} data-region="stream">
          <div class="form">
            <Suspense
              fallback={
                <p class="dim" role="status">
                  {t('sessions.loading')}
                </p>
              }
            >
              <Show when={part() === 'new'}>
                <NewSessions save={save} />
              </Show>
              <Show when={part() === 'appearance'}>
                <Appearance save={save} />
              </Show>
              <Show when={part() === 'writing'}>
                <Writing save={save} />
              </Show>
              <Show when={part() === 'templates'}>
                <Templates />
              </Show>
              <Show when={part() === 'notices'}>
                <Notices save={save} />
              </Show>
              <Show when={part() === 'devices'}>
                <Devices />
              </Show>
              <Show when={part() === 'agents' || part() === 'bridge'}>
                <Machine part={part() as 'agents' | 'bridge'} />
              </Show>
              <Show when={part() === 'keys'}>
                <Button onClick={() => go('#/keys')}>{t('settings.keysOpen')}</Button>
              </Show>
            </Suspense>
          </div>
        </div>
      </div>
    </Page>
  );
}

/** Changes a setting. Returns true if it was stored. */
type Setter<T> = (value: T) => boolean | Promise<boolean>;
type Saver = { save: <T>(set: Setter<T>) => (value: T) => Promise<void> };

export function Row(props: { label: string; words?: string | undefined; tall?: boolean; children: JSX.Element }): JSX.Element {
  return (
    <div class="fr" classList={{ tall: props.tall === true }}>
      <div>
        <span class="fl">{props.label}</span>
        <Show when={props.words}>
          <p>{props.words}</p>
        </Show>
      </div>
      <div class="fc">{props.children}</div>
    </div>
  );
}

function NewSessions(props: Saver): JSX.Element {
  const agents = () => welcome()?.agents ?? [];
  return (
    <section>
      <h2>{t('settings.newSessions')}</h2>
      <p class="lead">{t('settings.newSessionsWords')}</p>
      <Row label={t('settings.agent')} words={t('settings.agentWords')}>
        <Select
          aria-label={t('settings.agent')}
          value={prefs.newAgent()}
          onChange={props.save(prefs.setNewAgent)}
          options={[
            { value: '', label: t('settings.agentDefault') },
            ...agents().map((one) => ({
              value: one.name,
              label: one.available ? one.name : t('sessions.agentMissing', { agent: one.name }),
              disabled: !one.available,
            })),
          ]}
        />
      </Row>
      <Row label={t('settings.model')} words={t('settings.modelWords')}>
        <Input
          aria-label={t('settings.model')}
          value={prefs.newModel()}
          placeholder={t('sessions.modelDefault')}
          onChange={(event) => props.save(prefs.setNewModel)(event.currentTarget.value.trim())}
        />
      </Row>
      <Row tall label={t('settings.mode')}>
        <Choices<Mode>
          label={t('settings.mode')}
          value={(prefs.newMode() || 'default') as Mode}
          onChange={props.save(prefs.setNewMode)}
          options={MODES.map((mode) => ({
            value: mode,
            label: modeWord(mode),
            words: modeMeaning(mode),
            disabled: mode === 'bypassPermissions' && !may('admin'),
          }))}
        />
      </Row>
      <Row label={t('composer.effortNone')} words={t('settings.effortWords')}>
        <Segmented
          label={t('composer.effortNone')}
          value={prefs.newEffort()}
          onChange={props.save(prefs.setNewEffort)}
          options={[{ value: '', label: t('settings.effortFree') }, ...EFFORTS.map((value) => ({ value, label: effortWord(value) }))]}
        />
      </Row>
      <Row label={t('settings.fast')} words={t('settings.fastWords')}>
        <Button small onClick={() => props.save(prefs.setNewModel)('haiku')}>
          {t('settings.fastUse', { model: modelNamed('haiku') === 'haiku' ? 'Haiku' : modelNamed('haiku') })}
        </Button>
      </Row>
    </section>
  );
}

function Appearance(props: Saver): JSX.Element {
  return (
    <section>
      <h2>{t('settings.appearance')}</h2>
      <Row label={t('settings.theme')}>
        <Segmented
          label={t('settings.theme')}
          value={prefs.theme()}
          onChange={props.save(prefs.setTheme)}
          options={[
            { value: 'system', label: t('settings.system') },
            { value: 'light', label: t('settings.light') },
            { value: 'dark', label: t('settings.dark') },
          ]}
        />
      </Row>
      <Row label={t('settings.language')}>
        <Segmented
          label={t('settings.language')}
          value={prefs.language()}
          onChange={props.save(prefs.setLanguage)}
          options={[
            { value: 'system', label: t('settings.system') },
            { value: 'en', label: t('settings.english') },
            { value: 'de', label: t('settings.german') },
          ]}
        />
      </Row>
      <Row label={t('settings.density')}>
        <Segmented
          label={t('settings.density')}
          value={prefs.density()}
          onChange={props.save(prefs.setDensity)}
          options={[
            { value: 'normal', label: t('settings.normal') },
            { value: 'tight', label: t('settings.tight') },
          ]}
        />
      </Row>
      <Row label={t('settings.diffs')}>
        <Segmented
          label={t('settings.diffs')}
          value={prefs.diffs()}
          onChange={props.save(prefs.setDiffs)}
          options={[
            { value: 'unified', label: t('settings.unified') },
            { value: 'split', label: t('settings.split') },
          ]}
        />
      </Row>
      <Row label={t('settings.motion')} words={t('settings.motionWords')}>
        <Segmented
          label={t('settings.motion')}
          value={prefs.motion()}
          onChange={props.save(prefs.setMotion)}
          options={[
            { value: 'system', label: t('settings.system') },
            { value: 'less', label: t('settings.motionLess') },
          ]}
        />
      </Row>
    </section>
  );
}

function Writing(props: Saver): JSX.Element {
  return (
    <section>
      <h2>{t('settings.writing')}</h2>
      <Row label={t('settings.enter')} words={t('settings.enterWords')}>
        <Segmented
          label={t('settings.enter')}
          value={prefs.enter()}
          onChange={props.save(prefs.setEnter)}
          options={[
            { value: 'send', label: t('settings.enterSends') },
            { value: 'line', label: t('settings.enterLine') },
          ]}
        />
      </Row>
      <Row label={t('settings.anchor')}>
        <Segmented
          label={t('settings.anchor')}
          value={prefs.anchor()}
          onChange={props.save(prefs.setAnchor)}
          options={[
            { value: 'end', label: t('settings.anchorEnd') },
            { value: 'top', label: t('settings.anchorTop') },
          ]}
        />
      </Row>
      <Row label={t('settings.reading')} words={t('settings.readingWords')}>
        <Switch label={t('settings.reading')} checked={prefs.reading() === 'on'} onChange={(on) => props.save(prefs.setReading)(on ? 'on' : 'off')} />
      </Row>
    </section>
  );
}

function Notices(props: Saver): JSX.Element {
  const [trouble, setTrouble] = createSignal('');
  const choose = async (value: 'off' | 'plain' | 'content') => {
    setTrouble('');
    if (value !== 'off') {
      if (!isSecureContext) return setTrouble(t('settings.noticeInsecure'));
      if (!(await allowNotices())) return setTrouble(t('settings.noticeDenied'));
    }
    props.save(prefs.setNotices)(value);
    if (pushPossible()) void tellWorker(value === 'content');
  };
  return (
    <section>
      <h2>{t('settings.notices')}</h2>
      <p class="lead">{t('settings.noticesWords')}</p>
      <Row label={t('settings.notice')} words={trouble() || undefined}>
        <Segmented
          label={t('settings.notice')}
          value={prefs.notices()}
          onChange={(value) => void choose(value)}
          options={[
            { value: 'off', label: t('settings.off') },
            { value: 'plain', label: t('settings.plain') },
            { value: 'content', label: t('settings.content') },
          ]}
        />
      </Row>
      <Row label={t('settings.sound')} words={t('settings.soundWords')}>
        <Switch label={t('settings.sound')} checked={prefs.sound() === 'on'} onChange={(on) => props.save(prefs.setSound)(on ? 'on' : 'off')} />
      </Row>
      <Show when={pushPossible()}>
        <Push save={props.save} />
      </Show>
      <p class="lead">{t('settings.noticesAlways')}</p>
    </section>
  );
}

/** Web push. The switch shows the actual state. */
function Push(props: Saver): JSX.Element {
  const [on, setOn] = createSignal(false);
  const [busy, setBusy] = createSignal(true);
  const [trouble, setTrouble] = createSignal('');
  const look = async () => {
    setOn(await pushIsOn());
    setBusy(false);
  };
  onMount(() => void look());
  const change = async (wanted: boolean) => {
    setTrouble('');
    setBusy(true);
    try {
      await tellWorker(prefs.notices() === 'content');
      await (wanted ? pushOn() : pushOff());
      void props.save(() => true)(wanted);
    } catch (error) {
      setTrouble(error instanceof PushTrouble ? error.message : t('settings.pushRefused', { why: String(error) }));
    }
    await look();
  };
  return (
    <Row label={t('settings.push')} words={t('settings.pushWords')}>
      <Switch label={t('settings.push')} checked={on()} disabled={busy()} onChange={(next) => void change(next)} />
      <Show when={trouble()}>
        <p class="t-bad" role="alert">
          {trouble()}
        </p>
      </Show>
    </Row>
  );
}

/** Links to the parts of the settings. */
function Parts(props: { part: Part }): JSX.Element {
  return (
    <nav
      class="subnav"
      aria-label={t('settings.parts')}
      ref={(nav) =>
        createEffect(() => {
          void props.part;
          queueMicrotask(() => nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }));
        })
      }
    >
      <For each={PARTS}>
        {(one) => (
          <a href={one === 'keys' ? '#/keys' : `#/settings/${one}`} aria-current={props.part === one ? 'page' : undefined}>
            {WORDS[one]()}
          </a>
        )}
      </For>
    </nav>
  );
}

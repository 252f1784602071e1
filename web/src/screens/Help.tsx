// Help: what the agent announced (commands, tools, agents, skills, plugins), and the terms of this page.
import '../text/rooms';
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { Facts } from '../api/types';
import { Icon, Kbd } from '../ui';
import { around, t, type Key } from '../text';
import { capsOf } from '../keys/keymap';
import { useKeys } from '../keys/listen';
import { go } from '../route/route';
import { Button } from '../ui';
import { infoOf, line, openSession, sessions, welcome } from './link';
import { titleOf } from './Dialogs';
import { Page } from './Page';
import { recall } from './prefs';
import './more.css';

const WORDS = ['Session', 'Turn', 'Ask', 'Sign', 'Steer', 'Rewind', 'Fork', 'Bridge'] as const;
const translate = t as (key: Key) => string;
const AGENTS: Readonly<Record<string, Key>> = {
  Explore: 'settings.agentExplore',
  Plan: 'settings.agentPlan',
  'general-purpose': 'settings.agentGeneral',
  claude: 'settings.agentClaude',
  'statusline-setup': 'settings.agentStatusline',
};
/** What a tool does and when it asks for permission; empty for unknown tools. */
const toolWords = (name: string): string => {
  const key = `settings.tool${name}`;
  const words = translate(key as Key);
  return words === key ? '' : words;
};
const agentWords = (name: string): string => {
  const key = AGENTS[name];
  return key ? translate(key) : '';
};

/** Wraps long lists of choices after a bar, not within a word. */
function Hint(props: { text: string }): JSX.Element {
  return (
    <For each={props.text.split('|')}>
      {(part, i) => (
        <>
          {i() > 0 ? (
            <>
              |<wbr />
            </>
          ) : null}
          {part}
        </>
      )}
    </For>
  );
}

/** Whether one of the parts contains the searched text. */
type Fits = (...parts: (string | null | undefined)[]) => boolean;

export default function Help(): JSX.Element {
  // The session that was opened last, or the newest one.
  const id = recall('last') ?? sessions().find((info) => !info.external)?.sessionId ?? '';
  const view = id ? openSession(id) : undefined;
  const facts = () => view?.facts() ?? null;
  const [text, setText] = createSignal('');
  const fits: Fits = (...parts) => parts.some((part) => part?.toLowerCase().includes(text().trim().toLowerCase()));
  // Rendered once the facts of the session have arrived, so that nothing moves below them.
  const formed = createMemo<boolean>((was) => was || facts() !== null || view === undefined || view.phase() === 'gone' || line().phase === 'lost', false);
  let field!: HTMLInputElement;
  useKeys({ search: () => field.focus() });
  return (
    <Page
      title={t('sessions.help')}
      head={
        <>
          <Show when={facts()}>
            <span class="dim not-phone trunc">
              {around('settings.helpFor', 'title')[0]}
              <b class="strong">{titleOf(infoOf(id))}</b>
              {around('settings.helpFor', 'title')[1]}
            </span>
          </Show>
          <HelpSearch
            text={text()}
            onText={setText}
            ref={(element) => {
              field = element;
            }}
          />
        </>
      }
    >
      <div class="cols help" classList={{ forming: !formed() }}>
        <section>
          <h2>{t('settings.commands')}</h2>
          <Show when={facts()} fallback={<p class="dim">{t('settings.helpNone')}</p>}>
            {(known) => <Commands facts={known()} fits={fits} />}
          </Show>
        </section>
        <section>
          <Show when={facts()}>{(known) => <Announced facts={known()} fits={fits} />}</Show>
        </section>
        <Words facts={facts()} fits={fits} />
      </div>
    </Page>
  );
}

function HelpSearch(props: { text: string; onText: (text: string) => void; ref: (field: HTMLInputElement) => void }): JSX.Element {
  return (
    <label class="search wide">
      <Icon name="grep" />
      <input
        ref={props.ref}
        type="search"
        placeholder={t('settings.helpFind')}
        aria-label={t('settings.helpFind')}
        value={props.text}
        onInput={(event) => props.onText(event.currentTarget.value)}
      />
      <Kbd keys={capsOf('search')} />
    </label>
  );
}

/** What the words mean, and the versions. */
function Words(props: { facts: Facts | null; fits: Fits }): JSX.Element {
  return (
    <section>
      <h2>{t('settings.words')}</h2>
      <dl class="words">
        <For each={WORDS.filter((word) => props.fits(translate(`settings.word${word}` as Key), translate(`settings.word${word}Words` as Key)))}>
          {(word) => (
            <>
              <dt>{translate(`settings.word${word}` as Key)}</dt>
              <dd>{translate(`settings.word${word}Words` as Key)}</dd>
            </>
          )}
        </For>
      </dl>
      <h2>{t('settings.versions')}</h2>
      <dl class="grid2">
        <dt>Sluice</dt>
        <dd class="mono">{welcome()?.bridge ?? '–'}</dd>
        <dt>{t('settings.agent')}</dt>
        <dd class="mono">{props.facts?.version ?? '–'}</dd>
        <dt>{t('settings.page')}</dt>
        <dd class="mono">{welcome()?.build ?? t('settings.sameBuild')}</dd>
      </dl>
      <p class="after">
        <Button onClick={() => go('#/keys')} icon="key">
          {t('settings.keys')}
        </Button>
      </p>
    </section>
  );
}

function Commands(props: { facts: Facts; fits: Fits }): JSX.Element {
  return (
    <>
      <ul class="hl">
        <For each={props.facts.commands.filter((one) => props.fits(one.name, one.description))}>
          {(one) => (
            <li>
              <b class="mono">/{one.name.replace(/^\//, '')}</b>
              <span>
                {one.description}{' '}
                <Show when={one.hint}>
                  <code>
                    <Hint text={one.hint ?? ''} />
                  </code>
                </Show>
              </span>
            </li>
          )}
        </For>
      </ul>
      <p class="after">{t('settings.commandsWords')}</p>
    </>
  );
}

/** What the agent announced: tools, subagents, skills and plugins. */
function Announced(props: { facts: Facts; fits: Fits }): JSX.Element {
  /** A skill is called like a command and has the description of the command. */
  const skillWords = (name: string): string => props.facts.commands.find((one) => one.name.replace(/^\//, '') === name)?.description ?? '';
  const tools = createMemo(() => {
    const own: string[] = [];
    const servers = new Map<string, string[]>();
    for (const tool of props.facts.tools) {
      const mcp = /^mcp__(.+?)__(.+)$/.exec(tool);
      if (mcp?.[1] && mcp[2]) servers.set(mcp[1], [...(servers.get(mcp[1]) ?? []), mcp[2]]);
      else own.push(tool);
    }
    return { own, servers: [...servers] };
  });
  const named = (names: readonly string[], words: (name: string) => string) =>
    names.filter((one) => props.fits(one, words(one))).map((one): Entry => [one, words(one)]);
  const servers = () =>
    tools()
      .servers.filter(([server, list]) => props.fits(server, ...list))
      .map(([server, list]): Entry => [server, `${t('settings.toolsOf', { n: list.length })}: ${list.join(', ')}`]);
  const plugins = () =>
    props.facts.plugins.filter((one) => props.fits(one.name, one.path)).map((one): Entry => [one.name, <span class="mono">{one.path}</span>]);
  return (
    <>
      <h2>{t('settings.tools')}</h2>
      <Entries of={[...named(tools().own, toolWords), ...servers()]} />
      <h2>{t('settings.subagents')}</h2>
      <Entries of={named(props.facts.agents, agentWords)} none={t('settings.noneTold')} />
      <h2>{t('settings.skills')}</h2>
      <Entries of={named(props.facts.skills, skillWords)} none={t('settings.noneTold')} />
      <h2>{t('settings.plugins')}</h2>
      <Entries of={plugins()} none={t('settings.noneTold')} />
    </>
  );
}

/** A name, and what it is. */
type Entry = readonly [name: string, words: JSX.Element];

function Entries(props: { of: readonly Entry[]; none?: string }): JSX.Element {
  return (
    <ul class="hl">
      <For each={props.of} fallback={<Show when={props.none}>{(none) => <li class="dim">{none()}</li>}</Show>}>
        {([name, words]) => (
          <li>
            <b class="mono">{name}</b>
            <span>{words}</span>
          </li>
        )}
      </For>
    </ul>
  );
}

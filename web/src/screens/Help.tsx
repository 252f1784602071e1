// Help: what the agent announced (commands, tools, agents, skills, plugins), and the terms of this page.
import '../text/rooms';
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import { Icon, Kbd } from '../ui';
import { around, t, type Key } from '../text';
import { capsOf } from '../keys/keymap';
import { useKeys } from '../keys/listen';
import { go } from '../route/route';
import { Button } from '../ui';
import { infoOf, openSession, sessions, welcome } from './link';
import { titleOf } from './Dialogs';
import { Page } from './Page';
import { recall } from './prefs';
import './more.css';

const WORDS = ['Session', 'Turn', 'Ask', 'Sign', 'Steer', 'Rewind', 'Fork', 'Bridge'] as const;
const translate = t as (key: Key) => string;
const TOOLS = [
  'Bash',
  'Read',
  'Write',
  'Edit',
  'NotebookEdit',
  'Glob',
  'Grep',
  'WebFetch',
  'WebSearch',
  'Task',
  'TaskStop',
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'ToolSearch',
  'SendMessage',
  'ListAgents',
  'Skill',
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'TaskGet',
] as const;
const AGENTS: Readonly<Record<string, Key>> = {
  Explore: 'settings.agentExplore',
  Plan: 'settings.agentPlan',
  'general-purpose': 'settings.agentGeneral',
  claude: 'settings.agentClaude',
  'statusline-setup': 'settings.agentStatusline',
};
/** What a tool does and when it asks for permission; empty for unknown tools. */
const toolWords = (name: string): string =>
  TOOLS.some((one) => one === name) ? translate(`settings.tool${name}` as Key) : name === 'Agent' ? t('settings.toolTask') : '';
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

export default function Help(): JSX.Element {
  // The session that was opened last, or the newest one.
  const id = recall('last') ?? sessions().find((info) => !info.external)?.sessionId ?? '';
  const view = id ? openSession(id) : undefined;
  const facts = () => view?.facts() ?? null;
  const [text, setText] = createSignal('');
  const fits = (...parts: (string | null | undefined)[]) => parts.some((part) => part?.toLowerCase().includes(text().trim().toLowerCase()));
  /** A skill is called like a command and has the description of the command. */
  const skillWords = (name: string): string => facts()?.commands.find((one) => one.name.replace(/^\//, '') === name)?.description ?? '';
  let field!: HTMLInputElement;
  useKeys({ search: () => field.focus() });
  const tools = createMemo(() => {
    const own: string[] = [];
    const servers = new Map<string, string[]>();
    for (const tool of facts()?.tools ?? []) {
      const mcp = /^mcp__(.+?)__(.+)$/.exec(tool);
      if (mcp?.[1] && mcp[2]) servers.set(mcp[1], [...(servers.get(mcp[1]) ?? []), mcp[2]]);
      else own.push(tool);
    }
    return { own, servers: [...servers] };
  });
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
          <label class="search wide">
            <Icon name="grep" />
            <input
              ref={field}
              type="search"
              placeholder={t('settings.helpFind')}
              aria-label={t('settings.helpFind')}
              value={text()}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <Kbd keys={capsOf('search')} />
          </label>
        </>
      }
    >
      <div class="cols help">
        <section>
          <h2>{t('settings.commands')}</h2>
          <Show when={facts()} fallback={<p class="dim">{t('settings.helpNone')}</p>}>
            {(known) => (
              <>
                <ul class="hl">
                  <For each={known().commands.filter((one) => fits(one.name, one.description))}>
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
            )}
          </Show>
        </section>
        <section>
          <Show when={facts()}>
            {(known) => (
              <>
                <h2>{t('settings.tools')}</h2>
                <ul class="hl">
                  <For each={tools().own.filter((one) => fits(one, toolWords(one)))}>
                    {(one) => (
                      <li>
                        <b class="mono">{one}</b>
                        <span>{toolWords(one)}</span>
                      </li>
                    )}
                  </For>
                  <For each={tools().servers.filter(([server, list]) => fits(server, ...list))}>
                    {([server, list]) => (
                      <li>
                        <b class="mono">{server}</b>
                        <span>
                          {t('settings.toolsOf', { n: list.length })}: {list.join(', ')}
                        </span>
                      </li>
                    )}
                  </For>
                </ul>
                <h2>{t('settings.subagents')}</h2>
                <ul class="hl">
                  <For each={known().agents.filter((one) => fits(one, agentWords(one)))} fallback={<li class="dim">{t('settings.noneTold')}</li>}>
                    {(one) => (
                      <li>
                        <b class="mono">{one}</b>
                        <span>{agentWords(one)}</span>
                      </li>
                    )}
                  </For>
                </ul>
                <h2>{t('settings.skills')}</h2>
                <ul class="hl">
                  <For each={known().skills.filter((one) => fits(one, skillWords(one)))} fallback={<li class="dim">{t('settings.noneTold')}</li>}>
                    {(one) => (
                      <li>
                        <b class="mono">{one}</b>
                        <span>{skillWords(one)}</span>
                      </li>
                    )}
                  </For>
                </ul>
                <h2>{t('settings.plugins')}</h2>
                <ul class="hl">
                  <For each={known().plugins.filter((one) => fits(one.name, one.path))} fallback={<li class="dim">{t('settings.noneTold')}</li>}>
                    {(one) => (
                      <li>
                        <b class="mono">{one.name}</b>
                        <span class="mono">{one.path}</span>
                      </li>
                    )}
                  </For>
                </ul>
              </>
            )}
          </Show>
        </section>
        <section>
          <h2>{t('settings.words')}</h2>
          <dl class="words">
            <For each={WORDS.filter((word) => fits(translate(`settings.word${word}` as Key), translate(`settings.word${word}Words` as Key)))}>
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
            <dd class="mono">{facts()?.version ?? '–'}</dd>
            <dt>{t('settings.page')}</dt>
            <dd class="mono">{welcome()?.build ?? t('settings.sameBuild')}</dd>
          </dl>
          <p class="after">
            <Button onClick={() => go('#/keys')} icon="key">
              {t('settings.keys')}
            </Button>
          </p>
        </section>
      </div>
    </Page>
  );
}

// A session with a pending request: its full text and the buttons. A file change cannot be allowed here, because its
// diff is not shown.
import { createSignal, Match, Show, Switch, type JSX } from 'solid-js';
import type { AskBrief, SessionInfo } from '../api/types';
import { Button } from '../ui';
import { t } from '../text';
import { go, sessionHref } from '../route/route';
import { askWords, toolWords } from '../gate/standing';
import { shortPath } from '../transcript/services';
import { done } from './act';
import { archive, resume, SessionMenu, titleOf } from './Dialogs';
import { branchOf, folderName, rowAge } from './groups';
import { may, now, request, up } from './link';
import { Glyph, standing } from './Standing';

/** Shows characters that change how a command reads as escapes. */
const plain = (text: string): string =>
  text.replace(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export function NeedRow(props: { info: SessionInfo }): JSX.Element {
  const crashed = () => props.info.standing === 'crashed' || props.info.standing === 'lost';
  const [busy, setBusy] = createSignal(false);
  const href = () => sessionHref(props.info.sessionId);
  const allow = (one: AskBrief) => done(() => request({ type: 'answer_ask', sessionId: props.info.sessionId, ask: one.ask, decision: 'allow' }), setBusy);
  // File changes must be reviewed in the session, however short; so must text with hidden characters.
  const whole = (one: AskBrief) => one.whole && one.kind === 'tool' && plain(one.about) === one.about;
  return (
    <li class="need" classList={{ crash: crashed() }}>
      <Glyph info={props.info} />
      <div class="names">
        <a class="title trunc" href={href()}>
          {titleOf(props.info)}
        </a>
        <span class="line2 trunc mono">
          {folderName(props.info.projectPath)}
          <Show when={branchOf(props.info)}>{(branch) => <> / {branch()}</>}</Show>
        </span>
      </div>
      <div class="act">
        <Switch fallback={<span>{standing(props.info).word}</span>}>
          <Match when={crashed()}>
            <b class="strong t-bad">{standing(props.info).word}</b> {standing(props.info).evidence}
          </Match>
          <Match when={props.info.ask}>{(one) => <Act ask={one()} cwd={props.info.projectPath} more={props.info.pendingAsks - 1} />}</Match>
        </Switch>
      </div>
      <div class="buttons">
        <Switch>
          <Match when={crashed()}>
            <Show when={may('operate')}>
              <Button look="primary" disabled={busy() || !up()} onClick={() => void resume(props.info, setBusy)}>
                {busy() ? t('sessions.resuming') : t('sessions.resume')}
              </Button>
              <Button disabled={!up()} onClick={() => void archive(props.info)}>
                {t('sessions.dismiss')}
              </Button>
            </Show>
          </Match>
          <Match when={!may('approve')}>
            <span class="dim">{t('sessions.lookOnly')}</span>
          </Match>
          <Match when={props.info.ask}>
            {(one) => (
              <Show
                when={whole(one())}
                fallback={
                  <Button look="primary" onClick={() => go(href())}>
                    {one().kind === 'question' ? t('sessions.answer') : one().kind === 'plan' ? t('sessions.review') : t('sessions.open')}
                  </Button>
                }
              >
                <Button look="primary" disabled={busy() || !up()} onClick={() => void allow(one())}>
                  {busy() ? t('sessions.allowing') : t('sessions.allow')}
                </Button>
                <Button onClick={() => go(href())}>{t('sessions.deny')}</Button>
              </Show>
            )}
          </Match>
          <Match when={true}>
            <Button look="primary" onClick={() => go(href())}>
              {t('sessions.open')}
            </Button>
          </Match>
        </Switch>
      </div>
      <span class="age num">{rowAge(props.info, now())}</span>
      <SessionMenu small info={props.info} />
    </li>
  );
}

function Act(props: { ask: AskBrief; cwd: string; more: number }): JSX.Element {
  const tool = () => props.ask.kind === 'tool';
  return (
    <>
      <b class="strong">
        {props.ask.kind === 'question'
          ? t('sessions.question')
          : props.ask.kind === 'plan'
            ? t('sessions.plan')
            : props.ask.kind === 'elicitation'
              ? t('sessions.form')
              : tool()
                ? toolWords(props.ask.toolName)
                : askWords({ kind: props.ask.kind, toolName: props.ask.toolName, card: null })}
      </b>{' '}
      <Show when={props.ask.kind === 'plan'}>{t('sessions.planWords')}</Show>
      <Show when={props.ask.about && props.ask.kind !== 'plan'}>
        <Show when={tool()} fallback={plain(props.ask.about)}>
          <code>{plain(shortPath(props.ask.about, props.cwd))}</code>
        </Show>
      </Show>{' '}
      <Show when={props.more > 0}>
        <span class="dim">{t('sessions.andMore', { n: props.more })}</span>
      </Show>
    </>
  );
}

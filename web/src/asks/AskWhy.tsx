// The reason for a permission request, the path it concerns, and the subagent that sent it.
import { Show, type JSX } from 'solid-js';
import type { AskInfo } from '../api/types';
import { t } from '../text';
import { folderName } from '../text/paths';
import { Icon } from '../ui';
import type { AskContext } from './context';
import { changesFile, inputOf, pathOf, shortPath } from './inputs';
import { Revealed } from './Revealed';

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** What the call is for, in the words of the agent; null if the title contains it already. */
function purposeOf(ask: AskInfo): string | null {
  const input = inputOf(ask.request);
  const purpose = textOf(ask.request['description']) ?? textOf(input['description']);
  if (purpose === null) return null;
  const path = pathOf(ask.card);
  return path === purpose || path?.endsWith(`/${purpose}`) ? null : purpose;
}

/** The permission mode as the reason, where the agent gives none: it asks before every edit. */
function modeReason({ ask, client, project, sessionId }: AskContext): string | null {
  if (!changesFile(ask.card) || client.list.get(sessionId)?.permissionMode !== 'default') return null;
  const folder = folderName(project);
  return `${t('asks.whyMode')} ${pathOf(ask.card)?.startsWith(`${project}/`) ? t('asks.whyInside', { folder }) : t('asks.whyOutside', { folder })}`;
}

/** The rule that makes the agent ask, as it is written. */
function ruleOf(ask: AskInfo): string | null {
  const rule = ask.request['matched_ask_rule'] as { tool_name?: string; rule_content?: string } | null | undefined;
  if (typeof rule !== 'object' || rule === null) return null;
  return `${rule.tool_name ?? ''}${rule.rule_content ? `(${rule.rule_content})` : ''}`;
}

function Row(props: { when: string | null; label: string; class?: string; children: (text: string) => JSX.Element }): JSX.Element {
  return (
    <Show when={props.when}>
      {(text) => (
        <>
          <dt>{props.label}</dt>
          <dd class={props.class}>{props.children(text())}</dd>
        </>
      )}
    </Show>
  );
}

export function AskWhy(props: { context: AskContext }): JSX.Element {
  const { ask, project } = props.context;
  const purpose = purposeOf(ask);
  const why = textOf(ask.request['decision_reason']);
  const rule = ruleOf(ask);
  const path = textOf(ask.request['blocked_path']);
  const reason = purpose === null ? null : why;
  const outside = path?.startsWith('/') && path !== project && !path.startsWith(`${project}/`);
  return (
    <div id={`ask-why-${ask.ask}`}>
      <Show when={purpose ?? why ?? modeReason(props.context)}>
        {(first) => (
          <p>
            <Revealed prose text={first()} />
          </p>
        )}
      </Show>
      <Show when={reason ?? path ?? ask.agent ?? rule}>
        <dl class="why">
          <Row when={reason} label={t('asks.because')}>
            {(text) => <Revealed prose text={text} />}
          </Row>
          <Row when={rule} label={t('asks.rule')} class="mono">
            {(text) => text}
          </Row>
          <Row when={path} label={t('asks.path')}>
            {(text) => (
              <>
                <span class="mono">
                  <Revealed text={shortPath(text, project)} />
                </span>
                <Show when={outside}>
                  {' '}
                  <span class="dim">{t('asks.pathOutside', { folder: folderName(project) })}</span>
                </Show>
              </>
            )}
          </Row>
          <Row when={ask.agent} label={t('asks.from')} class="t-other">
            {(text) => (
              <>
                <Icon name="agent" /> {text}
              </>
            )}
          </Row>
        </dl>
      </Show>
    </div>
  );
}

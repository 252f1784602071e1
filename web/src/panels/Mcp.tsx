import { createEffect, createSignal, For, onCleanup, Show, type JSX } from 'solid-js';
import type { Facts, SessionState } from '../api/types';
import { Button, Switch } from '../ui';
import { t } from '../text';
import type { McpServer, McpStatus } from '../protocol/answers';
import { createAsked } from '../screens/asked';
import { may, request } from '../screens/link';
import { act, done } from '../screens/act';
import { Pane } from './Pane';

/** Interval between two requests for the status of the servers while they are shown, in milliseconds. */
const POLL_INTERVAL = 2_000;

const dot: Readonly<Record<string, string>> = { connected: '', 'needs-auth': 'ring', pending: 'ring', failed: 'diamond', disabled: 'hollow' };

function words(server: McpServer): string {
  const parts = [
    server.status === 'connected'
      ? t('panels.mcpConnected')
      : server.status === 'needs-auth'
        ? t('panels.mcpAuth')
        : server.status === 'failed'
          ? t('panels.mcpFailed')
          : server.status === 'pending'
            ? t('panels.mcpPending')
            : server.status === 'disabled'
              ? t('panels.mcpDisabled')
              : server.status,
    server.error,
    server.tools?.length ? t('panels.mcpTools', { n: server.tools.length }) : null,
    server.transport ?? server.config?.type,
  ];
  return parts.filter(Boolean).join(' · ');
}

export function Mcp(props: { id: string; state: SessionState | undefined; facts: Facts | undefined }): JSX.Element {
  const known = () => (props.facts?.servers ?? []) as McpServer[];
  const key = () =>
    props.state?.process.state === 'up'
      ? `${props.id} ${known()
          .map((one) => `${one.name}${one.status}`)
          .join()}`
      : null;
  const [asked, { refetch }] = createAsked(key, () => request({ type: 'mcp_status', sessionId: props.id }).catch((): McpStatus => ({})));
  // The agent reports changes of a server only with the next turn, so the status is polled while the list is visible.
  let list: HTMLElement | undefined;
  const look = () => {
    if (key() !== null && !document.hidden && list?.isConnected && list.checkVisibility({ contentVisibilityAuto: true })) void refetch();
  };
  const timer = setInterval(look, POLL_INTERVAL);
  onCleanup(() => clearInterval(timer));
  const servers = () => asked.latest?.mcpServers ?? asked.latest?.servers ?? known();
  const needs = () => servers().filter((one) => one.status === 'needs-auth').length;
  return (
    <Pane
      name="mcp"
      title={t('panels.mcp')}
      figure={
        <Show when={needs()} fallback={servers().length || undefined}>
          <span class="t-ask">{t('panels.mcpNeeds', { n: needs() })}</span>
        </Show>
      }
    >
      <Show when={servers().length} fallback={<p class="dim">{t('panels.mcpNone')}</p>}>
        <ul
          class="mcp"
          ref={(element) => {
            list = element;
          }}
        >
          <For each={servers().map((one) => one.name)}>
            {(name) => (
              <Show when={servers().find((one) => one.name === name)}>{(server) => <Row id={props.id} server={server()} again={() => void refetch()} />}</Show>
            )}
          </For>
        </ul>
      </Show>
    </Pane>
  );
}

function Row(props: { id: string; server: McpServer; again: () => void }): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const [page, setPage] = createSignal<URL | null>(null);
  const run = async (send: () => Promise<unknown>) => {
    if (await done(send, setBusy)) props.again();
  };
  const signIn = async () => {
    const answer = await act(() => request({ type: 'mcp_authenticate', sessionId: props.id, server: props.server.name }), setBusy);
    const address = answer?.authUrl ?? answer?.url;
    if (!address) return props.again();
    // The address is shown in full before it is opened, and only if it is an http(s) address.
    try {
      const url = new URL(address);
      if (url.protocol === 'https:' || url.protocol === 'http:') setPage(url);
    } catch {
      props.again();
    }
  };
  // The user authorizes on another page; the status is fetched when this page becomes visible again.
  createEffect(() => {
    if (!page()) return;
    if (props.server.status !== 'needs-auth') {
      setPage(null);
      return;
    }
    const look = () => props.again();
    window.addEventListener('focus', look);
    onCleanup(() => window.removeEventListener('focus', look));
  });
  return (
    <li>
      <span class={`dot ${dot[props.server.status] ?? 'hollow'}`} aria-hidden="true" />
      <span class="mono trunc">{props.server.name}</span>
      <span class="line2">{words(props.server)}</span>
      <span class="acts">
        <Show when={may('operate')}>
          <Show when={props.server.status === 'needs-auth' && may('approve')}>
            <Button small disabled={busy()} onClick={() => void signIn()}>
              {t('panels.signIn')}
            </Button>
          </Show>
          <Show when={props.server.status === 'failed'}>
            <Button small disabled={busy()} onClick={() => void run(() => request({ type: 'mcp_reconnect', sessionId: props.id, server: props.server.name }))}>
              {busy() ? t('panels.reconnecting') : t('panels.reconnect')}
            </Button>
          </Show>
          <Switch
            label={t('panels.mcpOn', { server: props.server.name })}
            checked={props.server.status !== 'disabled'}
            disabled={!may('approve')}
            onChange={(enabled) => void run(() => request({ type: 'mcp_toggle', sessionId: props.id, server: props.server.name, enabled }))}
          />
        </Show>
      </span>
      <Show when={page()}>
        {(url) => (
          <p class="line2">
            {t('panels.signInWords', { host: url().host })}{' '}
            <a href={url().href} target="_blank" rel="noopener noreferrer">
              {t('panels.signInOpen')}
            </a>
          </p>
        )}
      </Show>
      <ToolList server={props.server} />
    </li>
  );
}

function ToolList(props: { server: McpServer }): JSX.Element {
  return (
    <Show when={props.server.tools?.length}>
      <details>
        <summary>{t('panels.mcpTools', { n: props.server.tools?.length ?? 0 })}</summary>
        <ul>
          <For each={props.server.tools}>
            {(tool) => (
              <li>
                <code>{tool.name}</code> {tool.description}
              </li>
            )}
          </For>
        </ul>
      </details>
    </Show>
  );
}

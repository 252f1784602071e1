// Devices that can access the page: pairing by QR code, scopes, revoking, and the log of decisions.
import '../text/rooms';
import { createSignal, For, onCleanup, onMount, Show, type JSX } from 'solid-js';
import type { AuditEntry, Device, PairingCode, Reach, Scope } from '../api/types';
import { Button, CopyButton, Dialog, Icon, toast } from '../ui';
import { t } from '../text';
import { age, moment, when } from '../text/format';
import { sessionHref } from '../route/route';
import { createAsked } from './asked';
import { act, done } from './act';
import { Choices } from './Choices';
import { titleOf } from './Dialogs';
import { folderName } from './groups';
import { infoOf, may, now, reasonOf, request, welcome } from './link';

const SCOPES: readonly Scope[] = ['view', 'operate', 'approve', 'admin'];
function scopeWord(scope: Scope): string {
  return { view: t('settings.scopeView'), operate: t('settings.scopeOperate'), approve: t('settings.scopeApprove'), admin: t('settings.scopeAdmin') }[scope];
}
function scopeMeaning(scope: Scope): string {
  return {
    view: t('settings.scopeViewWords'),
    operate: t('settings.scopeOperateWords'),
    approve: t('settings.scopeApproveWords'),
    admin: t('settings.scopeAdminWords'),
  }[scope];
}

export default function Devices(): JSX.Element {
  // The decisions are rendered after the list of devices, which is above them.
  const [listed, setListed] = createSignal(false);
  return (
    <Show
      when={may('admin')}
      fallback={
        <section>
          <h2>{t('settings.devices')}</h2>
          <p class="lead">{t('settings.adminOnly')}</p>
        </section>
      }
    >
      <DeviceList onListed={() => setListed(true)} />
      <Decisions hidden={!listed()} />
    </Show>
  );
}

function DeviceList(props: { onListed: () => void }): JSX.Element {
  const [devices, { refetch }] = createAsked(
    () => true,
    async () => {
      try {
        return (await request({ type: 'devices' })).devices;
      } finally {
        queueMicrotask(props.onListed);
      }
    },
  );
  const [pairing, setPairing] = createSignal(false);
  const [going, setGoing] = createSignal<Device | null>(null);
  const mine = (device: Device) => device.id === welcome()?.device.id;
  const revoke = async (device: Device) => {
    setGoing(null);
    if (!(await done(() => request({ type: 'revoke', device: device.id })))) return;
    toast(t('settings.revoked', { name: device.name }));
    void refetch();
  };
  return (
    <section classList={{ forming: devices.latest === undefined && !devices.error }}>
      <h2>{t('settings.devices')}</h2>
      <p class="lead">{t('settings.devicesWords')}</p>
      <Show when={devices.error}>
        <p class="dim">{t('settings.failed', { why: reasonOf(devices.error) })}</p>
      </Show>
      <div class="tablewrap" tabIndex={0} role="group" aria-label={t('settings.devices')}>
        <table class="ut">
          <thead>
            <tr>
              <th scope="col">{t('settings.device')}</th>
              <th scope="col">{t('settings.may')}</th>
              <th scope="col" class="right">
                {t('settings.lastSeen')}
              </th>
              <th scope="col">
                <span class="vh">{t('settings.revoke')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            <For each={devices.error ? [] : devices.latest}>
              {(device) => <DeviceRow device={device} mine={mine(device)} onRevoke={() => setGoing(device)} />}
            </For>
          </tbody>
        </table>
      </div>
      <p>
        <Button icon="plus" onClick={() => setPairing(true)}>
          {t('settings.pair')}
        </Button>
      </p>
      <Show when={going()}>
        {(device) => <RevokeDialog device={device()} mine={mine(device())} onClose={() => setGoing(null)} onRevoke={() => void revoke(device())} />}
      </Show>
      <Show when={pairing()}>
        <Pair
          onClose={() => {
            setPairing(false);
            void refetch();
          }}
        />
      </Show>
    </section>
  );
}

/** Creates the pairing code when the dialog opens. */
function Pair(props: { onClose: () => void }): JSX.Element {
  const [scope, setScope] = createSignal<Scope>('approve');
  const [code, setCode] = createSignal<PairingCode | null>(null);
  const [reach, setReach] = createSignal<Reach>();
  const make = async (wanted: Scope) => {
    setScope(wanted);
    setCode(null);
    const made = await act(() => request({ type: 'pair', scope: wanted }));
    if (!made || wanted !== scope()) return;
    setReach(made.reach);
    setCode(made);
  };
  onMount(() => void make(scope()));
  /** Show the code for this machine, although other devices cannot connect. */
  const [here, setHere] = createSignal(false);
  const left = () => (code()?.expiresAt ?? 0) - now();
  const unreachable = () => {
    const now = reach();
    return now?.localOnly && !here() ? now : undefined;
  };
  return (
    <Dialog
      open
      title={t('settings.pairTitle')}
      onClose={props.onClose}
      footer={
        <Show when={code() && left() <= 0}>
          <Button look="primary" onClick={() => void make(scope())}>
            {t('settings.pairAgain')}
          </Button>
        </Show>
      }
    >
      <Show
        when={unreachable()}
        fallback={
          <Show when={reach()}>
            <div class="pairbox">
              <Qr rows={code()?.qr ?? []} />
              <Show when={code()}>{(made) => <CodeWords made={made()} left={left()} />}</Show>
            </div>
            <Choices<Scope>
              label={t('settings.pairScope')}
              value={scope()}
              onChange={(value) => void make(value)}
              options={SCOPES.map((value) => ({ value, label: scopeWord(value), words: scopeMeaning(value) }))}
            />
          </Show>
        }
      >
        {(local) => <Reachable reach={local()} onHere={() => setHere(true)} />}
      </Show>
    </Dialog>
  );
}

/** Other devices cannot reach the bridge: shows how to change that, with one command for each way. */
function Reachable(props: { reach: Reach; onHere: () => void }): JSX.Element {
  return (
    <div class="reach">
      <p>{t('settings.reachLocal')}</p>
      <For each={props.reach.ways} fallback={<p class="dim">{t('settings.reachNone')}</p>}>
        {(way) => (
          <section>
            <h3>{way.kind === 'tailscale' ? t('settings.reachTailscale', { name: way.address }) : t('settings.reachNetwork', { address: way.address })}</h3>
            <div class="row">
              <pre class="well grow" tabIndex={0} role="group" aria-label={t('settings.reachCommand', { address: way.address })}>
                {way.command}
              </pre>
              <CopyButton text={() => way.command} label={t('settings.reachCommand', { address: way.address })} />
            </div>
          </section>
        )}
      </For>
      <ol>
        <li>{t('settings.reachRun')}</li>
        <li>{t('settings.reachScan')}</li>
        <li>{t('settings.reachAccept')}</li>
      </ol>
      <p>
        <Button small look="bare" onClick={() => props.onHere()}>
          {t('settings.reachHere')}
        </Button>
      </p>
    </div>
  );
}

/** Draws a QR code as one path with a margin of four modules; dark on light in both themes, since cameras need it. */
export function Qr(props: { rows: readonly string[] }): JSX.Element {
  const size = () => props.rows.length + 8;
  const path = () => props.rows.flatMap((row, y) => [...row].flatMap((bit, x) => (bit === '1' ? [`M${x + 4} ${y + 4}h1v1h-1z`] : []))).join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size()} ${size()}`} shape-rendering="crispEdges" role="img" aria-label={t('settings.qrLabel')}>
      <path d={path()} />
    </svg>
  );
}

const isId = (text: string): boolean => /^[0-9a-f]{8}-[0-9a-f-]{27}$|^toolu_/.test(text);

/** Describes an action; unknown ones are shown unchanged. */
function auditWord(entry: AuditEntry): string {
  const words: Readonly<Record<string, () => string>> = {
    start: () => t('settings.didStart'),
    resume: () => t('settings.didResume'),
    import: () => t('settings.didImport'),
    fork: () => t('settings.didFork'),
    delete: () => t('settings.didDelete'),
    stop: () => t('settings.didStop'),
    revoke: () => t('settings.didRevoke'),
    setting: () => t('settings.didSetting'),
    mode: () => t('settings.didMode'),
    interrupt: () => t('settings.didInterrupt'),
    rule: () => t('settings.didRule'),
    rewind: () => t('settings.didRewind'),
    git: () => t('settings.didGit'),
    template: () => t('settings.didTemplate'),
    pair: () => t('settings.didPair'),
    answer: () =>
      ({
        allow: t('settings.didAllow'),
        deny: t('settings.didDeny'),
        accept: t('settings.didSend'),
        decline: t('settings.didDecline'),
        cancel: t('settings.didCancel'),
      })[entry.detail.split(' ')[0] ?? ''] ?? t('settings.didAnswer'),
  };
  return words[entry.action]?.() ?? entry.action;
}

/** Details of the entry, without ids. */
function auditDetail(entry: AuditEntry): string {
  // `allow Bash: cargo test`: the first word is in the description already.
  if (entry.action === 'answer') {
    const rest = entry.detail.split(' ').slice(1).join(' ');
    return isId(rest) ? '' : rest;
  }
  if (entry.action === 'pair') {
    try {
      const detail = JSON.parse(entry.detail) as { scope?: Scope; address?: string };
      return [detail.scope ? scopeWord(detail.scope) : '', detail.address ?? ''].filter(Boolean).join(' · ');
    } catch {
      return entry.detail;
    }
  }
  if (entry.action === 'start') return folderName(entry.detail);
  return isId(entry.detail.trim()) ? '' : entry.detail;
}

/** Number of entries per request. */
const PAGE = 100;

function Decisions(props: { hidden: boolean }): JSX.Element {
  const [entries, setEntries] = createSignal<readonly AuditEntry[]>([]);
  const [over, setOver] = createSignal(false);
  const [asked, setAsked] = createSignal(false);
  let alive = true;
  onCleanup(() => {
    alive = false;
  });
  const more = async () => {
    const answer = await act(() => request({ type: 'audit', before: entries().at(-1)?.at ?? null }));
    setAsked(true);
    if (!answer || !alive) return;
    setOver(answer.entries.length < PAGE);
    setEntries([...entries(), ...answer.entries]);
  };
  onMount(() => void more());
  return (
    <section classList={{ forming: props.hidden || !asked() }}>
      <h2>{t('settings.audit')}</h2>
      <p class="lead">{t('settings.auditWords')}</p>
      <Show when={entries().length} fallback={<p class="dim">{t('settings.auditNone')}</p>}>
        <div class="tablewrap" tabIndex={0} role="group" aria-label={t('settings.audit')}>
          <table class="ut audit">
            <thead>
              <tr>
                <th scope="col">{t('settings.auditWhen')}</th>
                <th scope="col">{t('settings.auditWho')}</th>
                <th scope="col">{t('settings.auditWhat')}</th>
              </tr>
            </thead>
            <tbody>
              <For each={entries()}>
                {(entry) => (
                  <tr>
                    <td class="num dim" title={moment(entry.at)}>
                      {when(entry.at, now())}
                    </td>
                    <th scope="row" class="who">
                      {entry.name}
                    </th>
                    <td>
                      <b class="mid">{auditWord(entry)}</b>{' '}
                      <Show when={entry.sessionId} fallback={auditDetail(entry)}>
                        {(id) => (
                          <>
                            <a href={sessionHref(id())}>{titleOf(infoOf(id()))}</a> <span class="dim">{auditDetail(entry)}</span>
                          </>
                        )}
                      </Show>
                    </td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </div>
        <Show when={!over()}>
          <p>
            <Button small onClick={() => void more()}>
              {t('settings.auditMore')}
            </Button>
          </p>
        </Show>
      </Show>
    </section>
  );
}

function DeviceRow(props: { device: Device; mine: boolean; onRevoke: () => void }): JSX.Element {
  return (
    <tr>
      <th scope="row">
        <span class="row">
          <Icon name={props.device.kind === 'token' ? 'key' : /phone|mobile|android|iphone/i.test(props.device.name) ? 'device' : 'laptop'} />
          <span>
            {props.device.name}
            <Show when={props.mine}>
              {' '}
              <span class="dim">{t('settings.thisBrowser')}</span>
            </Show>
            <Show when={props.device.kind === 'token'}>
              {' '}
              <span class="dim">{t('settings.token')}</span>
            </Show>
          </span>
        </span>
      </th>
      <td class="dim">{scopeWord(props.device.scope)}</td>
      <td class="right dim num">{props.device.online ? t('settings.now') : t('settings.ago', { age: age(Math.max(0, now() - props.device.lastSeenAt)) })}</td>
      <td class="right">
        <Button small aria-label={t('settings.revokeOf', { name: props.device.name })} onClick={() => props.onRevoke()}>
          {t('settings.revoke')}
        </Button>
      </td>
    </tr>
  );
}

/** The code, where it can be used, and how long. */
function CodeWords(props: { made: PairingCode; left: number }): JSX.Element {
  return (
    <div>
      <p class="code">{props.made.code}</p>
      <p class="sec">{t('settings.pairWords')}</p>
      <ul>
        <For each={props.made.urls}>
          {(url) => (
            <li>
              <code>{url.split('#')[0]}</code>
            </li>
          )}
        </For>
      </ul>
      <p class="dim num" role="status">
        {props.left > 0 ? t('settings.pairLeft', { age: age(props.left) }) : t('settings.pairOver')}
      </p>
      <Show when={props.made.reach.fingerprint}>
        {(print) => (
          <p class="dim print">
            {t('settings.reachPrint')} <code>{print()}</code>
          </p>
        )}
      </Show>
    </div>
  );
}

function RevokeDialog(props: { device: Device; mine: boolean; onClose: () => void; onRevoke: () => void }): JSX.Element {
  return (
    <Dialog
      open
      title={t('settings.revokeAsk', { name: props.device.name })}
      onClose={() => props.onClose()}
      footer={
        <>
          <Button tone="bad" onClick={() => props.onRevoke()}>
            {t('settings.revoke')}
          </Button>
          <Button look="bare" onClick={() => props.onClose()}>
            {t('ui.cancel')}
          </Button>
        </>
      }
    >
      <p class="sec">
        {t('settings.revokeWords')} <Show when={props.mine}>{t('settings.revokeSelf')}</Show>
      </p>
    </Dialog>
  );
}

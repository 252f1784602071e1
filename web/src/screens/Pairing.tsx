// Pairing of a new browser: the code from the terminal and a name for the device.
import { createMemo, createSignal, For, onCleanup, onMount, Show, type JSX } from 'solid-js';
import { Button, Field, Input, StateGlyph } from '../ui';
import { t } from '../text';
import '../text/pairing';
import { age } from '../text/format';

/** Letters and digits that cannot be confused: no 0 O 1 I. */
const SIGNS = /[A-HJ-NP-Z2-9]/;
export const LENGTH = 8;

/** Normalizes a typed or pasted code: case-insensitive, without spaces and dashes, also from a complete address. */
export function readCode(text: string): string {
  const found = /[#?&]pair=([^&\s]+)/.exec(text)?.[1] ?? text;
  return [...found.toUpperCase()]
    .filter((sign) => SIGNS.test(sign))
    .join('')
    .slice(0, LENGTH);
}

export const written = (code: string): string => (code.length > 4 ? `${code.slice(0, 4)}-${code.slice(4)}` : code);

function deviceName(): string {
  const agent = navigator.userAgent;
  const browser = /Firefox\//.test(agent)
    ? 'Firefox'
    : /Edg\//.test(agent)
      ? 'Edge'
      : /Chrome\//.test(agent)
        ? 'Chrome'
        : /Safari\//.test(agent)
          ? 'Safari'
          : '';
  const kind = /iPad|Tablet/.test(agent) ? t('pairing.kindTablet') : /Mobile|Android|iPhone/.test(agent) ? t('pairing.kindPhone') : t('pairing.kindComputer');
  return browser ? `${kind}, ${browser}` : kind;
}

type Outcome = { kind: 'wrong' | 'unreachable' } | { kind: 'locked'; until: number } | { kind: 'refused'; why: string };

async function pair(code: string, device: string): Promise<Outcome | null> {
  let answer: Response;
  try {
    answer = await fetch('/api/pair', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      credentials: 'same-origin',
      body: JSON.stringify({ code: written(code), device }),
    });
  } catch {
    return { kind: 'unreachable' };
  }
  if (answer.ok) return null;
  const wait = Number(answer.headers.get('retry-after'));
  if (answer.status === 429 || answer.status === 423) return { kind: 'locked', until: Date.now() + (wait > 0 ? wait : 60) * 1000 };
  const body = (await answer.json().catch(() => null)) as { code?: string; message?: string; hint?: string | null } | null;
  // A refusal can have other reasons: an address that is not allowed, too many devices.
  if (body?.code === 'wrong_code' || (!body?.code && answer.status === 403)) return { kind: 'wrong' };
  return { kind: 'refused', why: [body?.message ?? String(answer.status), body?.hint].filter(Boolean).join('. ') };
}

/** Why the last attempt failed. `locked`: milliseconds until the next one. */
function troubleOf(one: Outcome | null, locked: number): string | null {
  if (locked) return t('pairing.lockedFor', { age: age(locked) });
  switch (one?.kind) {
    case 'wrong':
      return t('pairing.wrong');
    case 'unreachable':
      return t('pairing.unreachable');
    case 'refused':
      return t('pairing.refused', { why: one.why });
    default:
      return null;
  }
}

export default function Pairing(props: { code: string | null; revoked: boolean; onPaired: () => void }): JSX.Element {
  const [code, setCode] = createSignal(readCode(props.code ?? ''));
  const [name, setName] = createSignal(deviceName());
  const [outcome, setOutcome] = createSignal<Outcome | null>(null);
  const [busy, setBusy] = createSignal(false);
  const [clock, setClock] = createSignal(Date.now());
  const timer = setInterval(() => setClock(Date.now()), 1000);
  onCleanup(() => clearInterval(timer));
  let field!: HTMLInputElement;
  let button!: HTMLButtonElement;
  onMount(() => (code().length === LENGTH ? button : field).focus());
  const locked = () => {
    const one = outcome();
    return one?.kind === 'locked' && one.until > clock() ? one.until - clock() : 0;
  };
  const trouble = () => troubleOf(outcome(), locked());
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy() || locked()) return;
    if (code().length < LENGTH) return field.focus();
    setBusy(true);
    const problem = await pair(code(), name().trim() || deviceName());
    setBusy(false);
    setOutcome(problem);
    if (!problem) return props.onPaired();
    setCode(problem.kind === 'wrong' ? '' : code());
    field.focus();
  };
  return (
    <main class="pair" id="main">
      <div class="pairin">
        <section class="pl">
          <span class="brand">
            <StateGlyph shape="flow" />
            Sluice
          </span>
          <h1>{t('pairing.pairTitle')}</h1>
          <p class="sec">{props.revoked ? t('pairing.revoked') : t('pairing.pairWords')}</p>
          <form onSubmit={(event) => void submit(event)}>
            <CodeField
              code={code()}
              wrong={outcome()?.kind === 'wrong'}
              ref={(element) => {
                field = element;
              }}
              onCode={(next) => {
                setOutcome(null);
                setCode(next);
              }}
            />
            <p id="pair-note" class="note" classList={{ 't-bad': trouble() !== null }} role="status">
              {trouble() ?? t('pairing.pairHint')}
            </p>
            <Field label={t('pairing.device')}>
              {(attributes) => <Input {...attributes} value={name()} maxLength={60} onInput={(event) => setName(event.currentTarget.value)} />}
            </Field>
            <div class="row">
              <Button ref={button} type="submit" look="primary" disabled={busy() || locked() > 0}>
                {busy() ? t('pairing.pairing') : t('pairing.pair')}
              </Button>
              <span class="note">{t('pairing.revocable')}</span>
            </div>
          </form>
        </section>
        <WhereCode />
      </div>
    </main>
  );
}

/** The code as single signs above one field. */
function CodeField(props: { code: string; wrong: boolean; ref: (field: HTMLInputElement) => void; onCode: (code: string) => void }): JSX.Element {
  const slots = createMemo(() => Array.from({ length: LENGTH }, (_, i) => props.code[i] ?? ''));
  return (
    <div class="slots" classList={{ wrong: props.wrong }}>
      <For each={slots()}>
        {(sign, i) => (
          <>
            <Show when={i() === 4}>
              <span class="dash" aria-hidden="true" />
            </Show>
            <span class="slot" classList={{ now: i() === Math.min(props.code.length, LENGTH - 1) }} aria-hidden="true">
              {sign}
            </span>
          </>
        )}
      </For>
      <input
        ref={props.ref}
        aria-label={t('pairing.pairLabel')}
        aria-describedby="pair-note"
        aria-invalid={props.wrong ? true : undefined}
        value={written(props.code)}
        autocomplete="one-time-code"
        autocapitalize="characters"
        spellcheck={false}
        inputmode="text"
        onInput={(event) => {
          props.onCode(readCode(event.currentTarget.value));
          event.currentTarget.value = written(props.code);
        }}
      />
    </div>
  );
}

/** Where the code is printed. */
function WhereCode(): JSX.Element {
  return (
    <section class="pr" aria-label={t('pairing.whereCode')}>
      <pre>
        {'$ '}
        <b>{t('pairing.termServe')}</b>
        {`\n\n  ${t('pairing.termAt')}\n  ${location.origin}/#pair=\n\n      `}
        <b class="code">····-····</b>
        {`\n\n  ${t('pairing.termCode')}`}
      </pre>
      <p>
        {t('pairing.lost')} <code>sluice serve pair</code>
      </p>
    </section>
  );
}

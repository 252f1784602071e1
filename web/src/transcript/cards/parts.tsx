// Building blocks of bodies: numbered code, JSON trees, pictures, large texts.
import { createEffect, createMemo, createResource, createSignal, For, Match, Show, Switch, type JSX } from 'solid-js';
import { paint } from '../../markdown/runs';
import { t } from '../../text';
import { bytes, count } from '../../text/format';
import { LinkButton } from '../../ui';
import { blobOf, isFields, type Heavy, type Json, type Picture } from '../model';
import { useServices } from '../services';

/** A text that may be stored on the server: shows its beginning and loads the rest on request. */
export function HeavyText(props: { value: Heavy; children: (text: string) => JSX.Element }): JSX.Element {
  const services = useServices();
  const blob = () => (typeof props.value === 'string' ? undefined : props.value.$blob);
  const [wanted, setWanted] = createSignal<string>();
  const [all] = createResource(wanted, (hash) => services.blobText(hash));
  const text = () => (typeof props.value === 'string' ? props.value : ((all.error ? undefined : all()) ?? props.value.$blob.head ?? ''));
  return (
    <>
      {props.children(text())}
      <Show when={blob() && (all.error || !all())}>
        <p class="cutnote">
          <Show when={!all.error} fallback={t('transcript.fetchFailed')}>
            {t('transcript.cut', { size: bytes(blob()?.bytes ?? 0) })}
          </Show>{' '}
          <LinkButton onClick={() => setWanted(blob()?.hash)}>{t('transcript.fetchAll')}</LinkButton>
          {' · '}
          <a href={services.blobUrl(blob()?.hash ?? '')} target="_blank" rel="noreferrer">
            {t('ui.raw')}
          </a>
        </p>
      </Show>
    </>
  );
}

const SHOWN = 200;
const FIRST = 80;

/**
 * Lines of a file with numbers, highlighted by the server. Numbers and code are two text blocks, so that a long file
 * needs few nodes.
 */
export function CodeView(props: { text: string; start?: number | undefined; lang: string; label: string }): JSX.Element {
  const services = useServices();
  const [all, setAll] = createSignal(false);
  const lines = createMemo(() => props.text.replace(/\n$/, '').split('\n'));
  const hidden = () => (all() || lines().length <= SHOWN ? 0 : lines().length - FIRST);
  const text = () => (hidden() > 0 ? lines().slice(0, FIRST) : lines()).join('\n');
  const numbers = () => Array.from({ length: lines().length - hidden() }, (_, i) => (props.start ?? 1) + i).join('\n');
  let code!: HTMLElement;
  createEffect(() => {
    const shown = text();
    code.textContent = shown;
    if (shown.length > 60_000) return;
    services.highlight(props.lang, shown).then(
      (runs) => {
        if (code.textContent === shown) paint(code, runs);
      },
      () => undefined,
    );
  });
  return (
    <>
      <div class="codeview" tabIndex={0} role="group" aria-label={props.label}>
        <pre class="nums" aria-hidden="true">
          {numbers()}
        </pre>
        <pre>
          <code ref={code} />
        </pre>
      </div>
      <Show when={hidden() > 0}>
        <p class="cutnote">
          {t('transcript.moreLines', { n: hidden(), lines: count(hidden()) })} · <LinkButton onClick={() => setAll(true)}>{t('ui.showAll')}</LinkButton>
        </p>
      </Show>
    </>
  );
}

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** A picture of the session: from the server or embedded in the record, never remote. */
export function PictureView(props: { picture: Picture; name?: string | undefined }): JSX.Element {
  const services = useServices();
  const source = () => {
    const data = props.picture.data;
    if (typeof data !== 'string') return services.blobUrl(data.$blob.hash);
    return PICTURES.has(props.picture.mime) && /^[A-Za-z0-9+/=\s]+$/.test(data) ? `data:${props.picture.mime};base64,${data}` : undefined;
  };
  return (
    <Show when={source()} fallback={<p class="cutnote">{t('transcript.picture')}</p>}>
      {(src) => (
        <img
          class="picture"
          src={src()}
          alt={props.name ? t('transcript.pictureOf', { name: props.name }) : t('transcript.picture')}
          loading="lazy"
          decoding="async"
          width={props.picture.width}
          height={props.picture.height}
        />
      )}
    </Show>
  );
}

/** JSON as a folding tree; strings with their line breaks. */
export function JsonTree(props: { value: Json | undefined; name?: string | undefined; open?: boolean | undefined }): JSX.Element {
  return (
    <ul class="json">
      <JsonNode value={props.value ?? null} name={props.name} depth={0} open={props.open !== false} />
    </ul>
  );
}

const MOST = 100;

function JsonNode(props: { value: Json; name: string | undefined; depth: number; open: boolean }): JSX.Element {
  const [open, setOpen] = createSignal(props.open && props.depth < 2);
  const entries = createMemo((): [string, Json][] => {
    if (Array.isArray(props.value)) return (props.value as readonly Json[]).map((value, index): [string, Json] => [String(index), value]);
    return isFields(props.value) ? Object.entries(props.value).filter((pair): pair is [string, Json] => pair[1] !== undefined) : [];
  });
  const nested = () => (Array.isArray(props.value) || isFields(props.value)) && !blobOf(props.value) && entries().length > 0;
  const label = () => (Array.isArray(props.value) ? `[${entries().length}]` : `{${entries().length}}`);
  return (
    <li>
      <Switch>
        <Match when={nested() && props.depth === 0 && props.name === undefined}>
          <Children entries={entries()} depth={props.depth} />
        </Match>
        <Match when={nested()}>
          <details open={open()} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>
              <span class="jk">{props.name}</span> <span class="dim">{label()}</span>
            </summary>
            <Show when={open()}>
              <Children entries={entries()} depth={props.depth} />
            </Show>
          </details>
        </Match>
        <Match when={true}>
          <Show when={props.name !== undefined}>
            <span class="jk">{props.name}</span>{' '}
          </Show>
          <Scalar value={props.value} />
        </Match>
      </Switch>
    </li>
  );
}

function Children(props: { entries: readonly [string, Json][]; depth: number }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const rest = () => (all() ? 0 : Math.max(0, props.entries.length - MOST));
  return (
    <ul>
      <For each={rest() > 0 ? props.entries.slice(0, MOST) : props.entries}>
        {([name, value]) => <JsonNode name={name} value={value} depth={props.depth + 1} open />}
      </For>
      <Show when={rest() > 0}>
        <li>
          <LinkButton onClick={() => setAll(true)}>{t('transcript.moreItems', { n: rest() })}</LinkButton>
        </li>
      </Show>
    </ul>
  );
}

function Scalar(props: { value: Json }): JSX.Element {
  const blob = () => blobOf(props.value);
  const text = () => (blob() ? (blob()?.head ?? '') : typeof props.value === 'string' ? props.value : JSON.stringify(props.value));
  return (
    <span class={typeof props.value === 'string' || blob() ? 's' : 'nu'}>
      {text()}
      <Show when={blob()}>
        <span class="dim"> {bytes(blob()?.bytes ?? 0)}</span>
      </Show>
    </span>
  );
}

export function Section(props: { title: string; children: JSX.Element }): JSX.Element {
  return (
    <section class="bodysec">
      <p class="bodytitle">{props.title}</p>
      {props.children}
    </section>
  );
}

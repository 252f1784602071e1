// Small components: chip, progress, disclosure, path, copy button, split pane.
import { createSignal, onMount, Show, type JSX } from 'solid-js';
import { t } from '../text';
import { announce } from './announce';
import { IconButton } from './Button';
import { Icon, type IconName } from './Icon';

export type Tone = 'run' | 'ask' | 'bad' | 'ok' | 'other';

export function Badge(props: { tone?: Tone | undefined; icon?: IconName | undefined; children: JSX.Element }): JSX.Element {
  return (
    <span class={`chip ${props.tone ?? ''}`}>
      <Show when={props.icon}>{(name) => <Icon name={name()} />}</Show>
      {props.children}
    </span>
  );
}

/** A progress bar. There are no spinners: without a number, show the age of the last activity instead. */
export function Progress(props: { value: number; max: number; label: string }): JSX.Element {
  const part = () => (props.max > 0 ? Math.min(1, Math.max(0, props.value / props.max)) : 0);
  return (
    <span class="progress" role="progressbar" aria-label={props.label} aria-valuemin={0} aria-valuemax={props.max} aria-valuenow={props.value}>
      <i style={{ '--part': part() }} />
    </span>
  );
}

export interface DisclosureProps {
  title: JSX.Element;
  /** The figure that is shown in the header. */
  figure?: JSX.Element;
  open?: boolean | undefined;
  /** Stores the open state on this device under this name. */
  remember?: string | undefined;
  class?: string | undefined;
  children: JSX.Element;
}

/** A folding section (native <details>); its body is rendered when it is first opened. */
export function Disclosure(props: DisclosureProps): JSX.Element {
  const key = () => `sluice.open.${props.remember}`;
  const stored = props.remember ? recall(key()) : null;
  const [open, setOpen] = createSignal(stored === null ? props.open === true : stored === '1');
  const [made, setMade] = createSignal(open());
  return (
    <details
      class={`disclose ${props.class ?? ''}`}
      open={open()}
      onToggle={(event) => {
        const now = event.currentTarget.open;
        setOpen(now);
        if (now) setMade(true);
        if (props.remember) keep(key(), now ? '1' : '0');
      }}
    >
      <summary>
        <Icon name="chevron" class="chev" />
        {props.title}
        <span class="figure">{props.figure}</span>
      </summary>
      <Show when={made()}>{props.children}</Show>
    </details>
  );
}

const recall = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
const keep = (key: string, value: string): void => {
  try {
    localStorage.setItem(key, value);
  } catch {
    /* storage is not available: the state is not stored */
  }
};

/** A path whose folder is shortened if needed, but never its name. */
export function Path(props: { path: string }): JSX.Element {
  const cut = () => props.path.lastIndexOf('/') + 1;
  return (
    <span class="path" title={props.path}>
      <Show when={cut() > 0}>
        <span class="dir">{props.path.slice(0, cut())}</span>
      </Show>
      <span class="name">{props.path.slice(cut())}</span>
    </span>
  );
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    announce(t('ui.copied'));
    return true;
  } catch {
    announce(t('ui.copyFailed'), 'assertive');
    return false;
  }
}

export function CopyButton(props: { text: () => string | Promise<string>; label?: string | undefined }): JSX.Element {
  const [done, setDone] = createSignal(false);
  const copy = async () => {
    if (!(await copyText(await props.text()))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return <IconButton small icon={done() ? 'check' : 'copy'} label={done() ? t('ui.copied') : (props.label ?? t('ui.copy'))} onClick={() => void copy()} />;
}

/** Two columns with a divider: drag it, or use arrow keys while it has the focus. */
export function SplitPane(props: {
  left: JSX.Element;
  right: JSX.Element;
  initial?: number | undefined;
  min?: number | undefined;
  label?: string | undefined;
}): JSX.Element {
  const min = () => props.min ?? 20;
  const [part, setPart] = createSignal(props.initial ?? 50);
  const clamp = (value: number) => setPart(Math.max(min(), Math.min(100 - min(), value)));
  let pane!: HTMLDivElement;
  let bar!: HTMLDivElement;
  onMount(() => {
    bar.addEventListener('pointerdown', (down) => {
      down.preventDefault();
      bar.setPointerCapture(down.pointerId);
      const box = pane.getBoundingClientRect();
      const move = (event: PointerEvent) => clamp(((event.clientX - box.left) / box.width) * 100);
      const end = () => {
        bar.removeEventListener('pointermove', move);
      };
      bar.addEventListener('pointermove', move);
      bar.addEventListener('lostpointercapture', end, { once: true });
    });
  });
  return (
    <div ref={pane} class="split-pane" style={{ '--left': `${part()}%` }}>
      {props.left}
      <div
        ref={bar}
        class="bar"
        role="separator"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={props.label ?? t('ui.resize')}
        aria-valuemin={min()}
        aria-valuemax={100 - min()}
        aria-valuenow={Math.round(part())}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowLeft' ? -2 : event.key === 'ArrowRight' ? 2 : 0;
          if (step) {
            event.preventDefault();
            clamp(part() + step);
          }
        }}
      />
      {props.right}
    </div>
  );
}

/** Why something failed; announced by screen readers. */
export function Problem(props: { why: string | null | undefined; class?: string }): JSX.Element {
  return (
    <Show when={props.why}>
      {(why) => (
        <p class={`${props.class ?? ''} t-bad`} role="alert">
          {why()}
        </p>
      )}
    </Show>
  );
}

import { Show, splitProps, type JSX } from 'solid-js';
import { Icon, type IconName } from './Icon';
import { Kbd } from './Kbd';
import { tooltip } from './Tooltip';

type Native = Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, 'style'>;

export interface ButtonProps extends Native {
  /** primary: filled, only one per view; bare: without a border. */
  look?: 'primary' | 'bare' | undefined;
  tone?: 'bad' | undefined;
  small?: boolean | undefined;
  icon?: IconName | undefined;
  /** The keyboard shortcut, shown after the label. */
  hotkey?: string | undefined;
}

export function Button(props: ButtonProps): JSX.Element {
  const [own, native] = splitProps(props, ['look', 'tone', 'small', 'icon', 'hotkey', 'class', 'children']);
  return (
    <button type="button" {...native} class={['btn', own.look, own.tone, own.small ? 'small' : '', own.class].filter(Boolean).join(' ')}>
      <Show when={own.icon}>{(name) => <Icon name={name()} />}</Show>
      <span>{own.children}</span>
      <Show when={own.hotkey}>{(keys) => <Kbd keys={keys()} />}</Show>
    </button>
  );
}

export interface IconButtonProps extends Omit<Native, 'children'> {
  icon: IconName;
  /** Label for screen readers and the tooltip. */
  label: string;
  hotkey?: string | undefined;
  small?: boolean | undefined;
  pressed?: boolean | undefined;
}

export function IconButton(props: IconButtonProps): JSX.Element {
  const [own, native] = splitProps(props, ['icon', 'label', 'hotkey', 'small', 'pressed', 'class']);
  return (
    <button
      type="button"
      {...native}
      ref={(element) => {
        tooltip(element, () => (own.hotkey ? `${own.label} (${own.hotkey})` : own.label));
        if (typeof props.ref === 'function') props.ref(element);
      }}
      class={['icon-btn', own.small ? 'small' : '', own.class].filter(Boolean).join(' ')}
      aria-label={own.label}
      aria-pressed={own.pressed}
    >
      <Icon name={own.icon} />
    </button>
  );
}

/** A button that looks like a link. */
export function LinkButton(props: Native): JSX.Element {
  const [own, native] = splitProps(props, ['class']);
  return <button type="button" {...native} class={`link-btn ${own.class ?? ''}`} />;
}

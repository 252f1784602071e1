import { createEffect, createSignal, createUniqueId, For, Match, onCleanup, Show, Switch, type JSX } from 'solid-js';
import { Icon, type IconName } from './Icon';
import { Kbd } from './Kbd';
import { place } from './place';

export interface MenuItem {
  label: string;
  icon?: IconName | undefined;
  hotkey?: string | undefined;
  /** Text at the right edge. */
  note?: string | undefined;
  bad?: boolean | undefined;
  disabled?: boolean | undefined;
  /** Set for one of several choices. */
  checked?: boolean | undefined;
  onSelect: () => void;
}
export type MenuEntry = MenuItem | 'separator';

export interface MenuProps {
  items: () => readonly MenuEntry[];
  align?: 'start' | 'end' | undefined;
  label: string;
  /** Renders the button; spread the attributes on it. */
  trigger: (attributes: TriggerAttributes) => JSX.Element;
}
export interface TriggerAttributes {
  ref: (element: HTMLElement) => void;
  onClick: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  'aria-haspopup': 'menu';
  'aria-expanded': boolean;
  'aria-controls': string;
}

const [openMenus, setOpenMenus] = createSignal(0);
/** True while a menu is open. Lists must not move rows then: moving an element closes its popover. */
export const menuIsOpen = (): boolean => openMenus() > 0;

/** Arrow keys, Home, End, first letters, Tab and Escape in an open menu. */
function onMenuKey(event: KeyboardEvent, all: readonly HTMLButtonElement[], hide: (refocus: boolean) => void): void {
  const at = all.indexOf(document.activeElement as HTMLButtonElement);
  const go = (index: number) => {
    event.preventDefault();
    all.at(index % all.length)?.focus();
  };
  if (event.key === 'ArrowDown') go(at + 1);
  else if (event.key === 'ArrowUp') go(at - 1);
  else if (event.key === 'Home') go(0);
  else if (event.key === 'End') go(-1);
  else if (event.key === 'Tab') hide(true);
  else if (event.key === 'Escape') {
    event.preventDefault();
    event.stopPropagation();
    hide(true);
  } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
    const letter = event.key.toLowerCase();
    const order = [...all.slice(at + 1), ...all.slice(0, at + 1)];
    order.find((button) => button.textContent?.trim().toLowerCase().startsWith(letter))?.focus();
  }
}

/** A button with a menu (native popover): arrow keys, Home, End, first letters, Escape; focus returns to the button. */
export function Menu(props: MenuProps): JSX.Element {
  const id = createUniqueId();
  const [open, setOpen] = createSignal(false);
  createEffect(() => {
    if (open()) {
      setOpenMenus((n) => n + 1);
      onCleanup(() => setOpenMenus((n) => n - 1));
    }
  });
  let menu!: HTMLDivElement;
  let anchor!: HTMLElement;
  const buttons = () => [...menu.querySelectorAll<HTMLButtonElement>('button:not(:disabled)')];
  const show = (last = false) => {
    setOpen(true);
    menu.showPopover();
    place(menu, anchor, props.align ?? 'end');
    buttons()
      .at(last ? -1 : 0)
      ?.focus();
  };
  const hide = (refocus: boolean) => {
    if (menu.matches(':popover-open')) menu.hidePopover();
    if (refocus) anchor.focus();
  };
  return (
    <>
      {props.trigger({
        ref: (element) => {
          anchor = element;
        },
        onClick: () => (open() ? hide(true) : show()),
        onKeyDown: (event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            show(event.key === 'ArrowUp');
          }
        },
        'aria-haspopup': 'menu',
        get 'aria-expanded'() {
          return open();
        },
        'aria-controls': id,
      })}
      <div
        ref={menu}
        id={id}
        class="pop menu"
        popover="auto"
        role="menu"
        aria-label={props.label}
        onKeyDown={(event) => onMenuKey(event, buttons(), hide)}
        on:toggle={(event: Event) => setOpen((event as ToggleEvent).newState === 'open')}
      >
        <Show when={open()}>
          <For each={props.items()}>
            {(item) => (
              <Switch>
                <Match when={item === 'separator'}>
                  <div class="sep" role="separator" />
                </Match>
                <Match when={item !== 'separator' && item}>{(entry) => <Item entry={entry()} onHide={() => hide(true)} />}</Match>
              </Switch>
            )}
          </For>
        </Show>
      </div>
    </>
  );
}

export interface PopoverProps {
  label: string;
  align?: 'start' | 'end' | 'center' | undefined;
  trigger: (attributes: Omit<TriggerAttributes, 'aria-haspopup' | 'onKeyDown'> & { 'aria-haspopup': 'dialog' }) => JSX.Element;
  children: JSX.Element;
}

/** A button with a panel below it. Closes on Escape and on clicks outside; focus moves in and returns. */
export function Popover(props: PopoverProps): JSX.Element {
  const id = createUniqueId();
  const [open, setOpen] = createSignal(false);
  let panel!: HTMLDivElement;
  let anchor!: HTMLElement;
  const toggle = () => {
    if (open()) {
      panel.hidePopover();
      anchor.focus();
      return;
    }
    setOpen(true);
    panel.showPopover();
    place(panel, anchor, props.align ?? 'start');
    panel.querySelector<HTMLElement>('input, button, select, textarea, [tabindex]')?.focus();
  };
  return (
    <>
      {props.trigger({
        ref: (element) => {
          anchor = element;
        },
        onClick: toggle,
        'aria-haspopup': 'dialog',
        get 'aria-expanded'() {
          return open();
        },
        'aria-controls': id,
      })}
      <div
        ref={panel}
        id={id}
        class="pop"
        popover="auto"
        role="dialog"
        aria-label={props.label}
        on:toggle={(event: Event) => setOpen((event as ToggleEvent).newState === 'open')}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            panel.hidePopover();
            anchor.focus();
          }
        }}
      >
        <Show when={open()}>{props.children}</Show>
      </div>
    </>
  );
}

function Item(props: { entry: MenuItem; onHide: () => void }): JSX.Element {
  return (
    <button
      type="button"
      tabIndex={-1}
      disabled={props.entry.disabled}
      classList={{ bad: props.entry.bad === true }}
      role={props.entry.checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={props.entry.checked}
      onClick={() => {
        props.onHide();
        props.entry.onSelect();
      }}
    >
      <Show when={props.entry.checked !== undefined}>
        <Icon name={props.entry.checked ? 'check' : 'dots'} class={props.entry.checked ? '' : 'ghost'} />
      </Show>
      <Show when={props.entry.icon}>{(name) => <Icon name={name()} />}</Show>
      <span>{props.entry.label}</span>
      <Show when={props.entry.note}>
        <small>{props.entry.note}</small>
      </Show>
      <Show when={props.entry.hotkey}>
        {(keys) => (
          <span class="push">
            <Kbd keys={keys()} />
          </span>
        )}
      </Show>
    </button>
  );
}

// Which request of a session is shown. One that was answered elsewhere stays visible for a moment.
import { createEffect, createMemo, createSignal, on, onCleanup, type Accessor } from 'solid-js';
import type { AskInfo, Item, Permission } from '../api/types';
import type { AsksProps } from './Asks';

/** How long a request that was answered elsewhere stays visible, in milliseconds. */
export const FROZEN_FOR = 4_000;

interface Shown {
  ask: AskInfo;
  frozen: boolean;
}

export interface ShownAsk {
  readonly shown: Accessor<Shown | null>;
  /** The request that is shown although it was answered elsewhere. */
  readonly frozen: Accessor<AskInfo | null>;
  /** The request to render; null while disconnected. */
  readonly current: Accessor<AskInfo | null>;
  /** How the frozen request was answered, once its item has arrived. */
  readonly outcome: Accessor<Permission | null>;
  /** Position of the current request among the open ones. */
  readonly place: Accessor<number>;
  /** Shows the next or previous request. */
  readonly move: (step: number) => void;
  /** Hides the frozen request. */
  readonly thaw: () => void;
  /** Notes that a request is answered on this page, or with false that this failed. */
  readonly answered: (ask: string, here: boolean) => void;
}

/** Copies a request as it was when it was shown; its state may change. */
export const copyAsk = (ask: AskInfo): AskInfo => JSON.parse(JSON.stringify(ask)) as AskInfo;

/** Returns how a request ended, from the newest items. */
function outcomeOf(items: readonly Item[], request: string): Permission | null {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const body = items[index]?.body;
    const permission = body?.type === 'tool_call' || body?.type === 'request' ? body.permission : null;
    if (permission?.request === request && permission.outcome !== 'waiting') return permission;
  }
  return null;
}

/** Follows the open requests. `onFrozen` is called for each that was answered elsewhere, `onThawed` when it disappears. */
export function createShownAsk(props: AsksProps, onFrozen: (ask: AskInfo) => void, onThawed: () => void): ShownAsk {
  const asks = () => props.session.asks;
  const [chosen, setChosen] = createSignal<string | null>(null);
  const [thawed, setThawed] = createSignal<string | null>(null);
  const here = new Set<string>();
  const lost = () => props.line.phase === 'lost' || props.line.phase === 'unpaired';
  // The request that is shown stays the same when others arrive or are answered.
  const shown = createMemo<Shown | null>((last) => {
    const list = asks();
    if (last && !list.some((ask) => ask.ask === last.ask.ask) && !here.has(last.ask.ask) && thawed() !== last.ask.ask)
      return last.frozen ? last : { ask: copyAsk(last.ask), frozen: true };
    const next = list.find((ask) => ask.ask === chosen()) ?? list.find((ask) => ask.ask === last?.ask.ask) ?? list[0];
    return next ? (last && !last.frozen && last.ask === next ? last : { ask: next, frozen: false }) : null;
  }, null);
  const frozen = () => {
    const one = shown();
    return one?.frozen ? one.ask : null;
  };
  const current = () => (lost() ? null : (shown()?.ask ?? null));
  const place = () => asks().findIndex((ask) => ask.ask === current()?.ask);
  const thaw = () => {
    const one = frozen();
    if (!one) return;
    setThawed(one.ask);
    onThawed();
  };
  createEffect(
    on(frozen, (ask) => {
      if (!ask) return;
      onFrozen(ask);
      const timer = setTimeout(thaw, FROZEN_FOR);
      onCleanup(() => clearTimeout(timer));
    }),
  );
  const outcome = createMemo<Permission | null>(() => {
    const ask = frozen();
    return ask && outcomeOf(props.session.items(), ask.ask);
  });
  const move = (step: number) => {
    const next = asks()[(place() + step + asks().length) % asks().length];
    if (next) setChosen(next.ask);
  };
  const answered = (ask: string, on: boolean) => {
    if (on) here.add(ask);
    else here.delete(ask);
  };
  return { shown, frozen, current, outcome, place, move, thaw, answered };
}

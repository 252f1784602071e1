// The rows of the transcript, grouped by turn.
import { For, onCleanup, onMount, Show, type JSX } from 'solid-js';
import { t } from '../text';
import type { Group } from './groups';
import { BreakLine, ItemView, Looked, OriginBox, Prompt, TurnEndLine } from './items';
import type { Row } from './model';
import { observe } from './services';

interface SectionProps {
  group: Group;
  /** Starts to observe the size of a row's element. */
  watch: (element: HTMLElement) => void;
  /** Stops observing it. */
  unwatch: (element: HTMLElement) => void;
}

/** The rows of one turn, or one row that belongs to no turn. */
export function Section(props: SectionProps): JSX.Element {
  const row = (one: Row) => <RowView row={one} watch={props.watch} unwatch={props.unwatch} />;
  return (
    <Show when={props.group.turn} fallback={<For each={props.group.rows()}>{row}</For>}>
      {(turn) => {
        const state = observe(turn());
        const unasked = () => state().origin !== undefined && !state().items.some((item) => item.kind === 'prompt');
        return (
          <section class="turn" classList={{ live: state().live, theirs: unasked() }} tabIndex={-1}>
            <h2 class="vh">
              {unasked() ? t('transcript.turnUnasked', { n: state().n }) : t('transcript.turnFrom', { n: state().n, who: t('transcript.you').toLowerCase() })}
            </h2>
            <For each={props.group.rows()}>{row}</For>
          </section>
        );
      }}
    </Show>
  );
}

function RowView(props: { row: Row; watch: (element: HTMLElement) => void; unwatch: (element: HTMLElement) => void }): JSX.Element {
  let element!: HTMLDivElement;
  onMount(() => props.watch(element));
  onCleanup(() => props.unwatch(element));
  const row = props.row;
  return (
    <div
      ref={element}
      class={`trow r-${row.kind === 'item' ? (row.item?.kind ?? '') : row.kind}`}
      classList={{ tight: row.tight, [`br-${row.bracket ?? ''}`]: row.bracket !== undefined }}
      data-row={row.key}
      data-seq={row.seq}
    >
      {row.kind === 'prompt' && row.item?.kind === 'prompt' ? (
        <Prompt item={row.item} />
      ) : row.kind === 'origin' && row.turn ? (
        <OriginBox turn={row.turn} />
      ) : row.kind === 'end' && row.turn ? (
        <TurnEndLine turn={row.turn} />
      ) : row.kind === 'break' && row.cut ? (
        <BreakLine cut={row.cut} />
      ) : row.kind === 'looked' ? (
        <Looked items={row.items} />
      ) : row.item ? (
        <ItemView item={row.item} />
      ) : null}
    </div>
  );
}

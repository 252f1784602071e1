// The rows of the transcript, grouped by turn.
import { createMemo, For, onCleanup, onMount, Show, type JSX } from 'solid-js';
import { t } from '../text';
import type { Group } from './groups';
import { ItemView, rowName } from './items';
import type { Row } from './model';
import { observe } from './services';
import { BreakLine, Looked, OriginBox, TurnEndLine, TurnError, turnNumber } from './turns';

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
        const unasked = () => state().origin !== undefined;
        return (
          <section class="turn" classList={{ live: state().live, theirs: unasked() }} tabIndex={-1}>
            <h2 class="vh">
              {unasked()
                ? t('transcript.turnUnasked', { n: turnNumber(state()) })
                : t('transcript.turnFrom', { n: turnNumber(state()), who: t('transcript.you').toLowerCase() })}
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
  const [cell] = row.cells;
  const item = row.kind === 'item' && cell ? observe(cell) : undefined;
  const kind = createMemo(() => (item ? rowName(item().item.body) : row.kind === 'error' ? 'mark' : row.kind));
  return (
    <div
      ref={element}
      class="trow"
      classList={{ [`r-${kind()}`]: true, tight: row.tight, [`br-${row.bracket ?? ''}`]: row.bracket !== undefined }}
      data-row={row.key}
      data-item={row.id}
    >
      {viewOf(row)}
    </div>
  );
}

/** The content of a row. */
export function viewOf(row: Row): JSX.Element {
  const [cell] = row.cells;
  switch (row.kind) {
    case 'origin':
      return row.turn ? <OriginBox turn={row.turn} /> : null;
    case 'end':
      return row.turn ? <TurnEndLine turn={row.turn} /> : null;
    case 'error':
      return row.turn ? <TurnError turn={row.turn} /> : null;
    case 'looked':
      return <Looked cells={row.cells} />;
    case 'break':
      return cell ? <BreakLine cell={cell} /> : null;
    default:
      return cell ? <ItemView cell={cell} turn={row.turn} /> : null;
  }
}

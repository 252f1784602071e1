// What can be opened below a row that is no call. Loaded when it is opened.
import { For, type JSX } from 'solid-js';
import type { JsonValue } from '../../api/types';
import { Terminal } from '../../ansi/Terminal';
import { JsonTree } from './tree';

/** Output of a process or a hook. */
export function Output(props: { text: string }): JSX.Element {
  return (
    <div class="box">
      <Terminal text={props.text} />
    </div>
  );
}

/** Messages of the agent as received. */
export function RawLines(props: { lines: readonly JsonValue[] }): JSX.Element {
  return (
    <div class="box">
      <For each={props.lines}>{(line) => <JsonTree value={line} />}</For>
    </div>
  );
}

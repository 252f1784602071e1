import { For, Match, Show, Switch, type JSX } from 'solid-js';

/** Shapes of status glyphs. `gate/standing` chooses the shape. */
export type GlyphShape = 'idle' | 'unread' | 'starting' | 'flow' | 'down' | 'still' | 'broken' | 'dots';
const TONE: Record<GlyphShape, string> = {
  idle: 'dim',
  unread: 't-ok',
  starting: 'dim',
  flow: 't-run',
  down: 't-ask',
  still: 't-ask',
  broken: 't-bad',
  dots: 'dim',
};

export interface StateGlyphProps {
  shape: GlyphShape;
  large?: boolean | undefined;
  /** Overrides the colour of the shape (class t-… or dim). */
  tone?: string | undefined;
  /** Number of record batches received: the animation advances one step with each. */
  step?: number | undefined;
}

export function StateGlyph(props: StateGlyphProps): JSX.Element {
  const dots = () => (props.shape === 'dots' ? '2 1.33' : undefined);
  return (
    <svg
      class={`glyph ${props.tone ?? TONE[props.shape]}`}
      classList={{ large: props.large === true }}
      viewBox="0 0 16 16"
      aria-hidden="true"
      style={{ '--step': props.step ?? 0 }}
    >
      <path d={props.shape === 'down' ? 'M2.75 2v12M13.25 2v12M8 2v4' : 'M2.75 2v12M13.25 2v12'} stroke-dasharray={dots()} />
      <Switch>
        <Match when={props.shape === 'idle'}>
          <path d="M4.5 12.25h7" />
        </Match>
        <Match when={props.shape === 'unread'}>
          <path class="fill" d="M4.25 8h7.5v6h-7.5z" />
        </Match>
        <Match when={props.shape === 'starting'}>
          <path class="fill" d="M4.25 4.5h7.5v3h-7.5z" />
        </Match>
        <Match when={props.shape === 'flow'}>
          <path class="fill" d="M4.25 2h7.5v3h-7.5z" />
          <path class="flow" d="M5.25 7v7M8 7v7M10.75 7v7" />
        </Match>
        <Match when={props.shape === 'down'}>
          <path class="fill" d="M4.25 6h7.5v8h-7.5z" />
        </Match>
        <Match when={props.shape === 'still'}>
          <path class="fill" d="M4.25 2h7.5v3h-7.5z" />
          <path d="M5.25 13.25h.01M8 13.25h.01M10.75 13.25h.01" stroke-width="1.75" stroke-linecap="round" />
        </Match>
        <Match when={props.shape === 'broken'}>
          <path d="m5.25 5.75 5.5 5.5M10.75 5.75l-5.5 5.5" stroke-width="1.75" />
        </Match>
        <Match when={props.shape === 'dots'}>
          <path d="M4.75 12.25h6.5" stroke-dasharray="1.5 1" />
        </Match>
      </Switch>
    </svg>
  );
}

/** Records per second of the last minute, counted by the server; newest at the right. */
export function Hydrograph(props: { values: readonly number[]; tone?: 'still' | 'warn' | undefined; bars?: number | undefined }): JSX.Element {
  const bars = () => props.values.slice(-(props.bars ?? 24));
  const top = () => Math.max(1, ...bars());
  return (
    <svg
      class={`hydro ${props.tone ?? ''}`}
      viewBox={`0 0 ${Math.max(1, bars().length * 3 - 1)} 16`}
      width={Math.max(1, bars().length * 3 - 1)}
      height="16"
      aria-hidden="true"
    >
      <For each={bars()}>
        {(value, index) => {
          const height = () => (value > 0 ? 2 + (value / top()) * 12 : 1.5);
          return <rect class={value > 0 ? '' : 'zero'} x={index() * 3} y={16 - height()} width="2" height={height()} />;
        }}
      </For>
      <Show when={bars().length === 0}>
        <rect class="zero" x="0" y="14.5" width="1" height="1.5" />
      </Show>
    </svg>
  );
}

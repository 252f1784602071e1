import { createMemo, createSignal, Show, type JSX } from 'solid-js';
import { t } from '../text';
import { count } from '../text/format';
import { LinkButton } from '../ui';
import { parseAnsi, type Line } from './parse';

export interface TerminalProps {
  text: string;
  /** Shows only the end of the output, for a running command. */
  tail?: number | undefined;
  /** Number of lines above which the middle is folded. */
  fold?: number | undefined;
  label?: string | undefined;
  /** A link next to "Show all" (to the raw bytes). */
  raw?: JSX.Element;
}

const HEAD = 20;
const TAIL = 60;
const MOST = 5000;

/** Output of a command as a terminal would show it: the 16 colours as colours of the theme, long output folded. */
export function Terminal(props: TerminalProps): JSX.Element {
  const [all, setAll] = createSignal(false);
  const lines = createMemo(() => parseAnsi(props.text));
  const hidden = () => {
    const length = lines().length;
    if (props.tail) return Math.max(0, length - props.tail);
    if (all() || length <= (props.fold ?? 200)) return Math.max(0, length - MOST);
    return length - HEAD - TAIL;
  };
  const head = () => (props.tail || hidden() === 0 ? [] : lines().slice(0, HEAD));
  const rest = () => (hidden() === 0 ? lines() : props.tail ? lines().slice(hidden()) : lines().slice(HEAD + hidden()));
  return (
    <div class="term" tabIndex={0} role="group" aria-label={props.label ?? t('transcript.output')}>
      <Show when={head().length > 0}>
        <Text lines={head()} />
      </Show>
      <Show when={hidden() > 0 && !props.tail}>
        <p class="more">
          {t('transcript.hiddenLines', { n: hidden(), lines: count(hidden()) })} · <LinkButton onClick={() => setAll(true)}>{t('ui.showAll')}</LinkButton>
          <Show when={props.raw}> · {props.raw}</Show>
        </p>
      </Show>
      <Text lines={rest()} />
    </div>
  );
}

/** One `<pre>` of texts and spans, built at once: long output must not cost one component per line. */
function Text(props: { lines: readonly Line[] }): JSX.Element {
  const content = () => {
    const part = document.createDocumentFragment();
    let plain = '';
    const flush = () => {
      if (plain) {
        part.append(plain);
        plain = '';
      }
    };
    props.lines.forEach((line, index) => {
      if (index > 0) plain += '\n';
      for (const piece of line) {
        if (!piece.className) {
          plain += piece.text;
          continue;
        }
        flush();
        const span = document.createElement('span');
        span.className = piece.className;
        span.textContent = piece.text;
        part.append(span);
      }
    });
    flush();
    return [...part.childNodes];
  };
  return <pre>{content()}</pre>;
}

import { createEffect, createMemo, createSignal, Show, type JSX } from 'solid-js';
import { paint } from '../../markdown/runs';
import { t } from '../../text';
import { count } from '../../text/format';
import { LinkButton } from '../../ui';
import { useServices } from '../services';

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

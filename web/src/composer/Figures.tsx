// Context usage and cost of the session, in the bar of the message box.
import { Show, type JSX } from 'solid-js';
import type { SessionView } from '../protocol';
import { t } from '../text';
import { money, percent, tokens } from '../text/format';

export function Figures(props: { session: SessionView | undefined }): JSX.Element {
  const usage = () => {
    const context = props.session?.state()?.context;
    return context?.window ? { part: context.tokens / context.window, used: context.tokens, window: context.window } : null;
  };
  const cost = () => props.session?.state()?.cost.total ?? 0;
  return (
    <span class="figures not-phone">
      <Show when={usage()}>
        {(now) => (
          <span
            class="context"
            classList={{ 't-ask': now().part > 0.8 }}
            title={`${t('composer.context')}: ${t('composer.contextOf', { used: tokens(now().used), window: tokens(now().window) })}`}
          >
            {percent(Math.min(1, now().part))}{' '}
            <span class="mini" aria-hidden="true">
              <i style={{ '--part': Math.min(1, now().part) }} />
            </span>
          </span>
        )}
      </Show>
      <Show when={cost() > 0}>
        <span title={t('composer.cost')}>{money(cost())}</span>
      </Show>
    </span>
  );
}

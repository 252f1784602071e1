import { createSignal, For, Show, type JSX } from 'solid-js';
import type { SessionState } from '../api/types';
import { Button } from '../ui';
import { t, type Key } from '../text';
import { percent, tokens } from '../text/format';
import { newId } from '../protocol';
import type { ContextCategory, ContextUsage } from '../protocol/answers';
import { createAsked } from '../screens/asked';
import { may, request } from '../screens/link';
import { act } from '../screens/act';
import { Pane } from './Pane';

type Part = { name: string; tokens: number; colour: string; kept: boolean };

const COLOURS = ['var(--c1)', 'var(--c5)', 'var(--c4)', 'var(--c3)', 'var(--c6)', 'var(--c2)'];
/** Labels for the agents' context categories; unknown ones are shown unchanged. */
const NAMES: Readonly<Record<string, Key>> = {
  Messages: 'panels.catMessages',
  'System prompt': 'panels.catPrompt',
  'System tools': 'panels.catTools',
  'MCP tools': 'panels.catMcp',
  'Memory files': 'panels.catMemory',
  'Custom agents': 'panels.catAgents',
  Skills: 'panels.catSkills',
};
const categoryName = (name: string): string => {
  const key = NAMES[name];
  return key ? (t as (key: Key) => string)(key) : name;
};
const isFree = (one: ContextCategory) => one.kind === 'free' || /^free/i.test(one.name);
const isKept = (one: ContextCategory) => one.kind === 'buffer' || /buffer/i.test(one.name);

/** The parts of the context window, largest first, then free and reserved space. */
export function parts(usage: ContextUsage, max: number): Part[] {
  const all = (usage.categories ?? []).filter((one) => one.tokens > 0 && one.kind !== 'deferred' && !one.isDeferred);
  const used = all
    .filter((one) => !isFree(one) && !isKept(one))
    .sort((a, b) => b.tokens - a.tokens)
    .map((one, i) => ({ name: one.name, tokens: one.tokens, colour: COLOURS[Math.min(i, COLOURS.length - 1)] ?? 'var(--c6)', kept: false }));
  const reserved = all.filter(isKept).reduce((sum, one) => sum + one.tokens, 0);
  const free = Math.max(0, max - used.reduce((sum, one) => sum + one.tokens, 0) - reserved);
  return [
    ...used,
    ...(free > 0 ? [{ name: '', tokens: free, colour: 'var(--line)', kept: false }] : []),
    ...(reserved > 0 ? [{ name: '', tokens: reserved, colour: '', kept: true }] : []),
  ];
}

/** Gauge of the context window: its parts on a scale; amber from 80 %. */
export function StaffGauge(props: { parts: readonly Part[]; share: number }): JSX.Element {
  const steps = Array.from({ length: 21 }, (_, i) => i * 5);
  const length = (at: number) => (at === 80 ? 'warn' : at % 20 === 0 ? 'long' : at % 10 === 0 ? 'mid' : '');
  return (
    <div class="staff" role="img" aria-label={t('panels.contextLabel', { part: percent(props.share) })}>
      <div class="segs">
        <For each={props.parts}>{(part) => <i class={part.kept ? 'kept' : ''} style={{ '--n': part.tokens, '--c': part.colour || undefined }} />}</For>
      </div>
      <div class="ticks">
        <For each={steps}>{(at) => <i class={length(at)} style={{ '--x': `${at}%` }} />}</For>
      </div>
      <div class="labels">
        <For each={[20, 40, 60, 80, 100]}>{(at) => <b style={{ '--x': `${at}%` }}>{at}</b>}</For>
      </div>
    </div>
  );
}

export function Context(props: { id: string; state: SessionState | undefined }): JSX.Element {
  const known = () => props.state?.context;
  // The categories are fetched again when the usage has changed by 5 %.
  const step = () =>
    known()?.tokens && props.state?.process.state === 'up'
      ? `${props.id} ${Math.round((known()?.tokens ?? 0) / Math.max(1, (known()?.window ?? 200_000) / 20))}`
      : null;
  const [usage] = createAsked(step, () => request({ type: 'context_usage', sessionId: props.id }).catch(() => null));
  const max = () => usage.latest?.rawMaxTokens ?? usage.latest?.maxTokens ?? known()?.window ?? 0;
  const used = () => known()?.tokens || (usage.latest?.totalTokens ?? 0);
  const share = () => (max() > 0 ? used() / max() : 0);
  const shown = () =>
    usage.latest?.categories?.length
      ? parts(usage.latest, max())
      : [
          { name: '', tokens: used(), colour: 'var(--c1)', kept: false },
          { name: '', tokens: Math.max(0, max() - used()), colour: 'var(--line)', kept: false },
        ];
  const [busy, setBusy] = createSignal(false);
  const compact = () => act(() => request({ type: 'input', sessionId: props.id, text: '/compact', uuid: newId() }), setBusy);
  return (
    <Pane
      name="context"
      title={t('panels.context')}
      open
      figure={
        <Show when={used() > 0 && max() > 0}>
          <span classList={{ 't-ask': share() > 0.8 }}>{t('panels.contextShare', { part: percent(share()), max: tokens(max()) })}</span>
        </Show>
      }
    >
      <Show when={used() > 0} fallback={<p class="dim">{t('panels.contextNone')}</p>}>
        <div class="figline">
          <span class="big">{tokens(used())}</span>
          <Show when={max() > 0}>
            <span class="dim">{t('panels.contextOf', { max: tokens(max()) })}</span>
          </Show>
          <Show when={may('operate')}>
            <Button small disabled={busy()} onClick={() => void compact()}>
              {busy() ? t('panels.compacting') : t('panels.compact')}
            </Button>
          </Show>
        </div>
        <Show when={max() > 0}>
          <StaffGauge parts={shown()} share={share()} />
          <Show
            when={usage.latest?.categories?.length}
            fallback={
              <Show when={usage.loading && usage.latest === undefined}>
                <div class="kvroom" />
              </Show>
            }
          >
            <dl class="kv" aria-label={t('panels.categories')}>
              <For each={shown()}>
                {(part) => (
                  <div>
                    <dt class="row">
                      <i class={part.kept ? 'kept' : ''} style={{ '--c': part.colour || undefined }} aria-hidden="true" />
                      <span class="trunc">{categoryName(part.name) || (part.kept ? t('panels.kept') : t('panels.free'))}</span>
                    </dt>
                    <dd>{tokens(part.tokens)}</dd>
                    <dd>{percent(part.tokens / max())}</dd>
                  </div>
                )}
              </For>
            </dl>
          </Show>
        </Show>
        <Show when={share() > 0.8}>
          <p class="small t-ask">{t('panels.contextWarn')}</p>
        </Show>
      </Show>
    </Pane>
  );
}

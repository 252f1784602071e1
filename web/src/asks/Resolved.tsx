import { createSignal, onCleanup, onMount, type JSX } from 'solid-js';
import type { Permission } from '../api/types';
import { t } from '../text';
import { age, clock } from '../text/format';
import { announce, StateGlyph } from '../ui';

/** Shows briefly that a request was answered elsewhere, withdrawn or expired. */
export function Resolved(props: { outcome: Permission | null; now: number }): JSX.Element {
  const since = Date.now();
  const [tick, setTick] = createSignal(Date.now());
  onMount(() => {
    const timer = setInterval(() => setTick(Date.now()), 1_000);
    onCleanup(() => clearInterval(timer));
  });
  const words = (): [string, string] => {
    const one = props.outcome;
    if (!one) return [t('asks.noLonger'), t('asks.nothingLeft')];
    const ago = t('asks.ago', { age: age(tick() - since) });
    const who = one.by?.type === 'person' ? one.by.sender?.name : null;
    switch (one.outcome) {
      case 'allowed':
        return [
          who ? t('asks.answeredOn', { who }) : t('asks.answeredElsewhere'),
          [one.changedBy ? t('asks.allowedChanged') : t('asks.allowedOnce'), ago, t('asks.nothingLeft')].join(' · '),
        ];
      case 'denied':
        return [
          who ? t('asks.answeredOn', { who }) : t('asks.answeredElsewhere'),
          [t('asks.denied'), one.message, ago, t('asks.nothingLeft')].filter(Boolean).join(' · '),
        ];
      case 'expired':
        return [t('asks.expired'), t('asks.expiredAt', { time: clock(since) })];
      default:
        return [t('asks.noLonger'), t('asks.withdrawnAt', { time: clock(since) })];
    }
  };
  onMount(() => announce(words().join('. ')));
  return (
    <div class="gate mute">
      <StateGlyph shape="down" tone="dim" />
      <span class="what">{words()[0]}</span>
      <span class="grow trunc">{words()[1]}</span>
    </div>
  );
}

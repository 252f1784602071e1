// Overview of a session: a timeline that can be scrubbed and replayed, and all panels side by side.
import '../text/places';
import { createEffect, createMemo, createSignal, on, onCleanup, Show, type JSX } from 'solid-js';
import type { Item, ItemId } from '../api/types';
import { AllOpen } from '../panels/Pane';
import { Sections } from '../panels/Panel';
import { go, sessionHref } from '../route/route';
import { t } from '../text';
import { seconds } from '../text/format';
import { TranscriptView, type StreamHandle } from '../transcript';
import { Transcript } from '../transcript/model';
import { itemAt, momentsOf } from '../transcript/model/replay';
import { Button } from '../ui';
import { createAsked } from './asked';
import { openSheet } from './Dialogs';
import { openSession, request } from './link';
import { reach, servicesFor } from './services';
import { Legend, Timeline, TimelineWords, turnAt } from './Timeline';
import './session.css';

/** The speed slider is logarithmic, in half powers of two: from a quarter to a thousand times. */
const SLOWEST = -2;
const FASTEST = 10;
const speedOf = (steps: number): number => 2 ** steps;
const speedWord = (speed: number): string => `${speed < 10 ? Number(speed.toPrecision(2)) : Math.round(speed)} ×`;

export default function Overview(props: { id: string }): JSX.Element {
  const view = openSession(props.id);
  const step = () => `${props.id} ${view.state()?.info.finishedAt ?? 0} ${view.state()?.turn?.turn ?? 0}`;
  const [timeline] = createAsked(step, () => request({ type: 'timeline', sessionId: props.id }).catch(() => null));
  // Until the last item, also where items of the same millisecond are replayed one after the other.
  const data = createMemo(() => {
    const one = timeline.latest;
    return one ? { ...one, to: Math.max(one.to, momentsOf(view.items()).times.at(-1) ?? one.from) } : null;
  });
  const [at, setAt] = createSignal<number | null>(null);
  const place = () => at() ?? data()?.to ?? 0;
  const [replaying, setReplaying] = createSignal(false);
  const begin = () => {
    const one = data();
    if (!one) return;
    if (at() === null || place() >= one.to) setAt(one.from);
    setReplaying(true);
  };
  return (
    <div class="scroll overview" tabIndex={0} role="group" aria-label={t('sessions.overview')} data-region="stream">
      <section class="tlbox" aria-label={t('places.soFar')}>
        <div class="top">
          <h2>{t('places.soFar')}</h2>
          <Show when={data()}>
            {(one) => (
              <span class="dim">
                <TimelineWords data={one()} />
              </span>
            )}
          </Show>
          <span class="push" />
          <Show when={at() !== null && !replaying()}>
            <Button small onClick={() => go(sessionHref(props.id, 'transcript', turnAt(data()?.turns ?? [], place())?.item ?? null))}>
              {t('places.goThere')}
            </Button>
          </Show>
          <Button small icon="history" disabled={!data()?.turns.length} onClick={() => (replaying() ? setReplaying(false) : begin())}>
            {replaying() ? t('places.replayStop') : t('places.replay')}
          </Button>
          <Button small icon="download" onClick={() => openSheet({ kind: 'export', id: props.id })}>
            {t('sessions.export')}
          </Button>
        </div>
        <Show when={data()?.turns.length ? data() : null} fallback={<p class="dim">{t('places.timelineNone')}</p>}>
          {(one) => (
            <>
              <Timeline id={props.id} data={one()} at={place()} onAt={setAt} />
              <Legend />
            </>
          )}
        </Show>
      </section>
      <Show when={replaying() && data()}>
        {(one) => <Replay id={props.id} from={one().from} to={one().to} at={place()} onAt={setAt} onEnd={() => setReplaying(false)} />}
      </Show>
      <div class="over">
        <AllOpen.Provider value={true}>
          <Sections id={props.id} />
        </AllOpen.Provider>
      </div>
    </div>
  );
}

/** The transcript at a moment, replayed at any speed. Pauses of more than two seconds are shortened to two. */
function Replay(props: { id: string; from: number; to: number; at: number; onAt: (at: number) => void; onEnd: () => void }): JSX.Element {
  const view = openSession(props.id);
  const services = servicesFor(view);
  const [steps, setSteps] = createSignal(4.5);
  const speed = () => speedOf(steps());
  const [playing, setPlaying] = createSignal(true);
  const [ready, setReady] = createSignal(false);
  // Loads all items before the first step.
  void (async () => {
    await reach(view, 0).catch(() => false);
    setReady(true);
  })();
  const moments = createMemo(() => momentsOf(view.items()));
  const model = new Transcript();
  let stream: StreamHandle | undefined;
  let shown = 0;
  createEffect(
    on([() => props.at, moments, ready], ([at, when, there]) => {
      if (!there) return;
      const all = view.items().map((item) => itemAt(item, when, at) ?? item.id);
      const items = all.filter((one): one is Item => typeof one === 'object');
      model.apply(
        items,
        all.filter((one): one is ItemId => typeof one === 'number'),
      );
      if (items.length > shown) stream?.toEnd();
      shown = items.length;
    }),
  );
  let last = performance.now();
  const timer = setInterval(() => {
    const nowAt = performance.now();
    const passed = nowAt - last;
    last = nowAt;
    if (!playing() || !ready()) return;
    const next = moments().times.find((at) => at > props.at);
    const wanted = props.at + passed * speed();
    // Skips a long pause up to just before the next moment.
    const jumped = next !== undefined && next - wanted > 2000 * speed() ? next - 500 : wanted;
    props.onAt(Math.min(props.to, jumped));
    if (jumped >= props.to) setPlaying(false);
  }, 100);
  onCleanup(() => clearInterval(timer));
  return (
    <section aria-label={t('places.replay')}>
      <div class="replay">
        <Button
          small
          look="primary"
          icon={playing() ? 'stop' : 'chevron'}
          onClick={() => {
            if (!playing() && props.at >= props.to) props.onAt(props.from);
            setPlaying(!playing());
          }}
        >
          {playing() ? t('places.pause') : t('places.play')}
        </Button>
        <label class="row">
          {t('places.speed')}{' '}
          <input
            type="range"
            class="speed"
            min={SLOWEST}
            max={FASTEST}
            step={0.5}
            value={steps()}
            aria-valuetext={speedWord(speed())}
            onInput={(event) => setSteps(Number(event.currentTarget.value))}
          />{' '}
          <span class="num speedword">{speedWord(speed())}</span>
        </label>
        <span class="num dim">{t('places.replayAt', { time: seconds(props.at) })}</span>
        <span class="push" />
        <Button small look="bare" onClick={() => props.onEnd()}>
          {t('places.replayStop')}
        </Button>
      </div>
      <div class="replay-stream">
        <TranscriptView
          transcript={model}
          services={services}
          handle={(handle) => {
            stream = handle;
          }}
        />
      </div>
    </section>
  );
}

// Everything the transcript can show, from fixtures. Not part of the shipped page.
import { For, Match, onMount, Show, Switch as Choose, type JSX } from 'solid-js';
import { render } from 'solid-js/web';
import '../styles';
import './gallery.css';
import { DiffView } from '../diff/DiffView';
import {
  Folds,
  FoldsProvider,
  ItemView,
  Rows,
  textOf,
  Transcript,
  TranscriptServicesProvider,
  TranscriptView,
  type StreamHandle,
  type TranscriptServices,
} from '../transcript';
import { BreakLine, OriginBox } from '../transcript/turns';
import { installRegions, Toasts } from '../ui';
import { Parts } from './Parts';
import { cards } from './cards';
import { REAPER } from './diff';
import { make, type Script } from './Script';
import { long, session } from './sessions';

const KEYWORDS = /\b(pub|fn|struct|use|let|mut|self|async|await|loop|impl|const)\b|\b([A-Z]\w+)\b|("[^"]*")|(\/\/.*)|\b(\d+)\b/g;
const CLASSES = ['key', 'type', 'str', 'com', 'num'];
const services: TranscriptServices = {
  sessionId: 'gallery',
  cwd: () => '/w/tidepool',
  highlight: (_lang, text) =>
    Promise.resolve(
      text.split('\n').map((line) => {
        const out: [string, string][] = [];
        let at = 0;
        for (const match of line.matchAll(KEYWORDS)) {
          out.push(['', line.slice(at, match.index)], [CLASSES[match.slice(1).findIndex((group) => group !== undefined)] ?? '', match[0]]);
          at = match.index + match[0].length;
        }
        out.push(['', line.slice(at)]);
        return out;
      }),
    ),
  diffOf: (id) => (id === 'call1' || id.length > 5 ? Promise.resolve(REAPER) : Promise.reject(new Error('none'))),
  blobText: () => Promise.resolve('the whole text'),
  blobUrl: (hash) => `/api/blobs/${hash}`,
  permalink: (item) => `#/s/gallery/${item}`,
  openTask: () => undefined,
};
const plain: TranscriptServices = { ...services, diffOf: () => Promise.reject(new Error('none')) };

function transcriptOf(script: Script): Transcript {
  performance.mark('items');
  const transcript = new Transcript(script.items);
  performance.measure('apply', 'items');
  return transcript;
}

function Cards(): JSX.Element {
  const parts = cards();
  const figure = (part: (typeof parts)[number]) => {
    const transcript = transcriptOf(part.script);
    const folds = new Folds();
    if (part.open)
      for (const entry of transcript.entries)
        if (entry.kind === 'turn')
          for (const cell of entry.items) {
            if (cell.as('tool_call') && cell.item.status !== 'denied') folds.set(`call:${cell.id}`, true);
            if (cell.as('thinking')) folds.set(`think:${cell.id}`, true);
          }
    const rows = new Rows().of(transcript);
    return (
      <figure class="fig">
        <figcaption>{part.title}</figcaption>
        <TranscriptServicesProvider value={/^Edit/.test(part.title) ? services : plain}>
          <FoldsProvider value={folds}>
            <For each={rows}>
              {(row) => (
                <div class={`trow ${row.tight ? 'tight' : ''}`}>
                  <For each={row.cells}>{(cell) => <ItemView cell={cell} turn={row.turn} />}</For>
                </div>
              )}
            </For>
          </FoldsProvider>
        </TranscriptServicesProvider>
      </figure>
    );
  };
  const breaks = transcriptOf(session(false));
  const middle = Math.ceil(parts.length / 2) - 1;
  return (
    <main class="sheet">
      <header>
        <h1>The transcript</h1>
        <p class="sec">Every call is one row of one table. The row says what and how it went; the body says everything.</p>
      </header>
      <div class="cols2">
        <div class="col">
          <For each={parts.slice(0, middle)}>{figure}</For>
        </div>
        <div class="col">
          <For each={parts.slice(middle)}>{figure}</For>
          <figure class="fig">
            <figcaption>Turns nobody here asked for, breaks</figcaption>
            <TranscriptServicesProvider value={plain}>
              <For each={breaks.entries}>
                {(entry) =>
                  entry.kind !== 'turn' ? (
                    <BreakLine cell={entry.cell} />
                  ) : (
                    <Show when={entry.origin}>
                      <div class="turn theirs">
                        <OriginBox turn={entry} />
                      </div>
                    </Show>
                  )
                }
              </For>
            </TranscriptServicesProvider>
          </figure>
          <figure class="fig">
            <figcaption>Diff: unified wrapped, split</figcaption>
            <div class="box">
              <DiffView diff={REAPER} head wrap />
            </div>
            <div class="box">
              <DiffView diff={REAPER} head mode="split" />
            </div>
          </figure>
        </div>
      </div>
    </main>
  );
}

const ANSWER =
  'The reaper and the leases now read one clock. `Interval::tick()` returns the instant the tick was *due*, so a late wake-up no longer makes a connection look younger than it is.\n\n1. First it waits\n2. Then it **sweeps**\n\n```rust\nlet now = tick.tick().await;\nshared.evict(|c| now.since(c.last_used));\n```\n\nRunning the tests again, sixty times this ';

/** Grows the text of an item. */
function write(transcript: Transcript, id: number, more: string): void {
  const { item } = transcript.get(id) ?? {};
  if (item?.body.type === 'text') transcript.apply([{ ...item, body: { ...item.body, text: textOf(item.body.text) + more } }]);
}

function Session(props: { live: boolean; turns?: number; speed?: number }): JSX.Element {
  const script = props.turns ? long(props.turns) : session(props.live);
  const transcript = transcriptOf(script);
  let stream: StreamHandle | undefined;
  onMount(() => {
    Object.assign(globalThis, { transcript, stream: () => stream });
    performance.measure('apply and render', 'items');
    if (!props.live && !props.speed) return;
    if (props.speed) script.prompt('Go on.', 'Laptop');
    script.at = Date.now() - 38000;
    const id = script.add({ type: 'text', text: props.speed ? '' : ANSWER, synthetic: false }, { status: props.speed ? 'streaming' : 'done' });
    if (!props.speed) script.begin({ card: make.shell('for n in $(seq 60); do cargo test -p tidepool-pool --test reaper || break; done') });
    transcript.apply(script.items);
    if (!props.speed) return;
    let n = 0;
    const words = ANSWER.repeat(40).split(/(?<= )/);
    const timer = setInterval(
      () => {
        for (let i = 0; i < 2; i += 1) write(transcript, id, words[n++ % words.length] ?? '');
        if (n > words.length) clearInterval(timer);
      },
      1000 / (props.speed ?? 1),
    );
  });
  return (
    <div class="frame">
      <main class="framemain">
        <header class="framehead">
          <h1>Fix flaky reaper test</h1>
          <span class="mono dim">tidepool / fix/reaper-flake</span>
        </header>
        <TranscriptView
          transcript={transcript}
          services={services}
          handle={(handle) => {
            stream = handle;
          }}
        />
      </main>
    </div>
  );
}

function Gallery(): JSX.Element {
  const scene = location.hash.slice(1) || 'cards';
  return (
    <>
      <Choose fallback={<Cards />}>
        <Match when={scene === 'session'}>
          <Session live={false} />
        </Match>
        <Match when={scene === 'streaming'}>
          <Session live />
        </Match>
        <Match when={scene === 'long'}>
          <Session live={false} turns={650} />
        </Match>
        <Match when={scene === 'fast'}>
          <Session live={false} turns={320} speed={50} />
        </Match>
        <Match when={scene === 'parts'}>
          <Parts />
        </Match>
      </Choose>
      <Toasts />
    </>
  );
}

installRegions();
const root = document.getElementById('app');
if (root) render(() => <Gallery />, root);

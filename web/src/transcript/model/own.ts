// Records that Sluice itself writes: prompts, answers to requests, process events, unfinished messages and notes.
import type { Own } from '../../api/types';
import { TextItem, ThinkingItem, type PromptItem } from './items';
import type { Place, Transcript } from './Transcript';

type OwnRecord<T extends Own['type']> = Extract<Own, { type: T }>;
/** The records of Sluice that appear in the transcript. */
export type TranscriptRecord = OwnRecord<'sluice_prompt' | 'sluice_ask' | 'sluice_process' | 'sluice_unfinished' | 'sluice_note'>;

export function applyOwn(transcript: Transcript, own: TranscriptRecord, place: Place): void {
  switch (own.type) {
    case 'sluice_prompt':
      applyPrompt(transcript, own, place);
      break;
    case 'sluice_ask':
      applyAsk(transcript, own, place);
      break;
    case 'sluice_process':
      applyProcess(transcript, own, place);
      break;
    case 'sluice_unfinished':
      applyUnfinished(transcript, own, place);
      break;
    case 'sluice_note':
      applyNote(transcript, own, place);
      break;
  }
}

function applyPrompt(transcript: Transcript, own: OwnRecord<'sluice_prompt'>, place: Place): void {
  const known = transcript.prompts.get(own.uuid);
  const state = own.state as PromptItem['state'];
  if (known) {
    known.state = state;
    known.by = own.by || known.by;
    known.device = own.device || known.device;
    known.foreign = false;
    transcript.changes.add(known);
    if (state === 'withdrawn') removePrompt(transcript, known);
    return;
  }
  if (state === 'withdrawn') return;
  transcript.addPrompt(own.uuid, own.text, own.images ?? [], place, (item) => {
    item.state = state;
    item.by = own.by;
    item.device = own.device;
  });
}

function removePrompt(transcript: Transcript, item: PromptItem): void {
  transcript.prompts.delete(item.uuid);
  for (const entry of transcript.entries) {
    if (entry.kind !== 'turn' || !entry.items.includes(item)) continue;
    entry.items = entry.items.filter((one) => one !== item);
    if (entry.items.length === 0) transcript.entries = transcript.entries.filter((one) => one !== entry);
    if (transcript.live === entry && entry.items.length === 0) transcript.live = undefined;
    transcript.changed(entry);
  }
}

function applyAsk(transcript: Transcript, own: OwnRecord<'sluice_ask'>, place: Place): void {
  const call = own.toolUseId ? transcript.calls.get(own.toolUseId) : undefined;
  if (!call) {
    transcript.mark({ what: 'ask', ask: own }, place);
    return;
  }
  call.ask = own;
  if (own.outcome === 'denied' && call.state !== 'done') {
    call.state = 'denied';
    call.denial = { reason: own.message ?? undefined, by: 'user' };
  }
  transcript.changes.add(call);
}

function applyProcess(transcript: Transcript, own: OwnRecord<'sluice_process'>, place: Place): void {
  if (own.state !== 'exited') return;
  const failed = (own.code !== null && own.code !== 0) || own.signal !== null;
  const inTurn = transcript.live !== undefined;
  transcript.drafts.keepUnfinished();
  transcript.settle();
  if (failed || inTurn)
    transcript.mark(
      {
        what: 'process',
        state: own.state,
        code: own.code ?? undefined,
        signal: own.signal ?? undefined,
        reason: own.reason ?? undefined,
        stderr: own.stderr,
      },
      place,
    );
  transcript.live = undefined;
  transcript.changed();
}

/** The part of a message that had arrived when the agent process ended. */
function applyUnfinished(transcript: Transcript, own: OwnRecord<'sluice_unfinished'>, place: Place): void {
  const parent = own.parent ?? undefined;
  for (const block of own.blocks) {
    const kind = block.kind === 'thinking' ? 'thinking' : 'text';
    const draft = transcript.drafts.take(own.message, own.parent, kind);
    if (block.text === '') continue;
    const create = () =>
      kind === 'text' ? new TextItem(transcript.key(place), place.seq, place.at) : new ThinkingItem(transcript.key(place), place.seq, place.at);
    const item = draft ?? transcript.adopt(create(), place, parent);
    Object.assign(item, { text: block.text, streaming: false, unfinished: true, message: own.message, seq: place.seq });
    if (item.kind === 'thinking') {
      item.began ||= transcript.previousAt || place.at;
      item.ended = place.at;
    }
    transcript.changes.add(item);
  }
}

function applyNote(transcript: Transcript, own: OwnRecord<'sluice_note'>, place: Place): void {
  if (own.kind === 'rewound') {
    transcript.addBreak('rewound', place).summary = own.text;
    return;
  }
  transcript.mark({ what: 'note', kind: own.kind, text: own.text }, place);
}

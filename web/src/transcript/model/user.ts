// `user` messages of the agent: results of calls, replayed prompts, and texts the agent generated.
import type { Place, Transcript } from './Transcript';
import { fields, flag, heavy, list, str, textOf, type Fields } from './wire';

const inTag = (text: string, tag: string): string | undefined => new RegExp(`<${tag}>([\\s\\S]*?)(?:</${tag}>|$)`).exec(text)?.[1];

export function applyUser(transcript: Transcript, message: Fields, place: Place): void {
  const content = fields(message['message'])['content'];
  const parent = str(message['parent_tool_use_id']);
  const uuid = str(message['uuid']) ?? '';
  const texts: string[] = [];
  let results = 0;
  let images = 0;
  for (const block of Array.isArray(content) ? list(content) : [{ type: 'text', text: content ?? '' }]) {
    const one = fields(block);
    if (one['type'] === 'tool_result') {
      results += 1;
      const id = str(one['tool_use_id']) ?? '';
      transcript.finishCall(id, one, one['content'], place, message);
    } else if (one['type'] === 'text') texts.push(textOf(heavy(one['text'])));
    else if (one['type'] === 'image' || one['type'] === 'document') images += 1;
    else transcript.addUnknown(`user/${str(one['type']) ?? '?'}`, block, place);
  }
  if (results > 0 || (texts.length === 0 && images === 0)) return;
  const text = texts.join('\n');
  // The prompt of a subagent is part of its call.
  if (parent !== undefined) {
    if (isInterruption(text)) applyInterrupt(transcript, place, parent);
    return;
  }
  applyText(transcript, message, text, uuid, place);
}

const isInterruption = (text: string): boolean => text.startsWith('[Request interrupted by user');

function applyInterrupt(transcript: Transcript, place: Place, parent?: string): void {
  if (parent) return;
  const turn = transcript.turnFor(place);
  const last = turn.items.at(-1);
  if (last?.kind === 'mark' && last.facts.what === 'stopped') return;
  let cut = 0;
  for (const item of turn.items) {
    if (item.kind !== 'call') continue;
    // The model receives an interrupt as a denied call; it is shown as cancelled.
    if (item.state === 'denied' && item.ask?.outcome !== 'denied' && item.denial?.reason === undefined) {
      item.state = 'cancelled';
      item.denial = undefined;
      transcript.changes.add(item);
    }
    if (item.state === 'running' || item.state === 'cancelled') cut += 1;
  }
  transcript.mark({ what: 'stopped', by: undefined, calls: cut }, place);
}

function applyText(transcript: Transcript, message: Fields, text: string, uuid: string, place: Place): void {
  if (isInterruption(text)) {
    applyInterrupt(transcript, place);
    return;
  }
  const printed = inTag(text, 'local-command-stdout');
  const errorOutput = inTag(text, 'local-command-stderr');
  if (printed !== undefined || errorOutput !== undefined) {
    const output = (printed ?? errorOutput ?? '').trim();
    // A compaction has its own row; the output "Compacted" is redundant.
    if (/^Compacted\b/.test(output) && errorOutput === undefined) return;
    transcript.add(transcript.commandItem(lastCommand(transcript), output, errorOutput !== undefined, place), place);
    return;
  }
  if (text.startsWith('This session is being continued from a previous conversation')) {
    const broken = transcript.entries.findLast((entry) => entry.kind === 'break');
    if (broken?.kind === 'break' && broken.what === 'compacted') {
      broken.summary = text;
      transcript.changed();
    } else transcript.addBreak('compacted', place).summary = text;
    return;
  }
  const feedback = /^Stop hook feedback:\s*([\s\S]*)$/.exec(text)?.[1];
  if (feedback !== undefined) {
    transcript.mark({ what: 'hook', name: 'Stop', outcome: 'blocked', output: feedback, code: undefined }, place);
    return;
  }
  if (text.startsWith('Base directory for this skill:')) {
    loadSkill(transcript, text, place);
    return;
  }
  const job = inTag(text, 'task-notification');
  if (job !== undefined) {
    const origin = {
      kind: 'task' as const,
      text: (inTag(job, 'summary') ?? '').trim(),
      status: (inTag(job, 'status') ?? '').trim(),
      task: (inTag(job, 'task-id') ?? inTag(job, 'task_id') ?? '').trim() || undefined,
    };
    const turn = transcript.turnFor(place);
    if (turn.items.length === 0) {
      turn.origin = origin;
      transcript.changed(turn);
    } else transcript.mark({ what: 'task', text: origin.text, status: origin.status }, place);
    return;
  }
  if (flag(message['isSynthetic'])) {
    transcript.mark({ what: 'notice', level: 'info', text }, place);
    return;
  }
  if (transcript.prompts.has(uuid)) return;
  const command = inTag(text, 'command-name');
  const shown = command === undefined ? text : `${command.trim()} ${(inTag(text, 'command-args') ?? '').trim()}`.trim();
  if (shown === '') return;
  const replay = flag(message['isReplay']);
  transcript.addPrompt(uuid, shown, [], place, (item) => {
    item.foreign = !replay;
  });
}

function lastCommand(transcript: Transcript): string {
  const turn = transcript.live;
  const prompt = turn?.items.findLast((item) => item.kind === 'prompt');
  const word = prompt?.kind === 'prompt' ? /^\/(\S+)/.exec(textOf(prompt.text))?.[1] : undefined;
  return word ?? '';
}

function loadSkill(transcript: Transcript, text: string, place: Place): void {
  const items = transcript.turnFor(place).items;
  const call = items.findLast((item) => item.kind === 'call' && item.name === 'Skill');
  if (call?.kind === 'call') {
    call.loaded = text;
    transcript.changes.add(call);
    return;
  }
  transcript.mark({ what: 'notice', level: 'info', text }, place);
}

// The row of a call: icon, name, target and outcome, from its card.
import type { Card, CardBody, Decider, FileChange, JsonValue, Permission, ReadContent, Search, TaskLine, Tasks, ToolCall } from '../../api/types';
import { t } from '../../text';
import { bytes, count, duration } from '../../text/format';
import type { IconName } from '../../ui';
import { textOf, type Cell } from '../model';

export type Target =
  | { kind: 'mono'; text: string }
  | { kind: 'words'; text: string }
  | { kind: 'path'; path: string }
  | { kind: 'within'; pattern: string; path: string }
  | { kind: 'tool'; server: string; tool: string };

export interface Summary {
  icon: IconName;
  name: string;
  target: Target;
  /** The outcome, without who allowed it and how long it took. */
  outcome: string;
  /** Who allowed or answered it; omitted where there is little space. */
  by?: string | undefined;
  counts?: { added: number; removed: number } | undefined;
  tone: '' | 'run' | 'err' | 'ask';
}

const mono = (text: string): Target => ({ kind: 'mono', text });
const words = (text: string): Target => ({ kind: 'words', text });
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** `device`: id of this device, so that its decisions are shown as made by "you". */
export function summarise(cell: Cell, call: ToolCall, device?: string): Summary {
  const { card } = call;
  const target = call.written === null ? targetOf(card) : mono(textOfDraft(call.written));
  const summary: Summary = { icon: iconOf(card), name: nameOf(card), target, outcome: '', tone: '' };
  switch (cell.item.status) {
    case 'streaming':
      return { ...summary, outcome: t('transcript.writing'), tone: 'run' };
    case 'running':
      return { ...summary, tone: 'run' };
    case 'waiting':
      return { ...summary, outcome: t('transcript.waits'), tone: 'ask' };
    case 'background':
      return { ...summary, outcome: t('transcript.inBackground'), tone: 'run' };
    case 'cancelled':
    case 'interrupted':
      return { ...summary, outcome: call.task?.background ? t('transcript.endStopped') : t('transcript.cancelled') };
    case 'denied':
      return { ...summary, outcome: denied(card.body, call.permission, device), tone: 'err' };
    case 'failed':
      return { ...summary, outcome: failure(call), tone: 'err' };
    case 'done':
      return { ...summary, outcome: outcomeOf(cell, call), by: allowed(card, call.permission, device), counts: countsOf(card.body) };
  }
}

function iconOf({ verb, body, subject }: Card): IconName {
  switch (body.type) {
    case 'shell':
      return body.action === 'stop' ? 'stop' : 'bash';
    case 'file_read':
      return 'read';
    case 'file_change':
      return body.content === null ? 'edit' : 'write';
    case 'search':
      return subject.type === 'path' ? 'folder' : body.kind === 'names' ? 'glob' : 'grep';
    case 'subagent':
      return 'agent';
    case 'tasks':
      return 'task';
    case 'findings':
      return 'warn';
    case 'generic':
      return verb === 'wait' ? 'clock' : verb === 'delegate' ? 'steer' : verb === 'plan' ? 'plan' : 'unknown';
    default:
      return body.type;
  }
}

function nameOf(card: Card): string {
  const { body } = card;
  switch (body.type) {
    case 'shell':
      return body.action === 'run' ? card.title : body.action === 'stop' ? t('transcript.nameStop') : t('transcript.nameOutput');
    case 'notebook':
      return t('transcript.nameNotebook');
    case 'web':
      return body.kind === 'fetch' ? t('transcript.nameFetch') : t('transcript.nameSearch');
    case 'tasks':
      return t('transcript.nameTask');
    case 'question':
      return t('transcript.nameAsk');
    case 'plan':
      return t('transcript.namePlan');
    case 'mcp':
      return 'MCP';
    default:
      return card.title;
  }
}

function targetOf({ body, subject }: Card): Target {
  switch (body.type) {
    case 'tasks':
      return words(taskWords(body));
    case 'question':
      return words(body.questions.length === 1 ? (body.questions[0] ?? '') : t('transcript.questions', { n: body.questions.length }));
    case 'plan':
      return words(firstLine(textOf(body.text)).replace(/^#+\s*/, ''));
    case 'mcp':
      return { kind: 'tool', server: body.serverTitle ?? body.server, tool: body.toolTitle ?? body.tool };
  }
  switch (subject.type) {
    case 'none':
    case 'arguments':
      return words('');
    case 'phrase':
      return words(subject.value);
    case 'command':
    case 'query':
      return mono(subject.value);
    case 'path':
      return { kind: 'path', path: subject.value };
    case 'text':
    case 'names':
      return subject.value.within ? { kind: 'within', pattern: subject.value.pattern, path: subject.value.within } : mono(subject.value.pattern);
    case 'url':
      return mono(subject.value.replace(/^https?:\/\//, '').replace(/\/$/, ''));
    case 'task':
      return mono(body.type === 'shell' && body.command ? body.command : subject.value);
    case 'input':
      return words(firstText(body.type === 'generic' ? body.input : null));
  }
}

/** The first text in an input that the model is still writing: its command, path or query. */
function textOfDraft(json: string): string {
  const text = /:\s*"((?:[^"\\]|\\.)*)/.exec(json)?.[1] ?? '';
  try {
    return JSON.parse(`"${text.replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')}"`) as string;
  } catch {
    return text;
  }
}

/** The first text in the input of an unknown tool. */
function firstText(input: JsonValue): string {
  if (typeof input !== 'object' || input === null) return '';
  for (const value of Object.values(input)) if (typeof value === 'string' && value) return firstLine(value).slice(0, 160);
  return '';
}

/** The subject of a call as one line of text, for the gate. */
export function textOfTarget(card: Card): string {
  const target = targetOf(card);
  switch (target.kind) {
    case 'path':
      return target.path;
    case 'within':
      return target.pattern;
    case 'tool':
      return `${target.server} › ${target.tool}`;
    default:
      return target.text.replace(/\s+/g, ' ');
  }
}

/** What a call does to the task list, in words. */
function taskWords({ list, before, one }: Tasks): string {
  if (one) {
    const what = one.subject || (one.id === null ? '' : `#${one.id}`);
    return one.status === null && one.subject ? t('transcript.created', { what }) : changeWords(one, what);
  }
  const changed = (status: TaskLine['status']) => list?.findLast((line) => line.status === status && statusBefore(before, line) !== status);
  const line = changed('in_progress') ?? changed('completed');
  if (line) return changeWords(line, line.subject);
  const active = list?.find((one) => one.status === 'in_progress');
  return active?.active ?? active?.subject ?? list?.[0]?.subject ?? '';
}

/** The status that a task had before a call; null if that is not known. */
export const statusBefore = (before: readonly TaskLine[] | null, line: TaskLine): TaskLine['status'] =>
  before?.find((one) => (line.id === null ? one.subject === line.subject : one.id === line.id))?.status ?? null;

function changeWords({ status, active }: TaskLine, what: string): string {
  switch (status) {
    case 'in_progress':
      return t('transcript.started', { what: active ?? what });
    case 'completed':
      return t('transcript.finished', { what });
    case 'pending':
      return t('transcript.reopened', { what });
    case 'deleted':
      return t('transcript.deletedTask', { what });
    case null:
      return what;
  }
}

function outcomeOf(cell: Cell, { card: { body }, task, result }: ToolCall): string {
  switch (body.type) {
    case 'shell':
      return body.action === 'run' ? t('transcript.ok') : '';
    case 'file_read':
      return body.content ? readWords(body.content) : '';
    case 'file_change':
      return body.created ? t('transcript.newFile') : '';
    case 'notebook':
      return body.edit === 'delete' ? t('transcript.cellRemoved') : body.edit === 'insert' ? t('transcript.cellAdded') : '';
    case 'search':
      return searchWords(body);
    case 'web':
      if (body.kind === 'search') return t('transcript.results', { n: body.hits.length });
      return [body.code, body.bytes === null ? null : bytes(body.bytes)].filter(Boolean).join(' · ');
    case 'findings':
      return t('transcript.findings', { n: body.findings.length });
    case 'tasks':
      return body.list ? t('transcript.ofTotal', { done: body.list.filter((line) => line.status === 'completed').length, total: body.list.length }) : '';
    case 'subagent':
      return [body.kind, t('transcript.calls', { n: body.calls ?? task?.calls ?? callsBelow(cell) })].filter(Boolean).join(' · ');
    case 'generic':
      return body.output === null ? firstLine(textOf(result?.text)).slice(0, 60) : '';
    default:
      return '';
  }
}

export const callsBelow = (cell: Cell): number => cell.children.filter((child) => child.item.body.type === 'tool_call').length;

function readWords(content: ReadContent): string {
  switch (content.type) {
    case 'lines': {
      const { first, count: n, total } = content;
      if (n === 0) return '';
      if (n === 1 && total > 1) return t('transcript.lineOf', { line: first, total });
      return first > 1 || n < total ? t('transcript.range', { from: first, to: first + n - 1, total }) : t('transcript.lineCount', { n });
    }
    case 'image':
      return [content.size ? `${count(content.size[0])} × ${count(content.size[1])}` : '', content.bytes === null ? '' : bytes(content.bytes)]
        .filter(Boolean)
        .join(' · ');
    case 'notebook':
      return t('transcript.cells', { n: content.cells.length });
    case 'other':
      return content.bytes === null ? '' : bytes(content.bytes);
  }
}

function searchWords({ kind, hits, files, names }: Search): string {
  if (kind === 'tools') return t('transcript.tools', { n: names?.length ?? 0 });
  if (kind === 'names') return files === null ? '' : t('transcript.files', { n: files });
  if (hits !== null && files) return t('transcript.matches', { n: hits, files: t('transcript.files', { n: files }) });
  return hits === null ? t('transcript.files', { n: files ?? 0 }) : t('transcript.lineCount', { n: hits });
}

function countsOf(body: CardBody): Summary['counts'] {
  if (body.type !== 'file_change') return undefined;
  const lines = body.hunks.flatMap((hunk) => hunk.lines);
  const signs = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  const added = lines.length === 0 && body.created ? lineCount(textOf(body.content)) : signs('+');
  const removed = signs('-');
  return added + removed > 0 ? { added, removed } : undefined;
}

const lineCount = (text: string): number => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length);

const unchanged = (body: FileChange, text: string): boolean => body.hunks.length === 0 && /String to replace not found/i.test(text);

function failure({ card: { body }, result }: ToolCall): string {
  const text = textOf(result?.text);
  if (body.type === 'shell' && body.exitCode !== null) return t('transcript.exitCode', { code: body.exitCode });
  if (body.type === 'file_change' && unchanged(body, text)) return t('transcript.noChange');
  const line = firstLine(text.replace(/<\/?tool_use_error>/g, '').replace(/^Error:\s*/, ''));
  return line ? line.slice(0, 60) : t('transcript.failedShort');
}

/** Who decided: "you" for this device. */
export function whoOf(by: Decider | null, device: string | undefined): string {
  if (by?.type !== 'person') return by?.type === 'other' ? by.name : '';
  return by.sender?.device != null && by.sender.device === device ? t('transcript.byYou') : (by.sender?.name ?? '');
}

function allowed(card: Card, permission: Permission | null, device: string | undefined): string | undefined {
  if (permission?.outcome !== 'allowed') return undefined;
  if (permission.by?.type === 'rule') return card.verb === 'read' || card.verb === 'find' ? undefined : t('transcript.allowedByRule');
  if (permission.by?.type !== 'person') return undefined;
  const who = whoOf(permission.by, device);
  if (card.body.type === 'question') return t('transcript.answeredBy', { who });
  if (card.body.type === 'plan') return t('transcript.approvedBy', { who });
  return permission.changedBy ? t('transcript.allowedChanged', { who }) : t('transcript.allowedBy', { who });
}

function denied(body: CardBody, permission: Permission | null, device: string | undefined): string {
  const why = firstLine(permission?.message ?? permission?.reason ?? '').slice(0, 80);
  if (body.type === 'plan') return t('transcript.keptPlanning');
  switch (permission?.by?.type) {
    case 'person': {
      const who = whoOf(permission.by, device) || t('transcript.byYou');
      return why ? t('transcript.deniedByYouWhy', { who, why }) : t('transcript.deniedByYou', { who });
    }
    case 'rule':
      return why ? t('transcript.deniedByRuleWhy', { why }) : t('transcript.deniedByRule');
    case 'hook':
      return why ? t('transcript.deniedByHookWhy', { why }) : t('transcript.deniedByHook');
    case 'mode':
      return t('transcript.deniedByMode');
    default:
      return t('transcript.denied');
  }
}

export const isTicking = (cell: Cell): boolean => cell.item.status === 'running' || cell.item.status === 'background';

/** Duration of a call, or how long it has been running. */
export function timeOf(cell: Cell, call: ToolCall, now: number): string {
  if (isTicking(cell)) return duration(Math.max(0, Math.floor((now - call.started) / 1000) * 1000)).replace(/^0 ms$/, '0 s');
  if (cell.item.status !== 'done' && cell.item.status !== 'failed') return '';
  const { body } = call.card;
  const ms = (body.type === 'subagent' ? body.duration : null) ?? (call.ended === null ? null : call.ended - call.started);
  return ms === null || ms < 0 ? '' : duration(ms);
}

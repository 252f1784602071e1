// The row of a call: icon, name, target and outcome, from its input and result.
import { t } from '../../text';
import { bytes, count, duration } from '../../text/format';
import type { IconName } from '../../ui';
import { fields, list, num, plain, str, textOf, heavy, type CallItem, type Fields } from '../model';

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
  /** The message came from another agent. */
  other?: boolean | undefined;
}

const mono = (text: string): Target => ({ kind: 'mono', text });
const words = (text: string): Target => ({ kind: 'words', text });
const path = (value: string): Target => ({ kind: 'path', path: value });
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
const stripUrl = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/$/, '');

/** Reads a field of incomplete JSON. */
export function draftField(draft: string, name: string): string | undefined {
  const match = new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`).exec(draft);
  if (!match) return undefined;
  try {
    return JSON.parse(`"${match[1]?.replace(/\\u[0-9a-f]{0,3}$/i, '').replace(/\\$/, '') ?? ''}"`) as string;
  } catch {
    return match[1];
  }
}

const inputText = (call: CallItem, name: string): string => textOf(heavy(call.input[name])) || draftField(call.draft, name) || '';

interface Known {
  icon: IconName;
  name?: () => string;
  target: (call: CallItem) => Target;
  outcome?: (call: CallItem, result: Fields) => string;
}

function counts(call: CallItem, result: Fields): { added: number; removed: number } | undefined {
  let added = 0;
  let removed = 0;
  const patches = list(result['structuredPatch']);
  for (const hunk of patches) {
    for (const line of list(fields(hunk)['lines'])) {
      const sign = str(line)?.charAt(0);
      if (sign === '+') added += 1;
      else if (sign === '-') removed += 1;
    }
  }
  if (patches.length === 0 && result['type'] === 'create') added = lines(textOf(heavy(result['content'] ?? call.input['content'])));
  return added + removed > 0 ? { added, removed } : undefined;
}

const lines = (text: string): number => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length);

const bash: Known = {
  icon: 'bash',
  target: (call) => mono(inputText(call, 'command') || str(call.input['description']) || ''),
  outcome: (call, result) => {
    if (num(result['timedOutAfterMs']) !== undefined) return t('transcript.timedOut');
    const code = /^(?:Error: )?Exit code (-?\d+)/.exec(call.result ? plain(call.result) : '')?.[1];
    if (code) return t('transcript.exitCode', { code });
    return t('transcript.ok');
  },
};

const edit: Known = {
  icon: 'edit',
  target: (call) => path(inputText(call, 'file_path')),
  outcome: (call, result) =>
    result['type'] === 'create'
      ? t('transcript.newFile')
      : call.state === 'failed' && /String to replace not found/i.test(call.result ? plain(call.result) : '')
        ? t('transcript.noChange')
        : '',
};

const task = (call: CallItem): Target => {
  const result = fields(call.structured);
  const subject = str(call.input['subject']) ?? str(fields(result['task'])['subject']) ?? call.about ?? `#${str(call.input['taskId']) ?? ''}`;
  switch (call.name) {
    case 'TaskCreate':
      return words(t('transcript.created', { what: subject }));
    case 'TaskUpdate': {
      const status = str(call.input['status']);
      if (status === 'in_progress') return words(t('transcript.started', { what: str(call.input['activeForm']) ?? subject }));
      if (status === 'completed') return words(t('transcript.finished', { what: subject }));
      if (status === 'pending') return words(t('transcript.reopened', { what: subject }));
      if (status === 'deleted') return words(t('transcript.deletedTask', { what: subject }));
      return words(t('transcript.changedTask', { what: subject }));
    }
    default:
      return words(subject === '#' ? '' : subject);
  }
};

function todo(call: CallItem): Target {
  const before = list(fields(call.structured)['oldTodos']).map(fields);
  const now = list(call.input['todos']).map(fields);
  const old = (content: unknown) => str(before.find((one) => one['content'] === content)?.['status']);
  const started = now.find((one) => one['status'] === 'in_progress' && old(one['content']) !== 'in_progress');
  if (started) return words(t('transcript.started', { what: str(started['content']) ?? '' }));
  const done = now.findLast((one) => one['status'] === 'completed' && old(one['content']) !== 'completed');
  if (done) return words(t('transcript.finished', { what: str(done['content']) ?? '' }));
  return words(str(now.find((one) => one['status'] === 'in_progress')?.['activeForm']) ?? str(now[0]?.['content']) ?? '');
}

/**
 * The number of lines that were read, and of all lines. The protocol also counts the empty text after the last newline as
 * a line; it is left out where the content shows that it was read.
 */
export function linesRead(file: Readonly<Record<string, unknown>>): { n: number | undefined; total: number | undefined } {
  const from = num(file['startLine']) ?? 1;
  const n = num(file['numLines']);
  const total = num(file['totalLines']);
  const content = file['content'];
  const emptyEnd = typeof content === 'string' && (content === '' || content.endsWith('\n'));
  if (n === undefined || total === undefined || !emptyEnd || from + n - 1 < total) return { n, total };
  return { n: n - 1, total: total - 1 };
}

const KNOWN: Readonly<Record<string, Known>> = {
  Bash: bash,
  PowerShell: bash,
  Read: {
    icon: 'read',
    target: (call) => path(inputText(call, 'file_path')),
    outcome: (_call, result) => {
      const file = fields(result['file']);
      const from = num(file['startLine']);
      const { n, total } = linesRead(file);
      if (result['type'] === 'image') {
        const size = fields(file['dimensions']);
        const shape = num(size['originalWidth']) ? `${count(num(size['originalWidth']) ?? 0)} × ${count(num(size['originalHeight']) ?? 0)}` : '';
        return [shape, num(file['originalSize']) === undefined ? '' : bytes(num(file['originalSize']) ?? 0)].filter(Boolean).join(' · ');
      }
      if (result['type'] === 'notebook') return t('transcript.cells', { n: list(file['cells']).length });
      if (result['type'] === 'pdf' || result['type'] === 'parts') return bytes(num(file['originalSize']) ?? 0);
      if (from === undefined || n === undefined) return '';
      if (n === 0) return '';
      if (total !== undefined && n === 1 && total > 1) return t('transcript.lineOf', { line: from, total });
      if (total !== undefined && (from > 1 || n < total)) return t('transcript.range', { from, to: from + n - 1, total });
      return t('transcript.lineCount', { n });
    },
  },
  Edit: edit,
  MultiEdit: edit,
  Write: { ...edit, icon: 'write' },
  NotebookEdit: {
    icon: 'notebook',
    name: () => t('transcript.nameNotebook'),
    target: (call) => path(inputText(call, 'notebook_path')),
    outcome: (call) =>
      call.input['edit_mode'] === 'delete' ? t('transcript.cellRemoved') : call.input['edit_mode'] === 'insert' ? t('transcript.cellAdded') : '',
  },
  Glob: {
    icon: 'glob',
    target: (call) => within(call),
    outcome: (_call, result) => (num(result['numFiles']) === undefined ? '' : t('transcript.files', { n: num(result['numFiles']) ?? 0 })),
  },
  Grep: {
    icon: 'grep',
    target: (call) => within(call),
    outcome: (_call, result) => {
      const files = num(result['numFiles']) ?? 0;
      const hits = num(result['numMatches']) ?? num(result['numLines']);
      if (hits === undefined || files === 0) return hits !== undefined ? t('transcript.lineCount', { n: hits }) : t('transcript.files', { n: files });
      return t('transcript.matches', { n: hits, files: t('transcript.files', { n: files }) });
    },
  },
  LS: { icon: 'folder', target: (call) => path(inputText(call, 'path')) },
  WebFetch: {
    icon: 'web',
    name: () => t('transcript.nameFetch'),
    target: (call) => mono(stripUrl(inputText(call, 'url'))),
    outcome: (_call, result) => [num(result['code']), num(result['bytes']) === undefined ? '' : bytes(num(result['bytes']) ?? 0)].filter(Boolean).join(' · '),
  },
  WebSearch: {
    icon: 'web',
    name: () => t('transcript.nameSearch'),
    target: (call) => mono(inputText(call, 'query')),
    outcome: (_call, result) => (result['results'] === undefined ? '' : t('transcript.results', { n: searchResults(result).length })),
  },
  TodoWrite: {
    icon: 'task',
    name: () => t('transcript.nameTask'),
    target: todo,
    outcome: (call) => {
      const all = list(call.input['todos']).map(fields);
      return t('transcript.ofTotal', { done: all.filter((one) => one['status'] === 'completed').length, total: all.length });
    },
  },
  TaskCreate: { icon: 'task', name: () => t('transcript.nameTask'), target: task },
  TaskUpdate: { icon: 'task', name: () => t('transcript.nameTask'), target: task },
  TaskGet: { icon: 'task', name: () => t('transcript.nameTask'), target: task },
  TaskList: {
    icon: 'task',
    name: () => t('transcript.nameTask'),
    target: () => words(''),
    outcome: (_call, result) => {
      const all = list(result['tasks']).map(fields);
      return t('transcript.ofTotal', { done: all.filter((one) => one['status'] === 'completed').length, total: all.length });
    },
  },
  AskUserQuestion: { icon: 'question', name: () => t('transcript.nameAsk'), target: (call) => questionTarget(call) },
  ExitPlanMode: { icon: 'plan', name: () => t('transcript.namePlan'), target: (call) => words(planTitle(call)) },
  EnterPlanMode: { icon: 'plan', name: () => t('transcript.namePlan'), target: () => words('') },
  TaskOutput: { icon: 'bash', name: () => t('transcript.nameOutput'), target: (call) => mono(str(call.input['task_id']) ?? '') },
  BashOutput: { icon: 'bash', name: () => t('transcript.nameOutput'), target: (call) => mono(str(call.input['bash_id']) ?? '') },
  TaskStop: {
    icon: 'stop',
    name: () => t('transcript.nameStop'),
    target: (call) => mono(str(fields(call.structured)['command']) ?? str(call.input['task_id']) ?? str(call.input['shell_id']) ?? ''),
  },
  KillShell: { icon: 'stop', name: () => t('transcript.nameStop'), target: (call) => mono(str(call.input['shell_id']) ?? '') },
  Skill: { icon: 'skill', target: (call) => mono(str(call.input['skill']) ?? str(call.input['command']) ?? '') },
  ToolSearch: {
    icon: 'grep',
    target: (call) => mono(str(call.input['query']) ?? ''),
    outcome: (_call, result) => t('transcript.tools', { n: list(result['matches']).length }),
  },
  StructuredOutput: { icon: 'check', name: () => t('transcript.nameResult'), target: () => words(t('transcript.structured')) },
  ReportFindings: { icon: 'warn', target: () => words(''), outcome: (call) => t('transcript.findings', { n: list(call.input['findings']).length }) },
  Monitor: { icon: 'clock', target: (call) => words(str(call.input['description']) ?? '') },
  ScheduleWakeup: { icon: 'clock', name: () => 'Wake', target: (call) => words(str(call.input['reason']) ?? str(call.input['prompt']) ?? '') },
  CronCreate: {
    icon: 'clock',
    name: () => 'Cron',
    target: (call) => words(str(call.input['prompt']) ?? ''),
    outcome: (_call, result) => str(result['humanSchedule']) ?? '',
  },
  CronDelete: { icon: 'clock', name: () => 'Cron', target: (call) => mono(str(call.input['id']) ?? '') },
  CronList: { icon: 'clock', name: () => 'Cron', target: () => words('') },
  SendMessage: { icon: 'steer', target: (call) => words(str(call.input['message']) ?? str(call.input['content']) ?? '') },
  Workflow: { icon: 'fork', target: (call) => words(str(call.input['title']) ?? str(call.input['name']) ?? '') },
  EnterWorktree: { icon: 'fork', target: (call) => mono(str(call.input['name']) ?? str(call.input['path']) ?? '') },
  ExitWorktree: { icon: 'fork', target: (call) => words(str(call.input['action']) ?? '') },
  ListMcpResourcesTool: { icon: 'mcp', name: () => 'MCP', target: (call) => words(str(call.input['server']) ?? '') },
  ReadMcpResourceTool: { icon: 'mcp', name: () => 'MCP', target: (call) => mono(str(call.input['uri']) ?? '') },
};

export const isAgent = (name: string): boolean => name === 'Agent' || name === 'Task';

function within(call: CallItem): Target {
  const where = inputText(call, 'path') || inputText(call, 'glob');
  return where ? { kind: 'within', pattern: inputText(call, 'pattern'), path: where } : mono(inputText(call, 'pattern'));
}

export function searchResults(result: Fields): { title: string; url: string; snippet: string }[] {
  return list(result['results'])
    .flatMap((one) => list(fields(one)['content']))
    .map(fields)
    .map((hit) => ({ title: str(hit['title']) ?? '', url: str(hit['url']) ?? '', snippet: str(hit['snippet']) ?? '' }))
    .filter((hit) => hit.url);
}

function questionTarget(call: CallItem): Target {
  const all = list(call.input['questions']).map(fields);
  return words(all.length === 1 ? (str(all[0]?.['question']) ?? '') : t('transcript.questions', { n: all.length }));
}

export function planOf(call: CallItem): string {
  return textOf(heavy(fields(call.structured)['plan'])) || textOf(heavy(call.input['plan']));
}
const planTitle = (call: CallItem): string => firstLine(planOf(call)).replace(/^#+\s*/, '');

function known(call: CallItem): Known {
  const direct = KNOWN[call.name];
  if (direct) return direct;
  if (isAgent(call.name)) return { icon: 'agent', name: () => 'Agent', target: () => words(inputText(call, 'description')) };
  const mcp = /^mcp__(.+?)__(.+)$/.exec(call.name);
  if (mcp)
    return {
      icon: 'mcp',
      name: () => 'MCP',
      target: () => ({ kind: 'tool', server: call.shown?.server ?? mcp[1] ?? '', tool: call.shown?.tool ?? mcp[2] ?? '' }),
      outcome: () => '',
    };
  return { icon: 'unknown', target: () => words(generic(call.input)), outcome: () => firstLine(call.result ? plain(call.result) : '').slice(0, 60) };
}

const generic = (input: Fields): string => {
  for (const value of Object.values(input)) if (typeof value === 'string' && value) return firstLine(value).slice(0, 160);
  return '';
};

/** `device`: id of this device, so that its decisions are shown as made by "you". */
export function summarise(call: CallItem, waiting: boolean, device?: string): Summary {
  const tool = known(call);
  const result = fields(call.structured);
  const summary: Summary = { icon: tool.icon, name: tool.name?.() ?? call.name, target: tool.target(call), outcome: '', tone: '', other: isAgent(call.name) };
  if (waiting) return { ...summary, outcome: t('transcript.waits'), tone: 'ask' };
  switch (call.state) {
    case 'drafting':
      return { ...summary, outcome: t('transcript.writing'), tone: 'run' };
    case 'running':
      return { ...summary, tone: 'run' };
    case 'background':
      return { ...summary, outcome: t('transcript.inBackground'), tone: 'run' };
    case 'cancelled':
      return { ...summary, outcome: call.task?.background ? t('transcript.endStopped') : t('transcript.cancelled') };
    case 'denied':
      return { ...summary, outcome: denied(call, device), tone: 'err' };
    case 'failed':
      return { ...summary, outcome: failure(call, tool, result), tone: 'err' };
    case 'done':
      return { ...summary, outcome: done(call, tool, result), by: allowed(call, device), counts: counts(call, result) };
  }
}

function failure(call: CallItem, tool: Known, result: Fields): string {
  const outcome = tool === bash || tool === edit || tool === KNOWN['Write'] ? tool.outcome?.(call, result) : '';
  if (outcome && outcome !== t('transcript.ok')) return outcome;
  const text = firstLine((call.result ? plain(call.result) : '').replace(/<\/?tool_use_error>/g, '').replace(/^Error:\s*/, ''));
  return text ? text.slice(0, 60) : t('transcript.failedShort');
}

function done(call: CallItem, tool: Known, result: Fields): string {
  const parts: string[] = [];
  if (isAgent(call.name)) {
    if (call.agentType ?? str(result['agentType'])) parts.push(call.agentType ?? str(result['agentType']) ?? '');
    const n = num(result['totalToolUseCount']) ?? call.task?.calls ?? call.children.filter((child) => child.kind === 'call').length;
    parts.push(t('transcript.calls', { n }));
  } else {
    const outcome = tool.outcome?.(call, result);
    if (outcome) parts.push(outcome);
  }
  return parts.join(' · ');
}

const LOOKING = new Set(['Read', 'Grep', 'Glob', 'LS']);

const whoOf = (ask: CallItem['ask'], device: string | undefined): string => (ask?.device && ask.device === device ? t('transcript.byYou') : (ask?.by ?? ''));

function allowed(call: CallItem, device: string | undefined): string | undefined {
  const ask = call.ask;
  if (ask?.outcome !== 'allowed') return call.byRule && !LOOKING.has(call.name) ? t('transcript.allowedByRule') : undefined;
  const by = whoOf(ask, device);
  if (call.name === 'AskUserQuestion') return t('transcript.answeredBy', { who: by });
  if (call.name === 'ExitPlanMode') return t('transcript.approvedBy', { who: by });
  return ask.changed ? t('transcript.allowedChanged', { who: by }) : t('transcript.allowedBy', { who: by });
}

function denied(call: CallItem, device: string | undefined): string {
  const reason = firstLine(call.denial?.reason ?? '').slice(0, 80);
  if (call.name === 'ExitPlanMode') return t('transcript.keptPlanning');
  switch (call.denial?.by) {
    case 'user': {
      const by = whoOf(call.ask, device) || t('transcript.byYou');
      return reason ? t('transcript.deniedByYouWhy', { who: by, why: reason }) : t('transcript.deniedByYou', { who: by });
    }
    case 'rule':
      return reason ? t('transcript.deniedByRuleWhy', { why: reason }) : t('transcript.deniedByRule');
    case 'hook':
      return reason ? t('transcript.deniedByHookWhy', { why: reason }) : t('transcript.deniedByHook');
    case 'mode':
      return t('transcript.deniedByMode');
    default:
      return t('transcript.denied');
  }
}

/** Duration of a call, or how long it has been running. */
export function timeOf(call: CallItem, now: number): string {
  const result = fields(call.structured);
  const reported =
    num(result['durationMs']) ??
    num(result['totalDurationMs']) ??
    (num(result['durationSeconds']) === undefined ? undefined : (num(result['durationSeconds']) ?? 0) * 1000) ??
    call.task?.duration;
  if (call.state === 'running' || call.state === 'background')
    return call.began > 0 ? duration(Math.max(0, Math.floor((now - call.began) / 1000) * 1000)).replace(/^0 ms$/, '0 s') : '';
  if (call.state === 'drafting' || call.state === 'denied' || call.state === 'cancelled') return '';
  const ms = reported ?? (call.ended !== undefined && call.began > 0 ? call.ended - call.began : undefined);
  return ms === undefined || ms < 0 ? '' : duration(ms);
}

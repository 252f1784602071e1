// Commands and their receipts. Every command has an id, and the bridge returns the same receipt for the same id, so
// commands without a receipt can be sent again on a new connection without a second effect.
import type {
  Accepted,
  Audit,
  Begun,
  BridgeStatus,
  Changes,
  Checked,
  ClientMessage,
  Code,
  Command,
  Devices,
  Diff,
  DriftLines,
  Exported,
  FolderTrust,
  Highlighted,
  FoundItem,
  ItemPage,
  JsonValue,
  PairingCode,
  Paths,
  Problem,
  RawLines,
  Receipt,
  Resolved,
  Rewound,
  SearchHits,
  ServerMessage,
  Sessions,
  TimelineData,
  UsageTable,
  FileText,
  FolderEntries,
  GitReport,
  Templates,
  WorkingTree,
} from '../api/types';
import type { ContextUsage, ListedHooks, ListedRules, McpSignIn, McpStatus, SettingSaved, SettingsInForce, TaskOutput } from './answers';
import type { Connection } from './connection';

/** Payload of the receipt of each command. */
interface ReceiptData {
  start: Begun;
  resume_session: Begun;
  fork: Begun;
  input: Accepted;
  list_recent_sessions: Sessions;
  items_before: ItemPage;
  item_raw: RawLines;
  find_item: FoundItem;
  files: Paths;
  folders: Paths;
  search: SearchHits;
  usage: UsageTable;
  highlight: Highlighted;
  diff: Diff;
  changes: Changes;
  drift: DriftLines;
  timeline: TimelineData;
  devices: Devices;
  pair: PairingCode;
  audit: Audit;
  check: Checked;
  rewind: Rewound;
  export: Exported;
  status: BridgeStatus;
  folder_trust: FolderTrust;
  trust_folder: FolderTrust;
  working_tree: WorkingTree;
  git: GitReport;
  folder: FolderEntries;
  file: FileText;
  templates: Templates;
  mcp_status: McpStatus;
  mcp_authenticate: McpSignIn | null;
  task_output: TaskOutput | null;
  context_usage: ContextUsage;
  hooks: ListedHooks | null;
  rules: ListedRules;
  settings: SettingsInForce;
  set_setting: SettingSaved | null;
}
export type CommandType = Exclude<ClientMessage['type'], 'hello' | 'ping' | 'pong'>;
export type CommandOf<T extends CommandType> = Extract<ClientMessage, { type: T }>;
export type Answer<T extends CommandType> = T extends keyof ReceiptData ? ReceiptData[T] : JsonValue | null;

/** A command failed, or it is unknown whether it had an effect. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly code: Code | 'timeout' | 'cancelled',
    message: string,
    readonly hint: string | null = null,
    readonly resolved: Resolved | null = null,
  ) {
    super(message);
  }
}

export const refusalOf = (problem: Problem | null | undefined): Refusal =>
  problem ? new Refusal(problem.code, problem.message, problem.hint ?? null, problem.resolved ?? null) : new Refusal('internal', 'refused without a reason');

export interface SendOptions {
  /** Milliseconds until the command times out. */
  timeout?: number;
  signal?: AbortSignal;
  id?: string;
}

/** Commands that wait for an agent to start or a model server to answer. */
const SLOW: ReadonlySet<CommandType> = new Set<CommandType>([
  'start',
  'resume_session',
  'fork',
  'rewind',
  'check',
  'mcp_authenticate',
  'mcp_reconnect',
  'export',
  'changes',
  'working_tree',
  'git',
]);

interface Pending {
  command: Command;
  resolve: (data: unknown) => void;
  reject: (error: Refusal) => void;
  timer: ReturnType<typeof setTimeout>;
  sent: boolean;
}

export const newId = (): string => {
  if (typeof crypto !== 'undefined' && typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  // Plain http on another machine has no randomUUID; this has the same format.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

export class Commands {
  private readonly pending = new Map<string, Pending>();
  private readonly claims: ((receipt: Receipt) => boolean)[] = [];

  constructor(private readonly connection: Connection) {
    connection.messages.listen((message) => this.onMessage(message));
    connection.opened.listen(() => {
      for (const one of this.pending.values()) one.sent = connection.send(one.command);
    });
  }

  /** Sends a command and waits for its receipt, also across a reconnect. */
  send<T extends CommandType>(command: CommandOf<T>, options: SendOptions = {}): Promise<Answer<T>> {
    const id = options.id ?? newId();
    const whole: Command = { ...command, id };
    return new Promise<Answer<T>>((resolve, reject) => {
      const settle = (act: () => void) => {
        const one = this.pending.get(id);
        if (!one) return;
        clearTimeout(one.timer);
        this.pending.delete(id);
        act();
      };
      const timer = setTimeout(
        () => settle(() => reject(new Refusal('timeout', 'no answer in time'))),
        options.timeout ?? (SLOW.has(whole.type as CommandType) ? 90_000 : 30_000),
      );
      this.pending.set(id, {
        command: whole,
        timer,
        sent: false,
        resolve: (data) => settle(() => resolve(data as Answer<T>)),
        reject: (error) => settle(() => reject(error)),
      });
      options.signal?.addEventListener('abort', () => settle(() => reject(new Refusal('cancelled', 'not needed any more'))), { once: true });
      const one = this.pending.get(id);
      if (one && this.connection.up) one.sent = this.connection.send(whole);
    });
  }

  /** Number of commands without a receipt. */
  get waiting(): number {
    return this.pending.size;
  }

  /** Registers a receiver for receipts of commands that were sent elsewhere, such as by the outbox. */
  claim(taker: (receipt: Receipt) => boolean): void {
    this.claims.push(taker);
  }

  private onMessage(message: ServerMessage): void {
    if (message.type === 'receipt') this.settle(message);
    else if (message.type === 'error' && message.requestId) {
      this.settle({
        id: message.requestId,
        ok: false,
        data: null,
        error: { code: message.code, message: message.message, hint: message.hint ?? null, resolved: message.resolved ?? null },
      });
    }
  }

  private settle(receipt: Receipt): void {
    const one = this.pending.get(receipt.id);
    if (one) {
      if (receipt.ok) one.resolve(receipt.data ?? null);
      else one.reject(refusalOf(receipt.error));
      return;
    }
    for (const taker of this.claims) if (taker(receipt)) return;
  }
}

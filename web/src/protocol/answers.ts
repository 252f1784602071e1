// Answers that the bridge passes on from the agent. Agents leave out what they do not know.
import type { JsonValue } from '../api/types';

export interface McpServer {
  name: string;
  status: string;
  error?: string;
  scope?: string;
  transport?: string;
  config?: { type?: string };
  tools?: { name: string; description?: string }[];
}
export interface McpStatus {
  mcpServers?: McpServer[];
  servers?: McpServer[];
}
export interface McpSignIn {
  authUrl?: string;
  url?: string;
}

export interface TaskOutput {
  output?: string;
  total_bytes?: number;
  truncated?: boolean;
}

export interface ContextCategory {
  name: string;
  tokens: number;
  kind?: string;
  isDeferred?: boolean;
}
export interface ContextUsage {
  categories?: ContextCategory[];
  totalTokens?: number;
  maxTokens?: number;
  rawMaxTokens?: number;
}

export interface ListedHook {
  event: string;
  matcher?: string;
  sourceLabel?: string;
  source?: string;
  displayText?: string;
  commandText?: string;
  disabled?: boolean;
}
export interface ListedHooks {
  hooks?: ListedHook[];
}

/** A permission rule as the agent lists it. */
export interface ListedRule {
  behavior: string;
  rule: string;
  source?: string;
  destination?: string;
  editability?: string;
  notInEffect?: boolean;
}
export interface ListedRules {
  rules?: ListedRule[];
  state?: { rules?: ListedRule[] };
}

export interface SettingsSource {
  source?: string;
  name?: string;
  path?: string;
  settings?: { [name: string]: JsonValue };
}
export interface SettingsInForce {
  effective?: { [name: string]: JsonValue };
  sources?: SettingsSource[];
}
/** Why settings that were saved do not apply yet. */
export interface SettingSaved {
  warning?: string | null;
}

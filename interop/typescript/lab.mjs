// Test setup: folders, a scripted model, and helpers for the messages of a session.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test as nodeTest } from 'node:test';
import { pathToFileURL } from 'node:url';

const AGENT = process.env.SLUICE_BIN;
const MODEL = process.env.SLUICE_SIM?.split(' ') ?? [AGENT, 'sim', 'model'];
const { resolve } = createRequire(join(process.env.SDK, 'index.js'));
export const sdk = await import(pathToFileURL(resolve('@anthropic-ai/claude-agent-sdk')));
export const { createSdkMcpServer, prewarm, query, tool } = sdk;
export const { z } = await import(pathToFileURL(resolve('zod')));

/** Runs `use` with a folder, a home, a scripted model, and options that use all three. */
export async function lab(replies, use) {
  const root = await mkdtemp(join(tmpdir(), 'sluice-interop-'));
  const [cwd, home, script] = ['work', 'home', 'script.json'].map((name) => join(root, name));
  await mkdir(cwd);
  await mkdir(home);
  await writeFile(script, JSON.stringify({ replies }));
  const model = spawn(MODEL[0], [...MODEL.slice(1), script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stderr = [];
  try {
    const [address] = await once(createInterface({ input: model.stdout }), 'line');
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: 'sk-test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    };
    const options = { pathToClaudeCodeExecutable: AGENT, cwd, env, stderr: (text) => stderr.push(text) };
    await use({ cwd, home, options });
    assert.deepEqual(stderr, [], 'stderr is not empty');
  } finally {
    model.kill('SIGKILL');
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

export const test = (name, run) => nodeTest(name, { timeout: 60_000 }, run);
export const text = (value, more = {}) => ({ content: [{ type: 'text', text: value }], ...more });
let calls = 0;
export const call = (name, input) => [{ type: 'tool_use', id: `toolu_${++calls}`, name, input }];

/** A conversation to which prompts are pushed and from which messages are read turn by turn. */
export function conversation(options) {
  const waiting = [];
  let wake = () => {};
  let open = true;
  async function* prompts() {
    while (open || waiting.length > 0) {
      while (waiting.length > 0) {
        yield waiting.shift();
      }
      if (open) await new Promise((resolve) => (wake = resolve));
    }
  }
  const session = query({ prompt: prompts(), options });
  const messages = session[Symbol.asyncIterator]();
  return {
    session,
    push(prompt, more = {}) {
      waiting.push({ type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null, ...more });
      wake();
    },
    async turn(prompt, each = async () => {}) {
      if (prompt !== undefined) this.push(prompt);
      const seen = [];
      for (;;) {
        const { value, done } = await messages.next();
        assert.ok(!done, 'the session ended before the turn');
        seen.push(value);
        await each(value);
        if (value.type === 'result') return seen;
      }
    },
    async end() {
      open = false;
      wake();
      while (!(await messages.next()).done);
    },
  };
}

export const texts = (messages) =>
  messages
    .filter(({ type }) => type === 'assistant')
    .flatMap(({ message }) => message.content)
    .filter(({ type }) => type === 'text')
    .map((block) => block.text);
export const outcomes = (messages) =>
  messages
    .filter(({ type, message }) => type === 'user' && Array.isArray(message.content))
    .flatMap(({ message }) => message.content)
    .filter(({ type }) => type === 'tool_result');
export const result = (messages) => messages.find(({ type }) => type === 'result');
export const delta = (message) => message.type === 'stream_event' && message.event.type === 'content_block_delta';
export const all = async (iterable) => {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
};
export const init = (messages) => messages.find(({ type, subtype }) => type === 'system' && subtype === 'init');

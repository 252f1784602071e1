// A separate bridge for a test: home, state folder, port and model; everything is removed at the end.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { startProxy } from './proxy.mjs';

export const BIN = process.env.SLUICE_BIN;
assert.ok(BIN, 'set SLUICE_BIN to the binary to test');
const run = promisify(execFile);

/**
 * `model`: the address of a model, or null for the demo model. `programs`: scripts on PATH, by name. $SLUICE_AGENT: the
 * agent to use instead of Sluice.
 */
export async function startStage({ model = null, extra = [], programs = {} } = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-page-')));
  const home = join(root, 'home');
  const folder = join(home, 'project');
  const state = join(root, 'state');
  mkdirSync(folder, { recursive: true });
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(ANTHROPIC_|CLAUDE|SLUICE_)/.test(name)));
  Object.assign(env, { HOME: home, XDG_STATE_HOME: join(root, 'xdg') }, model ? { ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'test' } : {});
  if (Object.keys(programs).length) {
    const bin = join(root, 'bin');
    mkdirSync(bin);
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), text, { mode: 0o755 });
    env.PATH = `${bin}:${env.PATH}`;
  }
  const stage = { root, home, folder, state, env, url: '', code: '', port: '0', process: null, proxy: null };

  stage.start = async () => {
    stage.process = spawn(
      BIN,
      ['serve', '--port', stage.port, '--state', state, ...(process.env.SLUICE_AGENT ? ['--agent', process.env.SLUICE_AGENT] : []), ...extra],
      { env, stdio: ['ignore', 'pipe', openSync(join(root, 'log'), 'a')] },
    );
    stage.over = new Promise((resolve) => {
      stage.process.once('exit', resolve);
    });
    const line = await new Promise((resolve, reject) => {
      createInterface(stage.process.stdout).once('line', resolve);
      stage.process.once('exit', (code) => reject(new Error(`the bridge ended with ${code}: ${stage.log()}`)));
    });
    const [url, code] = line.trim().split('/#pair=');
    assert.ok(code, `no address: ${line}`);
    stage.bridge = url;
    stage.code = code;
    stage.port = new URL(url).port;
    // A page that was built but is not embedded in the binary yet.
    if (process.env.SLUICE_DIST && !stage.proxy) stage.proxy = await startProxy(process.env.SLUICE_DIST, stage.port);
    stage.url = stage.proxy?.url ?? url;
    return stage;
  };
  stage.log = () => {
    try {
      return readFileSync(join(root, 'log'), 'utf8').slice(-2000);
    } catch {
      return '';
    }
  };
  stage.kill = async (signal = 'SIGKILL') => {
    stage.process.kill(signal);
    await stage.over;
  };
  stage.ask = async (...words) => (await run(BIN, ['serve', ...words, '--state', state], { env })).stdout.trim();
  /** Creates a pairing code. */
  stage.pair = async () => {
    const answer = await stage.ask('pair');
    return /\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/.exec(answer)?.[0] ?? assert.fail(`no code in ${answer}`);
  };
  /** Processes of this stage that are still running. */
  stage.rest = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          return (
            readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`HOME=${home}`) ||
            readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(state)
          );
        } catch {
          return false;
        }
      })
      .map(Number)
      .filter((pid) => pid !== process.pid);
  stage.close = async () => {
    await stage.proxy?.close();
    if (stage.process && stage.process.exitCode === null && stage.process.signalCode === null) await stage.kill('SIGTERM');
    for (const pid of stage.rest()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        /* the process has ended */
      }
    }
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  };
  return stage.start();
}

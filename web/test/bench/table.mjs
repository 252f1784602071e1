// Measured values and their limits.
import { execFileSync } from 'node:child_process';
import { loadavg, cpus, totalmem, release } from 'node:os';
import { writeFileSync } from 'node:fs';

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
export const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];
const round = (value) => (Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toFixed(Math.abs(value) >= 10 ? 1 : 2)).toString());

/** `margin`: factor by which times may be longer on a busy machine; Infinity: times are only reported. */
export class Table {
  rows = [];
  before = loadavg()[0];

  constructor(margin = 1) {
    this.margin = margin;
  }

  /** A count: bytes, requests, nodes. Independent of the machine. */
  count(what, value, unit, limit, note = '') {
    this.put(what, value, unit, limit, limit, note);
  }
  /** A time, or a value derived from one. */
  time(what, value, unit, limit, note = '') {
    if (this.margin === Infinity) this.note(what, value, unit, note);
    else this.put(what, value, unit, limit, limit * this.margin, note);
  }
  /** A value without a limit. */
  note(what, value, unit, note = '') {
    this.put(what, value, unit, null, Infinity, note);
  }

  put(what, value, unit, limit, allowed, note) {
    const ok = Number.isFinite(value) && value <= allowed;
    this.rows.push({ what, value, unit, limit, ok, note });
    console.log(
      `${limit === null ? '    ' : ok ? 'ok  ' : 'MISS'} ${what}: ${round(value)}${unit ? ` ${unit}` : ''}${limit === null ? '' : ` (≤ ${round(limit)}${allowed === limit ? '' : `, here ${round(allowed)}`})`}${note ? ` · ${note}` : ''}`,
    );
  }

  get missed() {
    return this.rows.filter((row) => row.limit !== null && !row.ok);
  }

  write(path, browser) {
    const commit = (() => {
      try {
        return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
      } catch {
        return 'unknown';
      }
    })();
    const head = `# The page, measured\n\n${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, load average ${this.before.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after; Chromium ${browser}, without a GPU; commit ${commit}.\nThe browser, the bridge, the agents and the one who measures share the machine: with other work on it the times are upper bounds.\nWritten by \`make bench-page\`.\n\n`;
    const table = [
      '| | measured | limit | ok |',
      '|---|---:|---:|---|',
      ...this.rows.map(
        (row) =>
          `| ${row.what} | ${round(row.value)}${row.unit ? ` ${row.unit}` : ''} | ${row.limit === null ? '–' : `≤ ${round(row.limit)}${row.unit ? ` ${row.unit}` : ''}`} | ${row.limit === null ? '–' : row.ok ? 'yes' : '**no**'} |`,
      ),
    ];
    const notes = this.rows.filter((row) => row.note).map((row) => `- ${row.what}: ${row.note}`);
    writeFileSync(path, `${head}${table.join('\n')}\n\n${notes.join('\n')}\n`);
  }
}

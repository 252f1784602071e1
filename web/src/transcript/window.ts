// Heights of rows: measured where known, else estimated, and their sums.
import { textOf, type Row } from './model';

const GUESS: Record<string, number> = {
  prompt: 68,
  origin: 64,
  end: 60,
  break: 56,
  looked: 28,
  thinking: 28,
  tool_call: 28,
  command: 60,
  unknown: 28,
};

export function guess(row: Row): number {
  const body = row.cells[0]?.item.body;
  // Underestimated on purpose: that renders a row too many rather than one too few, which would delay the first paint.
  if (body?.type === 'text') return 12 + Math.ceil(textOf(body.text).length / 82) * 24;
  const base = GUESS[row.kind === 'item' ? (body?.type ?? '') : row.kind] ?? 36;
  return base + (row.tight ? 0 : 12);
}

export class Heights {
  private readonly measured = new Map<string, number>();
  private index = new Map<string, number>();
  private tops: Float64Array = new Float64Array(1);
  private rows: readonly Row[] = [];
  /** The sums are valid up to this row. Mostly the last row grows, so that nothing is recomputed. */
  private sound = 0;

  set(rows: readonly Row[]): void {
    const old = this.rows;
    this.rows = rows;
    let same = 0;
    while (same < rows.length && rows[same] === old[same]) same += 1;
    if (same < old.length) {
      this.index = new Map(rows.map((row, i) => [row.key, i]));
      if (this.measured.size > 2 * rows.length + 200) for (const key of this.measured.keys()) if (!this.index.has(key)) this.measured.delete(key);
    } else for (let i = same; i < rows.length; i += 1) this.index.set(rows[i]?.key ?? '', i);
    this.sound = Math.min(this.sound, same);
  }

  /** Sets the height of a row. Returns true if it changed. */
  measure(key: string, height: number): boolean {
    const old = this.measured.get(key);
    if (old !== undefined && Math.abs(old - height) < 0.5) return false;
    this.measured.set(key, height);
    this.sound = Math.min(this.sound, this.index.get(key) ?? this.sound);
    return true;
  }

  /** The offset of a row; for the index after the last row, the total height. */
  top(index: number): number {
    this.sum();
    return this.tops[Math.max(0, Math.min(index, this.rows.length))] ?? 0;
  }

  get total(): number {
    return this.top(this.rows.length);
  }

  /** The row at an offset. */
  at(y: number): number {
    this.sum();
    let low = 0;
    let high = this.rows.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if ((this.tops[mid] ?? 0) <= y) low = mid;
      else high = mid - 1;
    }
    return Math.max(0, low);
  }

  /** Recomputes the sums from row `sound` on. */
  private sum(): void {
    const n = this.rows.length;
    if (this.summed === n && this.sound >= n) return;
    if (this.tops.length < n + 1) {
      const more = new Float64Array(Math.max(n + 1, Math.ceil(this.tops.length * 1.5)));
      more.set(this.tops);
      this.tops = more;
    }
    let y = this.sound === 0 ? 0 : (this.tops[this.sound] ?? 0);
    for (let i = this.sound; i < n; i += 1) {
      this.tops[i] = y;
      const row = this.rows[i];
      if (row) y += this.measured.get(row.key) ?? guess(row);
    }
    this.tops[n] = y;
    this.sound = n;
    this.summed = n;
  }
  private summed = -1;
}

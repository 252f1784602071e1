// Creates animated pictures from screenshots: later frames contain only what changed.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const HEAD = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The pixels of a PNG written by a browser (8 bits, RGB or RGBA, not interlaced), as RGB. */
export function pixels(png) {
  let at = 8;
  let width = 0;
  let height = 0;
  let kind = 2;
  const data = [];
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      width = body.readUInt32BE(0);
      height = body.readUInt32BE(4);
      kind = body[9];
      if (body[8] !== 8 || (kind !== 2 && kind !== 6)) throw new Error('not a picture of a browser');
    }
    if (type === 'IDAT') data.push(body);
    at += 12 + length;
  }
  const size = kind === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(data));
  const row = width * size;
  const whole = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (row + 1)];
    const from = y * (row + 1) + 1;
    const to = y * row;
    for (let x = 0; x < row; x += 1) {
      const left = x >= size ? whole[to + x - size] : 0;
      const up = y > 0 ? whole[to + x - row] : 0;
      const corner = x >= size && y > 0 ? whole[to + x - row - size] : 0;
      let guess = 0;
      if (filter === 1) guess = left;
      else if (filter === 2) guess = up;
      else if (filter === 3) guess = (left + up) >> 1;
      else if (filter === 4) {
        const p = left + up - corner;
        const [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
        guess = a <= b && a <= c ? left : b <= c ? up : corner;
      }
      whole[to + x] = (raw[from + x] + guess) & 255;
    }
  }
  if (size === 3) return { width, height, rgb: whole };
  const rgb = Buffer.alloc(width * height * 3);
  for (let i = 0, j = 0; i < whole.length; i += 4, j += 3) {
    rgb[j] = whole[i];
    rgb[j + 1] = whole[i + 1];
    rgb[j + 2] = whole[i + 2];
  }
  return { width, height, rgb };
}

/** The bounding box of the differences of two pictures; null if there are none. */
export function changed(a, b) {
  let [left, top, right, bottom] = [a.width, a.height, -1, -1];
  for (let y = 0; y < a.height; y += 1) {
    const row = y * a.width * 3;
    if (a.rgb.compare(b.rgb, row, row + a.width * 3, row, row + a.width * 3) === 0) continue;
    top = Math.min(top, y);
    bottom = y;
    for (let x = 0; x < a.width; x += 1) {
      const at = row + x * 3;
      if (a.rgb[at] !== b.rgb[at] || a.rgb[at + 1] !== b.rgb[at + 1] || a.rgb[at + 2] !== b.rgb[at + 2]) {
        left = Math.min(left, x);
        right = Math.max(right, x);
      }
    }
  }
  return right < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** Part of a picture, compressed; each row with the PNG filter (up or left) that gives the smaller result. */
function packed(picture, { x, y, width, height }) {
  const row = width * 3;
  const raw = Buffer.alloc((row + 1) * height);
  for (let line = 0; line < height; line += 1) {
    const from = ((y + line) * picture.width + x) * 3;
    const above = from - picture.width * 3;
    let [sum1, sum2] = [0, 0];
    const [one, two] = [Buffer.alloc(row), Buffer.alloc(row)];
    for (let i = 0; i < row; i += 1) {
      one[i] = picture.rgb[from + i] - (i >= 3 ? picture.rgb[from + i - 3] : 0);
      two[i] = picture.rgb[from + i] - (line > 0 ? picture.rgb[above + i] : 0);
      sum1 += one[i] < 128 ? one[i] : 256 - one[i];
      sum2 += two[i] < 128 ? two[i] : 256 - two[i];
    }
    raw[line * (row + 1)] = sum2 <= sum1 ? 2 : 1;
    (sum2 <= sum1 ? two : one).copy(raw, line * (row + 1) + 1);
  }
  return deflateSync(raw, { level: 9 });
}

const chunk = (type, body) => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const whole = Buffer.alloc(8 + body.length + 4);
  whole.writeUInt32BE(body.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named) >>> 0, 8 + body.length);
  return whole;
};
const numbers = (...values) => {
  const out = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) out.writeUInt32BE(value, i * 4);
  return out;
};

/** `shots`: [{png, ms}]. Frames without a change extend the previous one. */
export function moving(shots) {
  const frames = [];
  let last = null;
  for (const { png, ms } of shots) {
    const picture = pixels(png);
    const place = last ? changed(last, picture) : { x: 0, y: 0, width: picture.width, height: picture.height };
    if (place) frames.push({ picture, place, ms });
    else frames.at(-1).ms += ms;
    last = picture;
  }
  const { width, height } = frames[0].picture;
  const parts = [HEAD, chunk('IHDR', Buffer.concat([numbers(width, height), Buffer.from([8, 2, 0, 0, 0])])), chunk('acTL', numbers(frames.length, 0))];
  let number = 0;
  frames.forEach(({ picture, place, ms }, i) => {
    const delay = Buffer.alloc(6);
    delay.writeUInt16BE(Math.min(65_000, Math.round(ms)), 0);
    delay.writeUInt16BE(1000, 2);
    parts.push(chunk('fcTL', Buffer.concat([numbers(number, place.width, place.height, place.x, place.y), delay])));
    number += 1;
    const body = packed(picture, place);
    if (i === 0) parts.push(chunk('IDAT', body));
    else {
      parts.push(chunk('fdAT', Buffer.concat([numbers(number), body])));
      number += 1;
    }
  });
  parts.push(chunk('IEND', Buffer.alloc(0)));
  return Buffer.concat(parts);
}

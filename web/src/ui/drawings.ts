// Icons, 16 px, stroke 1.5. `d` is stroked, `f` filled, `dash` breaks the stroke.

export interface Drawing {
  d?: string;
  f?: string;
  dash?: string;
  w?: number;
}
const ring = (x: number, y: number, r: number) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;

export const drawings = {
  agent: { d: 'M4 2.25v7.5a2 2 0 0 0 2 2h6m-2.25-2.5 2.5 2.5-2.5 2.5M4 5.5h5' },
  at: { d: `${ring(8, 8, 2.5)}M10.5 5.5v3.25a1.5 1.5 0 0 0 3 0V8A5.5 5.5 0 1 0 11 12.6` },
  back: { d: 'M10 3 5 8l5 5' },
  bash: { d: 'M2.5 3h11v10h-11zm2.5 3 2 2-2 2m3.5.25H11' },
  blocked: { d: ring(8, 8, 5), dash: '2 1.6' },
  chart: { d: 'M2.5 13.5v-5m3.75 5v-9M10 13.5V7m3.5 6.5v-11' },
  check: { d: 'm3 8.5 3.25 3.25L13 4.75' },
  chevron: { d: 'm6 3.5 4.5 4.5L6 12.5' },
  circle: { d: ring(8, 8, 5) },
  clip: { d: 'm12.75 7.25-5 5a3 3 0 0 1-4.25-4.25l5.5-5.5a2 2 0 0 1 2.85 2.85l-5.3 5.3a1 1 0 0 1-1.45-1.45L9.75 4.6' },
  clock: { d: `${ring(8, 8, 5.75)}M8 4.75V8l2.25 1.5` },
  copy: { d: 'M5.5 5.5h8v8h-8zm5 0v-3h-8v8h3' },
  device: { d: 'M4.5 1.75h7v12.5h-7zM7.25 12h1.5' },
  done: { f: `M8 2.25a5.75 5.75 0 1 0 0 11.5a5.75 5.75 0 0 0 0-11.5zM5 8.3l.9-.9 1.35 1.35L10.1 5.5l1 .85-3.8 4.35z` },
  dots: { d: 'M3.5 8h.01M8 8h.01m4.49 0h.01', w: 2 },
  down: { d: 'm3.5 6 4.5 4.5L12.5 6' },
  download: { d: 'M8 2.5V10M4.75 7 8 10.25 11.25 7m-8.5 6.25h10.5' },
  edit: { d: 'm3 10.5-.75 3.25L5.5 13l7.75-7.75-2.5-2.5zm6.25-6.25 2.5 2.5' },
  external: { d: 'M6.5 3.5h-4v10h10v-4M9 2.5h4.5V7m0-4.5-6 6' },
  folder: { d: 'M1.75 3.5h4.5l1.5 1.75h6.5v7.5H1.75z' },
  fork: { d: `${ring(4, 3.5, 1.5)}${ring(12, 3.5, 1.5)}${ring(8, 12.5, 1.5)}M4 5v1.5C4 7.5 5 8 6 8h4c1 0 2-.5 2-1.5V5M8 8v3` },
  gear: { d: `${ring(8, 8, 2.25)}M8 1.75v2m0 8.5v2M1.75 8h2m8.5 0h2M3.6 3.6 5 5m6 6 1.4 1.4m0-8.8L11 5m-6 6-1.4 1.4` },
  glob: { d: 'M8 2.5v11M3.25 5.25l9.5 5.5m0-5.5-9.5 5.5' },
  grep: { d: `${ring(7, 7, 4.25)}M10.25 10.25l3.5 3.5` },
  half: { d: ring(8, 8, 5), f: 'M8 3a5 5 0 0 1 0 10z' },
  history: { d: 'M3 8a5 5 0 1 0 1.6-3.7M2.75 2v3h3M8 5.25V8l2 1.25' },
  hook: { d: 'M10.5 2v7.25a3.25 3.25 0 0 1-6.5 0V8l-1.5 1.75M4 8l1.5 1.75M9 2h3' },
  image: { d: `M2 3h12v10H2z${ring(5.75, 6.25, 1.25)}M2.5 12l4-3.5 2.5 2 2-1.5 2.75 2.5` },
  key: { d: `${ring(5, 11, 2.75)}M7 9l6-6m-2 2 1.75 1.75M9 7l1.25 1.25` },
  laptop: { d: 'M3 3.25h10v7H3zm-1.5 9.5h13' },
  link: { d: 'M6.75 9.25 9.5 6.5M7.5 4.5l1.25-1.25a2.83 2.83 0 0 1 4 4L11.5 8.5m-7 0L3.25 9.75a2.83 2.83 0 0 0 4 4L8.5 12.5' },
  lock: { d: 'M3.5 7.25h9v6.5h-9zm2 0v-2a2.5 2.5 0 0 1 5 0v2' },
  mcp: { d: 'M6 1.75v3.5m4-3.5v3.5m-6 0h8v2.5a4 4 0 0 1-8 0zm4 6.5v2.5' },
  moon: { d: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z' },
  notebook: { d: 'M3.5 2.25h9v11.5h-9zm2 0v11.5M7.75 5.5h2.75M7.75 8h2.75' },
  plan: { d: 'm2 4 4-1.75 4 1.75 4-1.75v9.75l-4 1.75L6 12l-4 1.75zm4-1.75V12m4-8v9.75' },
  plus: { d: 'M8 3v10M3 8h10' },
  question: { d: `${ring(8, 8, 5.75)}M6.25 6.5a1.75 1.75 0 1 1 2.5 1.6c-.5.25-.75.6-.75 1.15m0 2h.01` },
  queue: { d: 'M2.5 4h11m-11 4h7m-7 4h7M12 8.5v5M9.75 11h4.5' },
  read: { d: 'M3.5 1.75h6l3 3v9.5h-9zm2.25 5.5h4.5m-4.5 2.5h4.5M5.75 12h2.5' },
  retry: { d: 'M13 8a5 5 0 1 1-1.6-3.7M13.25 2v3h-3' },
  send: { d: 'M8 13.25V3M3.75 7.25 8 3l4.25 4.25' },
  side: { d: 'M2 3h12v10H2zm8 0v10' },
  skill: { d: 'M8 2l1.5 4.5L14 8l-4.5 1.5L8 14l-1.5-4.5L2 8l4.5-1.5z' },
  slash: { d: 'm10 2.75-4 10.5' },
  steer: { d: 'M3 13V9.5a3 3 0 0 1 3-3h7m-3-3 3 3-3 3' },
  stop: { f: 'M4 4h8v8H4z' },
  sun: { d: `${ring(8, 8, 2.75)}M8 1.5v1.25m0 10.5v1.25M1.5 8h1.25m10.5 0h1.25M3.4 3.4l.9.9m7.4 7.4.9.9m0-9.2-.9.9m-7.4 7.4-.9.9` },
  task: { d: 'm2.25 4 1.25 1.25L5.75 3m-3.5 5.5L3.5 9.75 5.75 7.5M8 4.25h5.75M8 8.75h5.75M8 13h5.75m-9.75 0h.01' },
  think: { d: 'M2.5 8h.01M8 8h.01m5.49 0h.01', w: 2.25 },
  undo: { d: 'M5.5 3l-3 3 3 3m-3-3h6.75a3.75 3.75 0 0 1 0 7.5H6' },
  unknown: { d: 'M3 3h10v10H3zM6.5 6.4a1.5 1.5 0 1 1 2.25 1.3c-.5.25-.75.55-.75 1.05m0 2h.01', dash: '2 1.6' },
  warn: { d: 'M8 2.25 14.25 13H1.75zM8 6.5v3m0 1.75h.01' },
  web: { d: `${ring(8, 8, 5.75)}M2.25 8h11.5M8 2.25c3.5 3.5 3.5 8 0 11.5-3.5-3.5-3.5-8 0-11.5z` },
  wrap: { d: 'M2 4h12M2 8h9.5a2 2 0 0 1 0 4H8m1.5-1.75L7.75 12l1.75 1.75M2 12h3' },
  write: { d: 'M3.5 1.75h6l3 3v9.5h-9zM8 7v5M5.5 9.5h5' },
  x: { d: 'm4 4 8 8m0-8-8 8' },
} satisfies Record<string, Drawing>;

export type IconName = keyof typeof drawings;
export const iconNames = Object.keys(drawings) as IconName[];

const SVG = 'http://www.w3.org/2000/svg';

/** Parsed icons; each use is a clone. */
const drawn = new Map<IconName, DocumentFragment>();

/** The paths of an icon, for its `svg`. */
export function pathsOf(name: IconName): Node {
  let paths = drawn.get(name);
  if (!paths) {
    const drawing: Drawing = drawings[name];
    paths = document.createDocumentFragment();
    for (const [d, fill] of [
      [drawing.d, false],
      [drawing.f, true],
    ] as const) {
      if (!d) continue;
      const path = document.createElementNS(SVG, 'path');
      path.setAttribute('d', d);
      if (fill) {
        path.setAttribute('class', 'fill');
        path.setAttribute('fill-rule', 'evenodd');
      } else {
        if (drawing.dash) path.setAttribute('stroke-dasharray', drawing.dash);
        if (drawing.w) path.setAttribute('stroke-width', String(drawing.w));
      }
      paths.append(path);
    }
    drawn.set(name, paths);
  }
  return paths.cloneNode(true);
}

/** An icon as a plain element, for code without Solid. */
export function iconElement(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(pathsOf(name));
  return svg;
}

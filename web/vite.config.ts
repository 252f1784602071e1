import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import solid from 'vite-plugin-solid';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Inserts the first script into the head as a small blocking file: it must run before the first paint, and the CSP
 * allows no inline script.
 */
function firstScript(): Plugin {
  // Without comments and indentation.
  const source = () =>
    readFileSync(here('src/boot/first.js'), 'utf8')
      .replace(/^\s*\/\/.*\n/gm, '')
      .replace(/^\s+/gm, '');
  const hash = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 8);
  let serve = false;
  return {
    name: 'first-script',
    configResolved(config) {
      serve = config.command === 'serve';
    },
    generateBundle() {
      const text = source();
      this.emitFile({ type: 'asset', fileName: `assets/first-${hash(text)}.js`, source: text });
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        {
          tag: 'script',
          attrs: { src: serve ? '/src/boot/first.js' : `/assets/first-${hash(source())}.js` },
          injectTo: 'head-prepend',
        },
      ],
    },
  };
}

/** The files of a first visit: those the page references. Others are cached when they are used. */
function shellOf(bundle: Readonly<Record<string, Rolldown.OutputAsset | Rolldown.OutputChunk>>): string[] {
  const page = bundle['index.html'];
  const html = page?.type === 'asset' ? String(page.source) : '';
  const files = new Set([...html.matchAll(/"\/(assets\/[^"]+)"/g)].map((match) => match[1] ?? ''));
  if (files.size < 2) throw new Error('index.html references no files: the service worker would cache nothing');
  return [...files].sort();
}

/**
 * Inserts a magic comment at the start of the first file. Browsers that support it compile the whole file off the main
 * thread while it is loading, instead of function by function on the main thread, which was a third of the work before
 * the first paint.
 */
function compiledAhead(): Plugin {
  return {
    name: 'compiled-ahead',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = Object.values(bundle).find((one) => one.type === 'chunk' && one.name === 'page');
        if (page?.type !== 'chunk') throw new Error('the build has no chunk named page');
        page.code = `//# allFunctionsCalledOnLoad\n${page.code}`;
      },
    },
  };
}

/** Builds the service worker and inserts the list of files to cache. */
function shellWorker(): Plugin {
  return {
    name: 'shell-worker',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'chunk', id: here('src/sw.ts'), fileName: 'sw.js' });
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const worker = bundle['sw.js'];
        if (worker?.type !== 'chunk') return;
        const files = shellOf(bundle);
        const sum = createHash('sha256');
        for (const name of files) {
          const file = bundle[name];
          if (file) sum.update(name).update(file.type === 'chunk' ? file.code : file.source);
        }
        const build = sum.digest('base64url').slice(0, 12);
        worker.code = worker.code.replace('__BUILD__', build).replace(/["'`]__SHELL__["'`]/, JSON.stringify(JSON.stringify(files.map((name) => `/${name}`))));
      },
    },
  };
}

/** Makes marked compile its rules on first use (see `src/markdown/late.ts`). */
function lateRules(): Plugin {
  return {
    name: 'late-rules',
    transform: {
      filter: { id: /marked\.esm\.js$/ },
      handler(code) {
        const made = code.replace(/getRegex:\(\)=>new RegExp\((\w+),(\w+)\)/, 'getRegex:()=>lateRule($1,$2)');
        if (made === code) throw new Error('marked makes its rules in another way than it did: see lateRules');
        return { code: `import { lateRule } from ${JSON.stringify(here('src/markdown/late.ts'))};${made}`, map: null };
      },
    },
  };
}

export default defineConfig(({ mode }) => {
  const gallery = mode === 'gallery';
  return {
    plugins: [
      // Solid's `template` assigns innerHTML, which Trusted Types forbid; ours builds nodes.
      solid({ solid: { moduleName: '~dom', omitNestedClosingTags: false, omitLastClosingTag: false, omitQuotes: false } }),
      lateRules(),
      firstScript(),
      ...(gallery ? [] : [compiledAhead(), shellWorker()]),
    ],
    resolve: { alias: { '~dom': here('src/boot/dom.ts') } },
    build: {
      target: 'es2023',
      outDir: gallery ? 'dist-gallery' : 'dist',
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      cssCodeSplit: true,
      reportCompressedSize: false,
      rollupOptions: {
        input: here(gallery ? 'gallery.html' : 'index.html'),
        output: {
          // The modules of the first page are one file, even if a later part shares some of them; so are the panels with
          // their texts, and the bodies of calls.
          codeSplitting: {
            groups: [
              { name: 'page', test: /src\/main\.ts$/, priority: 2 },
              { name: 'panels', test: /src\/(panels\/(?!FirstSteps)|text\/later)/, priority: 1 },
              { name: 'bodies', test: /src\/transcript\/cards\/(bodies|details)/, priority: 1 },
              { name: 'forms', test: /src\/(asks\/kinds|gate\/bodies)/, priority: 1 },
            ],
          },
        },
      },
    },
    server: { proxy: { '/api': 'http://127.0.0.1:4747', '/ws': { target: 'ws://127.0.0.1:4747', ws: true } } },
    // Some tests process thousands of records, which takes long on a busy machine.
    test: { environment: 'happy-dom', include: ['src/**/*.test.{ts,tsx}'], server: { deps: { inline: ['marked'] } }, testTimeout: 60_000 },
  };
});

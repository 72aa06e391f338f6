import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import type { InlineConfig, Plugin, Rolldown } from 'vite';
import { z } from 'zod';

/**
 * What every visit loads, in one file that the page names. With a session, one more file has what the two pages need that owners
 * open first, and the parts of all pages.
 */
const FIRST_FILES = {
  groups: [
    { name: 'first', test: /\/src\/main\.tsx$/, priority: 1 },
    {
      name: 'signed-in',
      test: /\/src\/(parts\/(signed-in|fields|overlays|code|form)|pages\/(overview|webhooks)\/page)\./,
    },
  ],
};

/** Method and path of each operation, so that the page needs neither the operations nor their schemas. */
const ROUTES = Object.fromEntries(
  CONSOLE_OPERATIONS.map(({ id, method, path: route }) => [
    id,
    `${method.toUpperCase()} ${route.replace(/^\/partner-api/, '')}`,
  ]),
);

/** Vite's configuration of the owners' web app: builds the folder `root` into `outDir`. */
export function webConfig(folders: { readonly root: string; readonly outDir: string }): InlineConfig {
  const { root, outDir } = folders;
  return {
    root,
    base: '/console/',
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [
      contractConstants(),
      earlyFirstPaint(),
      signedInPreloads(),
      // Each plugin inserts its script before the previous one.
      ...['color-scheme', 'link-secrets', 'load-again'].map((name) =>
        earlyScript(path.join(root, 'early', `${name}.js`)),
      ),
    ],
    resolve: { alias: REACT },
    define: { CONSOLE_ROUTES: JSON.stringify(ROUTES) },
    // The console sets a new one in each response.
    html: { cspNonce: '{{nonce}}' },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // The tokens use `light-dark`.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // The page's policy refuses inline scripts and styles.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: {
        output: { codeSplitting: FIRST_FILES },
        // The router asks for hooks that only newer versions of React have. Some modules say that they run in a client.
        checks: { importIsUndefined: false, moduleLevelDirective: false },
      },
    },
  };
}

/** Builds what the pages outside of the app load: for each kind a style sheet and a script that needs no other file. */
export function outsideConfig({ root, outDir }: Parameters<typeof webConfig>[0]): InlineConfig {
  const { plugins: _plugins, define: _define, html: _html, ...shared } = webConfig({ root, outDir });
  const input = {
    'signed-out': path.join(root, 'src/outside/signed-out.ts'),
    reference: path.join(root, '../docs-page/reference.ts'),
    'try-it': path.join(root, '../docs-page/try-it.ts'),
  };
  return { ...shared, build: { ...shared.build, emptyOutDir: false, rolldownOptions: { input } } };
}

/** Preact does what the app uses of React, in a tenth of the bytes. */
const REACT = [
  { find: /^react(-dom)?$/, replacement: 'preact/compat' },
  { find: 'react-dom/client', replacement: 'preact/compat/client' },
  { find: 'react/jsx-runtime', replacement: 'preact/jsx-runtime' },
];

/**
 * Gives pages the constants of the contracts without their schemas, which only the server applies. The build fails if a page uses a
 * schema.
 */
function contractConstants(): Plugin {
  return {
    name: 'contract constants',
    enforce: 'pre',
    resolveId(source) {
      if (/^zod(\/|$)/.test(source)) this.error('a page loads a schema library: import only types of it');
    },
    async load(id) {
      if (!/\/proto-contracts\/dist\/resources\//.test(id)) return undefined;
      return Object.entries(z.record(z.string(), z.unknown()).parse(await import(id)))
        .filter(([, value]) => typeof value !== 'function' && !(value instanceof z.ZodType))
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n');
    },
  };
}

/** What the pages that owners open first read, by the folder of the page, with the page's path. */
const PRELOADED = {
  overview: { path: '/console', data: ['webhooks', 'statistics', 'api-keys?limit=50', 'status'] },
  deliveries: { path: '/console/deliveries', data: ['webhooks', 'deliveries?limit=50'] },
  webhooks: { path: '/console/webhooks', data: ['webhooks', 'statistics'] },
};

/**
 * Adds the preloads of a page with a session, in a comment that the console opens for it: the files that signed-in pages need, and
 * the session. Otherwise they would load one after the other. Those of single pages are in further comments.
 */
function signedInPreloads(): Plugin {
  return {
    name: 'signed-in preloads',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const names = Object.keys(bundle);
        const shared = names.filter((name) => /^assets\/signed-in-.*\.(?:js|css)$/.test(name));
        if (shared.length === 0) throw new Error('the file of signed-in pages is missing');
        const known = new Set([...shared, ...names.filter((name) => name.startsWith('assets/first-'))]);
        const pages = Object.entries(PRELOADED).map(([folder, { path: at, data }]) => {
          const own = Object.values(bundle).flatMap((file) =>
            file.type === 'chunk' && file.facadeModuleId?.endsWith(`/pages/${folder}/page.tsx`) === true
              ? filesOf(file.fileName, bundle, known)
              : [],
          );
          return `<!--${at} ${[...own.map(filePreload), ...data.map(dataPreload)].join('')} ${at}-->`;
        });
        const all = [...shared.map(filePreload), dataPreload('session')].join('');
        return html.replace('<noscript>', `<!--signed-in ${all} signed-in-->${pages.join('')}<noscript>`);
      },
    },
  };
}

/** Returns the files that a chunk needs besides the known ones, which it adds to these. */
function filesOf(name: string, bundle: Rolldown.OutputBundle, known: Set<string>): readonly string[] {
  const file = bundle[name];
  if (file?.type !== 'chunk' || known.has(name)) return [];
  known.add(name);
  const styles = [...(file.viteMetadata?.importedCss ?? [])].filter((style) => !known.has(style));
  return [name, ...styles, ...file.imports.flatMap((each) => filesOf(each, bundle, known))];
}

function filePreload(name: string): string {
  return name.endsWith('.js')
    ? `<link rel="modulepreload" fetchpriority="low" crossorigin href="/console/${name}">`
    : `<link rel="stylesheet" crossorigin href="/console/${name}">`;
}

function dataPreload(path: string): string {
  return `<link rel="preload" as="fetch" fetchpriority="low" crossorigin href="/partner-api/${path}">`;
}

/**
 * Shows the text that is there before the app as early as possible: styles come behind it, and scripts load with a low priority.
 * Scripts still wait for the styles, so the app never renders without them.
 */
function earlyFirstPaint(): Plugin {
  return {
    name: 'early first paint',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const [styles] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? [];
        if (styles === undefined) throw new Error('the page has no styles');
        return html
          .replace(styles, '')
          .replace('<div id="root">', `${styles}<div id="root">`)
          .replaceAll('<script type="module"', '<script type="module" fetchpriority="low"');
      },
    },
  };
}

/**
 * Runs a script before the page renders. It is a separate file, named by its content, and changes rarely, so consecutive versions of
 * the console usually share it.
 */
function earlyScript(file: string): Plugin {
  const text = readFileSync(file, 'utf8');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const fileName = `assets/${path.basename(file, '.js')}-${hash}.js`;
  return {
    name: `early-script ${path.basename(file)}`,
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source: text });
    },
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: `/console/${fileName}` }, injectTo: 'head-prepend' },
    ],
  };
}

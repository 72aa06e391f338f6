import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import type { InlineConfig, Plugin } from 'vite';

/** How Vite builds the owners' web app from the folder `root` into `outDir`. */
export function webConfig(folders: { readonly root: string; readonly outDir: string }): InlineConfig {
  const { root, outDir } = folders;
  return {
    root,
    base: '/console/',
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [
      react(),
      // Each comes to stand before the one before.
      ...['color-scheme', 'load-again'].map((name) => earlyScript(path.join(root, 'early', `${name}.js`))),
    ],
    // The console puts a fresh one into each response.
    html: { cspNonce: '{{nonce}}' },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // The policy of the page takes no script and no style from inside it.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1_000,
    },
  };
}

/**
 * Has the page run a script before it shows anything: a file of its own, named by its content like any other. It changes seldom,
 * so that most often every version of the console has it.
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

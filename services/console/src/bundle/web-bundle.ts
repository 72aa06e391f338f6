import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ContentCoding } from '@partner/gateway-kit/http/endpoint';

/** One file of the web app, with the codings in which the build compressed it. */
interface WebAsset {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly compressed: ReadonlyMap<ContentCoding, Uint8Array>;
}

export interface WebBundle {
  /** The page, with the placeholders `{{nonce}}`, `{{environment}}` and `{{session}}` for each response, and preloads in comments. */
  readonly page: string;
  /** Files that the page loads, by name. A name is never reused for another content. */
  readonly assets: ReadonlyMap<string, WebAsset>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const EXTENSIONS: Readonly<Record<ContentCoding, string>> = { br: '.br', gzip: '.gz' };

export const WEB_BUNDLE_DIRECTORY = path.join(import.meta.dirname, '../web-bundle');

/** Reads the built web app into memory. Throws if it was not built, so that no console starts without its pages. */
export function readWebBundle(directory: string): WebBundle {
  const pageFile = path.join(directory, 'index.html');
  if (!existsSync(pageFile)) {
    throw new Error(`the web app is not built: ${pageFile} is missing; run 'npm run build'`);
  }
  const assetDirectory = path.join(directory, 'assets');
  const names = readdirSync(assetDirectory);
  const assets = names.flatMap((name): [string, WebAsset][] => {
    const contentType = CONTENT_TYPES[path.extname(name)];
    if (contentType === undefined) return [];
    const compressed = (['br', 'gzip'] as const).flatMap((coding): [ContentCoding, Uint8Array][] => {
      const file = `${name}${EXTENSIONS[coding]}`;
      return names.includes(file) ? [[coding, readFileSync(path.join(assetDirectory, file))]] : [];
    });
    const bytes = readFileSync(path.join(assetDirectory, name));
    return [[name, { contentType, bytes, compressed: new Map(compressed) }]];
  });
  return { page: readFileSync(pageFile, 'utf8'), assets: new Map(assets) };
}

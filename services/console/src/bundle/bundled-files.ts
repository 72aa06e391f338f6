import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { WEB_BUNDLE_DIRECTORY } from './web-bundle.js';

const DIRECTORY = path.join(WEB_BUNDLE_DIRECTORY, 'assets');

/** Returns the path at which a file of the build is served: `reference.js` has a hash of its content in its name. */
export function bundledPath(file: string): string {
  return `/console/assets/${nameOf(file)}`;
}

/** Reads a file of the build. */
export function bundledText(file: string): string {
  return readFileSync(path.join(DIRECTORY, nameOf(file)), 'utf8').trim();
}

function nameOf(file: string): string {
  const { name, ext } = path.parse(file);
  const pattern = new RegExp(`^${name}-[\\w-]{8}\\${ext}$`);
  const found = readdirSync(DIRECTORY).find((each) => pattern.test(each));
  if (found === undefined)
    throw new Error(`the web app is not built: ${file} is missing; run 'npm run build'`);
  return found;
}

/**
 * Builds the owners' web app and packs the clients for partners into `dist/web-bundle`, unless its inputs are unchanged. It builds in a separate directory and renames
 * it at the end, so that a console that starts during the build finds a complete bundle.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { compressAssets } from './compress-assets.js';
import { inputDigest } from './input-digest.js';
import { packClients } from './pack-clients.js';
import { postmanCollection } from './postman-collection.js';
import { subsetFonts } from './subset-fonts.js';
import { outsideConfig, webConfig } from './web-config.js';

const service = path.join(import.meta.dirname, '../..');
const root = path.join(service, '../..');
const target = path.join(service, 'dist/web-bundle');
const digestFile = path.join(target, 'inputs.sha256');

const digest = inputDigest(root, [
  'services/console/web',
  'services/console/shared',
  'services/console/docs-page',
  'proto-contracts/src/api',
  'proto-contracts/src/openapi',
  'proto-contracts/src/resources',
  'proto-contracts/src/surfaces',
  'proto-contracts/src/values',
  'package-lock.json',
  'proto-contracts/clients/typescript/src',
  'proto-contracts/clients/typescript/package.json',
  'proto-contracts/clients/typescript/tsconfig.cjs.json',
  'proto-contracts/clients/typescript/README.md',
  'proto-contracts/clients/python/src',
  'proto-contracts/clients/python/pyproject.toml',
  'proto-contracts/clients/python/README.md',
  'proto-contracts/docs/clients.md',
  'CHANGELOG.md',
  'LICENSE',
]);
const isBuilt = existsSync(digestFile) && readFileSync(digestFile, 'utf8') === digest;

if (!isBuilt) {
  const beside = `${target}.${process.pid}`;
  mkdirSync(beside, { recursive: true });
  try {
    await subsetFonts(path.join(service, 'dist/web-fonts'));
    const folders = { root: path.join(service, 'web'), outDir: beside };
    await build(webConfig(folders));
    await build(outsideConfig(folders));
    compressAssets(path.join(beside, 'assets'));
    copyFileSync(path.join(root, 'CHANGELOG.md'), path.join(beside, 'changelog.md'));
    writeFileSync(path.join(beside, 'postman-collection.json'), await postmanCollection());
    packClients(root, path.join(beside, 'clients'));
    writeFileSync(path.join(beside, 'inputs.sha256'), digest);
    rmSync(target, { recursive: true, force: true });
    renameSync(beside, target);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

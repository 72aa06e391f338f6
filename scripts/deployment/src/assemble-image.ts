import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { copiedPlaces, stageOf } from './dockerfile.js';
import { productionPackages } from './production-packages.js';

/**
 * Puts into an empty directory what services/Dockerfile puts into `/app` of the image of a service, out of what is installed
 * and compiled here. The directory has to be on the same file system as the project: files are linked, not copied.
 */
export function assembleImage(service: ServiceName, directory: string): void {
  const { installed, linked } = productionPackages(`services/${service}`);
  for (const dist of copiedPlaces(stageOf('production'), service)) linkTree(dist, directory);
  runCleaning(directory, service);

  for (const manifest of copiedPlaces(stageOf('manifests'), service)) linkFile(manifest, directory);
  // A package of another platform is in the lock file, and not here.
  for (const place of installed.filter((candidate) => existsSync(path.join(PROJECT_ROOT, candidate)))) {
    linkTree(place, directory);
  }
  for (const [place, workspace] of linked) {
    const link = path.join(directory, place);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.relative(path.dirname(link), path.join(directory, workspace)), link);
  }
  keepOnly(copiedPlaces(stageOf('runtime'), service), directory);
}

/** Takes away what is neither at one of the places nor below one. */
function keepOnly(places: readonly string[], directory: string, folder = ''): void {
  if (places.includes(folder)) return;
  for (const name of readdirSync(path.join(directory, folder))) {
    const place = path.join(folder, name);
    if (places.some((kept) => `${kept}/`.startsWith(`${place}/`))) keepOnly(places, directory, place);
    else rmSync(path.join(directory, place), { recursive: true });
  }
}

/** Runs the commands of the stage that takes away what nobody needs at run time. */
function runCleaning(directory: string, service: ServiceName): void {
  for (const { keyword, text } of stageOf('compiled').instructions) {
    if (keyword !== 'RUN') continue;
    const { status, stderr } = spawnSync('sh', ['-c', text], {
      cwd: directory,
      env: { PATH: process.env['PATH'], SERVICE: service },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${text}: ${stderr}`);
  }
}

function linkFile(file: string, directory: string): void {
  const target = path.join(directory, file);
  mkdirSync(path.dirname(target), { recursive: true });
  linkSync(path.join(PROJECT_ROOT, file), target);
}

function linkTree(folder: string, directory: string): void {
  const entries = readdirSync(path.join(PROJECT_ROOT, folder), { withFileTypes: true, encoding: 'utf8' });
  for (const entry of entries) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') linkTree(place, directory);
    if (entry.isFile()) linkFile(place, directory);
  }
}

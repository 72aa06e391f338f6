import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { z } from 'zod';
import { breakingApiChanges } from './api-changes.js';

/** The files of the last release, in the project's folder `proto-contracts/released`. */
export const RELEASED = {
  folder: 'proto-contracts/released',
  contracts: 'contracts.binpb',
  openApi: 'openapi.json',
  migrations: 'migrations.json',
} as const;

const MIGRATIONS = 'services/job-state/src/database/migrations';

/** SHA-256 of each migration, by file name. */
const digests = z.record(z.string(), z.string());

/** The API description. */
export function describedApi(): unknown {
  return createOpenApiDocument({
    serverUrl: 'https://api.partner.example.org',
    sessionCookie: '__Host-svc_session',
    today: '2026-01-01',
  });
}

/** Writes the files that the next release is compared with, except the protobuf contracts, which buf writes. */
export function writeRelease(root: string): void {
  const folder = path.join(root, RELEASED.folder);
  mkdirSync(folder, { recursive: true });
  const write = (file: string, value: unknown) =>
    writeFileSync(path.join(folder, file), `${JSON.stringify(value, null, 2)}\n`);
  write(RELEASED.openApi, describedApi());
  write(RELEASED.migrations, migrationDigests(root));
}

/** Returns the changes since the last release that break a partner's client. */
export function apiViolations(root: string): readonly string[] {
  return breakingApiChanges(read(root, RELEASED.openApi), describedApi());
}

/** Returns the released migrations that are changed or missing: a database that ran them does not run them again. */
export function migrationViolations(root: string): readonly string[] {
  const current = migrationDigests(root);
  return Object.entries(digests.parse(read(root, RELEASED.migrations)))
    .filter(([file, digest]) => current[file] !== digest)
    .map(([file]) => `${MIGRATIONS}/${file}: ${current[file] === undefined ? 'is missing' : 'has changed'}`);
}

function migrationDigests(root: string): Readonly<Record<string, string>> {
  const folder = path.join(root, MIGRATIONS);
  const files = readdirSync(folder).filter((file) => /^\d{4}-.*\.ts$/.test(file));
  return Object.fromEntries(
    files.sort().map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(path.join(folder, file)))
        .digest('hex'),
    ]),
  );
}

function read(root: string, file: string): unknown {
  return JSON.parse(readFileSync(path.join(root, RELEASED.folder, file), 'utf8'));
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { z } from 'zod';
import { breakingApiChanges } from './api-changes.js';
import { allCalls, describeCalls } from './described-calls.js';

const recordedCall = z.object({
  queue: z.string(),
  id: z.string(),
  call: z.string(),
  reply: z.object({
    type: z.string(),
    contentType: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
});

export type RecordedCall = z.infer<typeof recordedCall>;

/** The record of the last release: one file, compressed, since only the checks read it. */
const RECORD = 'proto-contracts/released/release.json.gz';

const record = z.object({
  /** The protobuf contracts: an image of buf in JSON, without comments. */
  contracts: z.unknown(),
  openApi: z.unknown(),
  calls: z.unknown(),
  recordedCalls: z.array(recordedCall),
  /** SHA-256 of each migration, by file name. */
  migrations: z.record(z.string(), z.string()),
});
type ReleaseRecord = z.infer<typeof record>;

const MIGRATIONS = 'services/job-state/src/database/migrations';

export function describedApi(): unknown {
  return createOpenApiDocument({
    serverUrl: 'https://api.partner.example.org',
    sessionCookie: '__Host-svc_session',
    today: '2026-01-01',
  });
}

export function writeRelease(
  root: string,
  recorded: Readonly<Record<'contracts' | 'recordedCalls', unknown>>,
): void {
  const release = record.parse({
    ...recorded,
    openApi: describedApi(),
    calls: describeCalls(allCalls()),
    migrations: migrationDigests(root),
  });
  writeFileSync(path.join(root, RECORD), gzipSync(JSON.stringify(release), { level: 9 }));
}

export function readRelease(root: string): ReleaseRecord {
  return record.parse(JSON.parse(gunzipSync(readFileSync(path.join(root, RECORD))).toString()));
}

/**
 * Returns what breaks partners' clients or calls between services since the release, and its migrations that are changed or missing: a
 * database that ran them does not run them again.
 */
export function releaseViolations(
  root: string,
  { openApi, calls, migrations }: ReleaseRecord,
): readonly string[] {
  const current = migrationDigests(root);
  return [
    ...breakingApiChanges(openApi, describedApi()),
    ...breakingApiChanges(calls, describeCalls(allCalls())),
    ...Object.entries(migrations)
      .filter(([file, digest]) => current[file] !== digest)
      .map(
        ([file]) => `${MIGRATIONS}/${file}: ${current[file] === undefined ? 'is missing' : 'has changed'}`,
      ),
  ];
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

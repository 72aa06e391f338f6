import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { z } from 'zod';
import { createDigests } from './project-files.js';

/** The contracts, the clients that are made of them, and their toolchains and packages. */
const CLIENTS = '^proto-contracts/|^scripts/local-stack/src/toolchains/|^package-lock\\.json$';

/** Test files that take long and rarely fail, by their path without source folder and ending, with the files that decide their outcome. */
const COVERED = {
  'services/system-tests/containers':
    /^services\/(Dockerfile|kernel\/src\/|console\/web\/build\/|[\w-]+\/(package\.json$|tsconfig|src\/(main|config)\.ts$)|system-tests\/src\/containers)|^charts\/.*\.(yaml|tpl|json)$|^scripts\/(local-stack|deployment)\/|^(\.dockerignore|\.npmrc|package(-lock)?\.json|tsconfig[\w.]*\.json)$/,
  'services/system-tests/receiver-code':
    /^services\/(console\/web\/src\/pages\/receiver-code\/|kernel\/src\/security\/|system-tests\/src\/receiver-code)|^scripts\/local-stack\/src\/(toolchains|receiver)\/|^package-lock\.json$/,
  'proto-contracts/clients/generation/packed-clients': new RegExp(CLIENTS),
  'proto-contracts/clients/generation/python-client': new RegExp(CLIENTS),
};

/** The digest of what each covered when it passed. It is committed, so that a clean clone knows it too. */
const PASSED = path.join(PROJECT_ROOT, 'scripts/release-tests.json');
const digests = z.record(z.string(), z.string());

function readPassed() {
  return digests.parse(JSON.parse(readFileSync(PASSED, 'utf8')));
}

/** Tests of a release by the pattern of their compiled file, with the digest of what they cover now. */
export function releaseTests(): readonly ReleaseTest[] {
  const digestOf = createDigests();
  const passed = readPassed();
  return Object.entries(COVERED).map(([name, covered]) => {
    const digest = digestOf(covered);
    const pattern = `${path.dirname(name)}/dist/${path.basename(name)}\\.release\\.(int|sys)\\.test\\.js$`;
    return { name, digest, pattern, isDue: passed[name] !== digest };
  });
}

export interface ReleaseTest {
  readonly name: string;
  readonly digest: string;
  readonly pattern: string;
  /** Whether a file that it covers has changed since it passed. */
  readonly isDue: boolean;
}

/** Notes tests that have passed, for the commit of what they cover. */
export function writePassed(tests: readonly ReleaseTest[]): void {
  const passed = { ...readPassed(), ...Object.fromEntries(tests.map(({ name, digest }) => [name, digest])) };
  writeFileSync(PASSED, `${JSON.stringify(passed, null, 2)}\n`);
}

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { runCommand } from '@partner/local-stack/run-command';
import { pageViolations, SPECIFICATION } from './pages.js';
import { createDigests, digestOf, projectFiles, SOURCES } from './project-files.js';
import { describedApi, readRelease, releaseViolations } from './released/last-release.js';
import { sourceTexts } from './source-texts.js';
import { proseOf, wordViolations } from './words.js';

const root = path.resolve(import.meta.dirname, '../../..');
const contracts = path.join(root, 'proto-contracts');
const TEXTS = /\.(md|tsx?|m?js|css|cs|go|java|php|py|rb|proto|sql|tpl|ya?ml)$|^scripts\/\w+$|\/Dockerfile$/;
const TESTS = /\/(testing|test-kit|system-tests)\/|\.test\.tsx?$/;

interface Check {
  readonly name: string;
  /** The files that decide its outcome, besides the locked packages; absent: every file of the project. */
  readonly reads?: RegExp;
  readonly run: () => Promise<string | undefined>;
}

const programs = path.join(root, 'node_modules/.bin');
/** TypeScript 7. The `tsc` among the programs is TypeScript 6, whose API dependency-cruiser needs. */
const compiler = path.join(root, 'node_modules/typescript-native/bin/tsc');

async function command(program: string, args: readonly string[], cwd = root): Promise<string | undefined> {
  const env = { ...process.env, PATH: `${programs}:${process.env['PATH'] ?? ''}` };
  const { exitCode, stdout, stderr } = await runCommand(path.resolve(programs, program), args, { cwd, env });
  return exitCode === 0 ? undefined : `${stdout}${stderr}`;
}

function pages(): readonly string[] {
  return projectFiles().filter((file) => file.endsWith('.md'));
}

/**
 * The words of pages, and of names, comments and texts for readers in code: screens, the API reference, errors, help, and titles of tests.
 * Of other languages than TypeScript the whole text.
 */
async function wordsForReaders(): Promise<string | undefined> {
  const textOf = (file: string, source: string) => {
    if (file.endsWith('.md')) return proseOf(source);
    return /\.tsx?$/.test(file) ? sourceTexts(file, source, TESTS.test(file)) : source;
  };
  const violations = projectFiles()
    .filter((file) => TEXTS.test(file) && !file.startsWith(SPECIFICATION))
    .flatMap((file) => wordViolations(file, textOf(file, readFileSync(path.join(root, file), 'utf8'))));
  return violations.length === 0 ? undefined : violations.join('\n');
}

async function pageLinks(): Promise<string | undefined> {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));
  const violations = pageViolations(
    pages().map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') })),
    { exists: (file) => existsSync(path.join(root, file)), npmScripts: Object.keys(scripts) },
  );
  return violations.length === 0 ? undefined : violations.join('\n');
}

function imports(rules: string): Promise<string | undefined> {
  return command('depcruise', ['--config', `scripts/${rules}`, '--output-type', 'err-long', ...SOURCES]);
}

async function changesSinceRelease(): Promise<string | undefined> {
  const release = readRelease(root);
  const scratch = mkdtempSync(path.join(tmpdir(), 'partner-release-'));
  try {
    const against = path.join(scratch, 'contracts.json');
    writeFileSync(against, JSON.stringify(release.contracts));
    const contractViolations = await command('buf', ['breaking', '--against', against], contracts);
    const violations = [contractViolations ?? [], releaseViolations(root, release)].flat();
    return violations.length === 0 ? undefined : violations.join('\n');
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** No operation refers to the union of all webhooks: generated clients use it. */
const ONLY_FOR_CLIENTS = '#/components/schemas/WebhookEnvelope';

/** Checks the API description by the recommended rules for OpenAPI, warnings included. */
async function apiDescription(): Promise<string | undefined> {
  const config = await createConfig({ extends: ['recommended'] });
  const source = JSON.stringify(describedApi());
  const problems = (await lintFromString({ source, absoluteRef: 'openapi.json', config }))
    .map(({ ruleId, message, location }) => `${location[0]?.pointer ?? '#'}: ${message} (${ruleId})`)
    .filter((problem) => !problem.startsWith(`${ONLY_FOR_CLIENTS}: `));
  return problems.length === 0 ? undefined : problems.join('\n');
}

const PICTURE = 'services/console/docs/console.png';
const PICTURED = ['pages/overview', 'parts/shell.*', 'parts/traffic*', 'tokens.css'];

/** The picture of the console is committed with what it shows, or later. Without a history nothing is known. */
async function pictureOfConsole(): Promise<string | undefined> {
  const committedAt = (paths: readonly string[]) =>
    Number(
      execFileSync('git', ['log', '-1', '--format=%ct', '--', ...paths], { cwd: root, encoding: 'utf8' }),
    );
  if (!existsSync(path.join(root, '.git'))) return undefined;
  const shown = PICTURED.map((name) => `services/console/web/src/${name}`);
  if (committedAt([PICTURE]) >= committedAt(shown)) return undefined;
  return `${PICTURE} is older than the overview; services/console/web/README.md says how to take it`;
}

/** The longest first. */
const checks: readonly Check[] = [
  { name: 'lint', run: () => command('oxlint', []) },
  { name: 'format', run: () => command('oxfmt', ['--check']) },
  { name: 'imports', run: () => imports('dependency-cruiser.config.mjs') },
  { name: 'imports between folders', run: () => imports('folder-circles.config.mjs') },
  { name: 'unused code', run: () => command('knip', ['--config', '.knip.json']) },
  {
    name: 'contracts: format and lint',
    reads: /^proto-contracts\/.*(\.proto|buf[^/]*\.yaml)$/,
    run: async () =>
      (await command('buf', ['format', '-d', '--exit-code'], contracts)) ??
      (await command('buf', ['lint'], contracts)),
  },
  { name: 'no breaking change since the last release', run: changesSinceRelease },
  {
    name: 'charts: generated files',
    run: () => command(process.execPath, ['scripts/deployment/dist/write-chart-files.js', '--check']),
  },
  { name: 'API description: lint', run: apiDescription },
  { name: 'words', run: wordsForReaders },
  { name: 'links, commands and readers of pages', run: pageLinks },
];

/** For each check that passed, the digest of what it read then. */
const PASSED = path.join(root, '.stack/passed-checks.json');
const digests = z.record(z.string(), z.string());
const passed = existsSync(PASSED) ? digests.parse(JSON.parse(readFileSync(PASSED, 'utf8'))) : {};

let failures = 0;

async function carryOut(check: Check): Promise<void> {
  const startedAt = Date.now();
  process.stdout.write(`start  ${check.name}\n`);
  const violation = await check.run();
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${violation === undefined ? 'ok    ' : 'FAILED'} ${check.name} (${seconds} s)\n`);
  if (violation === undefined) return;
  failures += 1;
  process.stdout.write(`${violation.trimEnd()}\n`);
}

/** Carries out a check unless it has passed with the same files. */
async function carryOutOnce(check: Check, digest: string): Promise<void> {
  if (passed[check.name] === digest) {
    process.stdout.write(`ok     ${check.name} (unchanged since it passed)\n`);
    return;
  }
  const before = failures;
  await carryOut(check);
  if (failures === before) passed[check.name] = digest;
}

// The others read the output of this one.
await carryOut({ name: 'types', run: () => command(compiler, ['-b']) });
const digestOfFiles = createDigests();
const waiting = [...checks];
async function carryOutWhatWaits(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const files = digestOfFiles(check.reads ?? /./);
    const digest = digestOf([process.version, digestOfFiles(/^package-lock\.json$/), files].join());
    await carryOutOnce(check, digest);
  }
}
await Promise.all([carryOutWhatWaits(), carryOutWhatWaits()]);
mkdirSync(path.dirname(PASSED), { recursive: true });
// Whole or not at all: another run may read or write it now.
writeFileSync(`${PASSED}.${process.pid}`, JSON.stringify(passed));
renameSync(`${PASSED}.${process.pid}`, PASSED);
// It reads the history too.
await carryOut({ name: 'picture of the console', run: pictureOfConsole });
process.exit(failures === 0 ? 0 : 1);

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createOpenApiDocument } from '@partner/proto-contracts/public-api/openapi';
import { lintApiDescription } from './api-description.js';
import { findForbiddenImports } from './import-matrix.js';

const root = path.resolve(import.meta.dirname, '../../..');

interface Check {
  readonly name: string;
  /** The output of what failed; undefined when the check holds. */
  readonly run: () => string | undefined | Promise<string | undefined>;
}

function command(program: string, args: readonly string[], cwd = root): string | undefined {
  const result = spawnSync(path.join(root, 'node_modules/.bin', program), args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${path.join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.error !== undefined) return result.error.message;
  return result.status === 0 ? undefined : `${result.stdout}${result.stderr}`;
}

function sourceFiles(): string[] {
  return ['proto-contracts', 'services', 'scripts'].flatMap((top) =>
    readdirSync(path.join(root, top), { recursive: true, encoding: 'utf8' })
      .map((file) => path.posix.join(top, file))
      .filter((file) => /\.tsx?$/.test(file) && !/\/(dist|node_modules|gen)\//.test(file)),
  );
}

function importMatrix(): string | undefined {
  const forbidden = sourceFiles().flatMap((file) =>
    findForbiddenImports(file, readFileSync(path.join(root, file), 'utf8')),
  );
  if (forbidden.length === 0) return undefined;
  return forbidden.map(({ file, specifier, reason }) => `${file}: '${specifier}': ${reason}`).join('\n');
}

function generatedContracts(): string | undefined {
  const contracts = path.join(root, 'proto-contracts');
  const scratch = mkdtempSync(path.join(tmpdir(), 'partner-contracts-'));
  try {
    for (const part of ['proto', 'buf.yaml', 'buf.gen.yaml']) {
      cpSync(path.join(contracts, part), path.join(scratch, part), { recursive: true });
    }
    const failed = command('buf', ['generate'], scratch);
    if (failed !== undefined) return failed;
    const compared = spawnSync(
      'diff',
      ['-r', path.join(contracts, 'src/gen'), path.join(scratch, 'src/gen')],
      {
        encoding: 'utf8',
      },
    );
    return compared.status === 0
      ? undefined
      : `the generated code is not what the protobuf files give; run 'npm run generate'\n${compared.stdout}`;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function apiDescription(): Promise<string | undefined> {
  const problems = await lintApiDescription(
    createOpenApiDocument({
      serverUrl: 'https://api.partner.example.org',
      sessionCookie: '__Host-svc_session',
    }),
  );
  return problems.length === 0 ? undefined : problems.join('\n');
}

const contracts = path.join(root, 'proto-contracts');
const checks: readonly Check[] = [
  { name: 'types', run: () => command('tsc', ['-b']) },
  { name: 'format', run: () => command('prettier', ['--check', '--log-level', 'warn', '.']) },
  {
    name: 'lint',
    run: () => command('eslint', ['-c', 'scripts/eslint.config.mjs', '--max-warnings', '0', '.']),
  },
  { name: 'import matrix', run: importMatrix },
  { name: 'unused code', run: () => command('knip', ['--config', '.knip.json']) },
  {
    name: 'contracts: format and lint',
    run: () =>
      command('buf', ['format', '-d', '--exit-code'], contracts) ?? command('buf', ['lint'], contracts),
  },
  {
    name: 'contracts: no breaking change',
    run: () => command('buf', ['breaking', '--against', 'baseline/contracts.binpb'], contracts),
  },
  { name: 'contracts: generated code', run: generatedContracts },
  { name: 'API description: lint', run: apiDescription },
];

let failures = 0;
for (const check of checks) {
  const startedAt = Date.now();
  const fault = await check.run();
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${fault === undefined ? 'ok    ' : 'FAILED'} ${check.name} (${seconds} s)\n`);
  if (fault !== undefined) {
    failures += 1;
    process.stdout.write(`${fault.trimEnd()}\n`);
  }
}
process.exit(failures === 0 ? 0 : 1);

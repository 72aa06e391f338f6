import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { baseEnvironment, findProgram } from '@partner/test-kit/backing-services/local-process';
import { isProcessRunning } from '@partner/test-kit/backing-services/process-identity';
import { eventually } from '@partner/test-kit/eventually';
import { PROJECT_ROOT } from '../project-root.js';
import { readJson } from '../private-file.js';
import { lastLines, runCommand } from '../run-command.js';
import { identity, thisProcess } from '../stack/stack-lock.js';

/** Below the project, so that its npm packages are found; kept from run to run. */
const toolchains = path.join(PROJECT_ROOT, '.stack/toolchains');

const INSTALL_TIMEOUT_MS = 600_000;

/** Each Java program ends after a few seconds, so the optimizing compiler costs more than it saves. */
const JAVA_TOOL_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

/**
 * Python of a virtual environment that has these packages. Undefined, with the reason on stderr, if Python is missing or
 * the packages cannot be installed.
 */
export async function ensurePython(requirements: readonly string[]): Promise<string | undefined> {
  const folder = await ensureFolder('Python', requirements, ['python3'], async (directory, run) => {
    await run('python3', '-m', 'venv', directory);
    await run(path.join(directory, 'bin/python'), '-m', 'pip', 'install', '--quiet', ...requirements);
  });
  return folder === undefined ? undefined : path.join(folder, 'bin/python');
}

/**
 * A folder with a Maven project whose `jars/` has these dependencies of a `pom.xml`. Undefined, with the reason on stderr,
 * if Java or Maven is missing or the dependencies cannot be downloaded.
 */
export async function ensureJars(dependencies: string): Promise<string | undefined> {
  const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>partner</groupId>
  <artifactId>toolchain</artifactId>
  <version>1</version>
  <dependencies>${dependencies}</dependencies>
</project>
`;
  const folder = await ensureFolder('Java', [pom], ['java', 'javac', 'mvn'], async (directory, run) => {
    writeFileSync(path.join(directory, 'pom.xml'), pom);
    await run('mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=jars');
  });
  return folder === undefined ? undefined : path.join(folder, 'jars');
}

/**
 * `go.mod` and `go.sum` of a module that requires these packages. Undefined, with the reason on stderr, if Go is missing or
 * the packages cannot be downloaded.
 */
export async function ensureGoModule(packages: readonly string[]): Promise<string | undefined> {
  return ensureFolder('Go', packages, ['go'], async (_directory, run) => {
    await run('go', 'mod', 'init', 'partner.example/toolchain');
    await run('go', 'get', ...packages);
  });
}

/** A program that `go install` makes. Undefined, with the reason on stderr, if Go is missing or it cannot be downloaded. */
export async function ensureGoProgram(packageAtVersion: string): Promise<string | undefined> {
  const folder = await ensureFolder('Go', [packageAtVersion, 'program'], ['go'], async (directory, run) => {
    await run('env', `GOBIN=${directory}`, 'go', 'install', packageAtVersion);
  });
  return folder && path.join(folder, path.basename(packageAtVersion).replace(/@.*/, ''));
}

/** The jar of OpenAPI Generator. Undefined, with the reason on stderr, if Java or Maven is missing or it cannot be downloaded. */
export async function ensureOpenApiGenerator(): Promise<string | undefined> {
  const artifact = 'org.openapitools:openapi-generator-cli:7.17.0';
  const folder = await ensureFolder(
    'OpenAPI-Generator',
    [artifact],
    ['java', 'mvn'],
    async (_directory, run) => {
      await run('mvn', '-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, '-DoutputDirectory=.');
    },
  );
  return folder === undefined ? undefined : path.join(folder, 'openapi-generator-cli-7.17.0.jar');
}

class ProgramError extends Error {
  override readonly name = 'ProgramError';
}

export type Command = readonly [string, ...string[]];

/** Runs a program to its end and returns what it printed. Throws with its last lines if it fails. */
export async function runProgram(
  [program, ...args]: Command,
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const result = await runCommand(program, args, {
    cwd: options.cwd,
    env: { ...baseEnvironment(), JAVA_TOOL_OPTIONS, ...options.env },
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  if (result.exitCode === 0) return result.stdout;
  throw new ProgramError(`${program} ${args.join(' ')} failed:\n${lastLines(result, 40)}`);
}

type Run = (...command: Command) => Promise<string>;

/** Installs into a folder once; a folder whose installation did not finish is removed and installed again. */
async function ensureFolder(
  title: string,
  content: readonly string[],
  programs: readonly string[],
  install: (directory: string, run: Run) => Promise<void>,
): Promise<string | undefined> {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) return leaveOut(title, `${missing.join(', ')} not installed`);
  const hash = createHash('sha256').update(content.join('\n')).digest('hex').slice(0, 12);
  const directory = path.join(toolchains, `${title.toLowerCase()}-${hash}`);
  const finished = path.join(directory, 'finished');
  const lock = `${directory}.lock`;
  mkdirSync(toolchains, { recursive: true });
  await eventually('the installation of another process ends', () => existsSync(finished) || takeLock(lock), {
    timeoutMs: INSTALL_TIMEOUT_MS,
    everyMs: 200,
  });
  try {
    if (!existsSync(finished)) {
      rmSync(directory, { recursive: true, force: true });
      mkdirSync(directory);
      await install(directory, (...command) => runProgram(command, { cwd: directory }));
      writeFileSync(finished, '');
    }
    return directory;
  } catch (error) {
    return leaveOut(title, error instanceof Error ? error.message : String(error));
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Takes a lock unless a running process holds it. */
function takeLock(lock: string): boolean {
  const holder = readJson(lock, identity);
  if (holder !== undefined && !isProcessRunning(holder)) rmSync(lock, { force: true });
  try {
    writeFileSync(lock, JSON.stringify(thisProcess()), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

function leaveOut(title: string, reason: string): undefined {
  process.stderr.write(`${title} is left out: ${reason}\n`);
}

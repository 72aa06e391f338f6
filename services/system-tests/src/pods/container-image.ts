import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lastLines, runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import type { ServiceName } from '@partner/local-stack/stack/services';

/** What an image says of the container that is made of it. */
export interface ImageConfig {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** `uid:gid`. */
  readonly user: string;
}

/** An image whose files lie in a folder of this machine. */
export interface ContainerImage {
  readonly config: ImageConfig;
  /** Holds what the image has in `/app`. */
  readonly app: string;
}

/** That of the runtime image, see services/Dockerfile. */
const ENTRYPOINT = '/nodejs/bin/node';

/** Reads what the last stage of services/Dockerfile makes of a service. */
export function readImageConfig(service: ServiceName): ImageConfig {
  const file = readFileSync(path.join(PROJECT_ROOT, 'services/Dockerfile'), 'utf8');
  const stage = file.slice(file.lastIndexOf('\nFROM '));
  const said = (instruction: string) =>
    stage
      .split('\n')
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1).replaceAll('${SERVICE}', service));
  const last = (instruction: string) => {
    const argument = said(instruction).at(-1);
    if (argument === undefined)
      throw new Error(`the runtime stage of services/Dockerfile has no ${instruction}`);
    return argument;
  };
  const cmd: unknown = JSON.parse(last('CMD'));
  if (!Array.isArray(cmd)) throw new Error('the CMD of the runtime stage is no list');
  return {
    entrypoint: [ENTRYPOINT],
    cmd: cmd.map(String),
    workdir: last('WORKDIR'),
    env: Object.fromEntries(said('ENV').map((line) => splitOnce(line, '='))),
    user: last('USER'),
  };
}

/**
 * Makes the files of a service's runtime image in `directory`: what the stage `production` of services/Dockerfile installs, by
 * npm's own word, and what the stage `compiled` leaves of the compiled code. The dependencies are hard links: the folder has to
 * be on the file system of the project.
 */
export async function makeImage(service: ServiceName, directory: string): Promise<ContainerImage> {
  mkdirSync(directory, { recursive: true });
  const listed = await runCommand(
    'npm',
    ['ls', '--all', '--omit=dev', '--parseable', '--workspace', `services/${service}`],
    { cwd: PROJECT_ROOT, env: process.env },
  );
  const dependencies = listed.stdout
    .split('\n')
    .filter((line) => line.includes('/node_modules/'))
    .map((line) => path.relative(PROJECT_ROOT, line.trim()));
  if (listed.exitCode !== 0 || dependencies.length === 0) {
    throw new Error(`npm does not say what ${service} needs:\n${lastLines(listed)}`);
  }
  const linked = await runCommand('cp', ['--archive', '--link', '--parents', ...dependencies, directory], {
    cwd: PROJECT_ROOT,
  });
  if (linked.exitCode !== 0)
    throw new Error(`the image of ${service} can not be made:\n${lastLines(linked)}`);
  for (const workspace of [
    'proto-contracts',
    'services/kernel',
    'services/gateway-kit',
    `services/${service}`,
  ]) {
    const from = path.join(PROJECT_ROOT, workspace);
    if (!existsSync(path.join(from, 'dist')))
      throw new Error(`${workspace} is not built; build with: npm run build`);
    mkdirSync(path.join(directory, workspace), { recursive: true });
    cpSync(path.join(from, 'package.json'), path.join(directory, workspace, 'package.json'));
    cpSync(path.join(from, 'dist'), path.join(directory, workspace, 'dist'), {
      recursive: true,
      filter: isShipped,
    });
  }
  return { config: readImageConfig(service), app: directory };
}

function isShipped(file: string): boolean {
  const name = path.basename(file);
  return (
    !['testing', 'web-build', 'web-modules', '.tsbuildinfo'].includes(name) &&
    !/\.test\.|\.d\.ts$|\.d\.ts\.map$/.test(name)
  );
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

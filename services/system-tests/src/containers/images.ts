import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lastLines, runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { findProgram } from '@partner/test-kit/backing-services/local-process';
import type { Engine } from './engine.js';

/** What both base images contain; the first also has the shell and the tools of `/usr/bin`. */
const DEBIAN_PACKAGES = [
  'base-files',
  'ca-certificates',
  'coreutils',
  'dash',
  'findutils',
  'libstdc++6',
  'sed',
  'tzdata',
];

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

export function imageOf(service: ServiceName): string {
  return `partner/${service}`;
}

/** Builds the images of all services with services/Dockerfile, on base images that are made here. */
export async function buildImages(engine: Engine): Promise<void> {
  await makeBaseImages(engine);
  const proxies = PROXY_VARIABLES.filter((name) => process.env[name] !== undefined);
  const build = (service: ServiceName) =>
    engine.docker([
      ...['build', '--progress', 'plain', '--network', 'host', '--file', 'services/Dockerfile'],
      ...proxies.flatMap((name) => ['--build-arg', `${name}=${process.env[name]}`]),
      ...['--build-arg', `SERVICE=${service}`, '--tag', imageOf(service), '.'],
    ]);
  const [first, ...others] = SERVICE_NAMES;
  // The others find most stages in the cache.
  await build(first);
  await Promise.all(others.map(build));
}

/**
 * Makes the two images that services/Dockerfile starts from, under their names, of Debian's packages and of Node from the
 * package registry: no image registry is needed. Keeps those that are there.
 */
async function makeBaseImages(engine: Engine): Promise<void> {
  const names = baseImageNames();
  const present = await engine.docker(['images', '--format', '{{.Repository}}:{{.Tag}}']);
  if (Object.values(names).every((name) => present.split('\n').includes(name))) return;

  const scratch = mkdtempSync(path.join(tmpdir(), 'base-images-'));
  try {
    const root = path.join(scratch, 'root');
    const [, version = '', suite = ''] = /:(.+)-(\w+)-slim$/.exec(names.NODE_IMAGE) ?? [];
    await run('mmdebstrap', [
      ...['--quiet', '--format=directory', '--variant=extract', `--include=${DEBIAN_PACKAGES.join()}`],
      ...[suite, root, 'http://deb.debian.org/debian'],
    ]);
    writeFileSync(
      path.join(root, 'etc/passwd'),
      'root:x:0:0:root:/root:/bin/sh\nnonroot:x:65532:65532::/home/nonroot:\n',
    );
    await addNode(root, scratch, version);
    const authorities = addAuthorities(root);
    const registry = (await run('npm', ['config', 'get', 'registry'])).stdout.trim();

    await importRoot(
      engine,
      root,
      names.NODE_IMAGE,
      [],
      ['ENV PATH=/usr/local/bin:/usr/bin:/bin', `ENV NPM_CONFIG_REGISTRY=${registry}`, ...authorities],
    );
    const tools = ['usr/bin', 'usr/sbin', 'usr/local'];
    await importRoot(engine, root, names.RUNTIME_IMAGE, tools, [
      'ENTRYPOINT ["/nodejs/bin/node"]',
      'USER 65532',
    ]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function baseImageNames() {
  const file = readFileSync(path.join(PROJECT_ROOT, 'services/Dockerfile'), 'utf8');
  const valueOf = (name: string) => {
    const value = new RegExp(`^ARG ${name}=(\\S+)$`, 'm').exec(file)?.[1];
    if (value === undefined) throw new Error(`services/Dockerfile has no ARG ${name} with a default`);
    return value;
  };
  return { NODE_IMAGE: valueOf('NODE_IMAGE'), RUNTIME_IMAGE: valueOf('RUNTIME_IMAGE') };
}

/** Puts Node where each of the two images has it, and this machine's npm beside it. */
async function addNode(root: string, scratch: string, version: string): Promise<void> {
  const packed = `node-linux-${process.arch}@${version}`;
  await run('npm', ['pack', packed, '--ignore-scripts', '--loglevel=error', `--pack-destination=${scratch}`]);
  const archive = readdirSync(scratch).find((file) => file.endsWith('.tgz')) ?? '';
  const nodejs = path.join(root, 'nodejs');
  mkdirSync(nodejs);
  await run('tar', [
    ...['--extract', '--gzip', '--file', path.join(scratch, archive), '--directory', nodejs],
    ...['--strip-components=1', 'package/bin/node'],
  ]);
  const local = path.join(root, 'usr/local');
  const npm = path.resolve(realpathSync(findProgram('npm') ?? ''), '../..');
  cpSync(npm, path.join(local, 'lib/node_modules/npm'), { recursive: true });
  mkdirSync(path.join(local, 'bin'), { recursive: true });
  symlinkSync('/nodejs/bin/node', path.join(local, 'bin/node'));
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(local, 'bin/npm'));
}

/** Adds the certificate authorities that this machine trusts besides the public ones. */
function addAuthorities(root: string): readonly string[] {
  const file = process.env['NODE_EXTRA_CA_CERTS'];
  if (file === undefined) return [];
  cpSync(file, path.join(root, 'etc/extra-authorities.pem'));
  return ['ENV NODE_EXTRA_CA_CERTS=/etc/extra-authorities.pem'];
}

async function importRoot(
  engine: Engine,
  root: string,
  name: string,
  without: readonly string[],
  changes: readonly string[],
): Promise<void> {
  const archive = `${root}.tar`;
  const excluded = without.map((place) => `--exclude=./${place}`);
  await run('tar', ['--create', '--file', archive, ...excluded, '--directory', root, '.']);
  await engine.docker(['import', ...changes.flatMap((change) => ['--change', change]), archive, name]);
}

async function run(program: string, args: readonly string[]) {
  const result = await runCommand(program, args, { cwd: PROJECT_ROOT, env: process.env });
  if (result.exitCode !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${lastLines(result)}`);
  return result;
}

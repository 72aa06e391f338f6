import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT, readProjectFile } from '@partner/local-stack/project-root';
import { runCommand } from '@partner/local-stack/run-command';
import { SERVICE_NAMES } from '@partner/local-stack/stack/services';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { parse } from 'yaml';
import { z } from 'zod';

const step = z.object({
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const workflow = z.object({
  permissions: z.record(z.string(), z.enum(['read', 'write'])),
  jobs: z.record(
    z.string(),
    z.object({
      strategy: z.object({ matrix: z.record(z.string(), z.array(z.string())) }).optional(),
      steps: z.array(step),
    }),
  ),
});

const FILES = readdirSync(path.join(PROJECT_ROOT, '.github/workflows'));
const read = (file: string) => workflow.parse(parse(readProjectFile(`.github/workflows/${file}`)));
const stepsOf = (file: string) => Object.values(read(file).jobs).flatMap(({ steps }) => steps);

describe('npm', () => {
  test('has a digest of every package that it installs', () => {
    const lock = z
      .object({
        packages: z.record(
          z.string(),
          z.looseObject({ link: z.boolean().optional(), integrity: z.string().optional() }),
        ),
      })
      .parse(JSON.parse(readProjectFile('package-lock.json')));
    const without = Object.entries(lock.packages)
      .filter(([name, { link }]) => name.includes('node_modules/') && link !== true)
      .filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
    expect(without.map(([name]) => name)).toEqual([]);
  });

  test('runs no install scripts, in images and workflows too', () => {
    expect(readProjectFile('.npmrc').split('\n')).toContain('ignore-scripts=true');
    const dockerfile = readProjectFile('services/Dockerfile');
    expect(dockerfile.indexOf('.npmrc')).toBeLessThan(dockerfile.indexOf('npm ci'));
    for (const file of [
      'services/Dockerfile',
      'scripts/prepare',
      ...FILES.map((f) => `.github/workflows/${f}`),
    ])
      expect(readProjectFile(file)).not.toMatch(/ignore-scripts|npm (i|install|rebuild)\b/);
  });
});

describe('the workflows', () => {
  test.each(FILES)('%s pins actions by commit, and leaves them no credentials', (file) => {
    for (const { uses, with: inputs } of stepsOf(file)) {
      if (uses === undefined) continue;
      expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      if (uses.startsWith('actions/checkout@'))
        expect(inputs).toMatchObject({ 'persist-credentials': false });
    }
    const { contents } = read(file).permissions;
    expect(contents).toBe('read');
  });

  test('the release builds every service with SBOM and provenance, from pinned base images', () => {
    const [job] = Object.values(read('release.yml').jobs);
    expect(job?.strategy?.matrix['service']?.toSorted()).toEqual(SERVICE_NAMES.toSorted());
    const build = job?.steps.at(-1)?.run ?? '';
    for (const option of ['--sbom=true', '--provenance=mode=max', '--push']) expect(build).toContain(option);
    for (const name of baseImages().keys()) expect(build).toContain(`--build-arg ${name}="$${name}"`);
    // One that is written here would be neither read nor renewed.
    expect(readProjectFile('.github/workflows/release.yml')).not.toMatch(/sha256:[0-9a-f]{8}/);
  });

  test('the release pins the base images by what their registries return, and fails without it', async () => {
    const pin = stepsOf('release.yml').find(({ name }) => name === 'Pin the base images')?.run ?? '';
    const digest = `sha256:${'a'.repeat(64)}`;
    const pinned = [...baseImages()].map(([name, image]) => `${name}=${image}@${digest}\n`).join('');
    expect(await runStep(pin, `echo ${digest}`)).toEqual({ exitCode: 0, environment: pinned });
    expect(await runStep(pin, 'exit 1')).toEqual({ exitCode: 1, environment: '' });
    expect(await runStep(pin, 'echo none')).toEqual({ exitCode: 1, environment: '' });
  });
});

function baseImages(): ReadonlyMap<string, string> {
  const args = readProjectFile('services/Dockerfile').matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gm);
  return new Map([...args].map(([, name = '', image = '']) => [name, image]));
}

/** Runs a step with a program in the place of `docker`. Returns what it adds to the environment. */
async function runStep(script: string, docker: string) {
  const directory = mkdtempSync(path.join(tmpdir(), 'partner-step-'));
  try {
    const [program, environment] = [path.join(directory, 'docker'), path.join(directory, 'environment')];
    writeFileSync(program, `#!/bin/sh\n${docker}\n`);
    chmodSync(program, 0o755);
    writeFileSync(environment, '');
    const { PATH = '', ...env } = baseEnvironment();
    const { exitCode } = await runCommand('bash', ['-c', script], {
      cwd: PROJECT_ROOT,
      env: { ...env, PATH: `${directory}:${PATH}`, GITHUB_ENV: environment },
    });
    return { exitCode, environment: readFileSync(environment, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

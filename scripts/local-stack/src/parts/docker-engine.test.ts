import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createDockerParts } from './docker-engine.js';

let directory = '';
const pathBefore = process.env['PATH'];

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-docker-'));
  process.env['PATH'] = `${directory}:${pathBefore ?? ''}`;
});

afterEach(() => {
  process.env['PATH'] = pathBefore;
  rmSync(directory, { recursive: true, force: true });
});

/** A fake docker command that records its arguments. */
function docker(script: string): void {
  const file = path.join(directory, 'docker');
  writeFileSync(
    file,
    `#!/bin/sh\necho "$* $POSTGRES_PORT $RABBITMQ_PORT $REDIS_PORT" >>${directory}/asked\n${script}\n`,
  );
  chmodSync(file, 0o755);
}

function asked(): string[] {
  return readFileSync(path.join(directory, 'asked'), 'utf8').trimEnd().split('\n');
}

test('an engine without the compose plugin, or one that does not run, is not used', async () => {
  const parts = createDockerParts({ root: '/project', directory });
  docker(`[ "$1" = info ] && exit 0; exit 1`);
  await expect(parts.isUsable()).resolves.toBe(false);
  docker('exit 1');
  await expect(parts.isUsable()).resolves.toBe(false);
  docker('exit 0');
  await expect(parts.isUsable()).resolves.toBe(true);
});

test('starts only the needed parts, on the given ports, and stops them under the same project name', async () => {
  docker('exit 0');
  const parts = createDockerParts({ root: directory, directory });

  await parts.start({ postgres: 15432, redis: 16379 });
  await parts.stop({ withData: false });
  await parts.stop({ withData: true });

  const project = /--project-name (partner-[0-9a-f]{8}) /.exec(asked()[0] ?? '')?.[1] ?? '';
  const compose = `compose --project-name ${project} --file ${directory}/docker-compose.yml`;
  expect(asked().map((line) => line.trimEnd())).toEqual([
    `${compose} up --detach --wait postgres redis 15432  16379`,
    `${compose} down --remove-orphans`,
    `${compose} down --remove-orphans --volumes`,
  ]);
});

test('includes the output of docker in its error', async () => {
  docker('echo "pull access denied" >&2; exit 1');
  const parts = createDockerParts({ root: directory, directory });

  await expect(parts.start({ redis: 16379 })).rejects.toThrow(
    'Docker could not start redis:\npull access denied',
  );
});

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { create, toJson } from '@bufbuild/protobuf';
import { JobCreatedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { jobCreated } from '@partner/local-stack/demo/platform';
import { newId } from '@partner/kernel/process/ids';
import { registerSecret } from '@partner/local-stack/receiver/known-secrets';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { type Stack, startStack } from '@partner/local-stack/stack/start-stack';
import { eventually } from '@partner/test-kit/eventually';
import type { Surroundings } from '../command-context.js';
import { type Json, parseJson, valueAt } from '../output.js';
import { inProcess } from './in-process.js';

export const MAIN = path.join(PROJECT_ROOT, 'scripts/partnerctl-cli/dist/program/main.js');
export const DEAD = 'job-state.platform-messages';

export let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    directory: mkdtempSync(path.join(tmpdir(), 'partnerctl-')),
    backingServices: { kind: 'private', durable: false },
    proxyPort: 0,
    settings: { 'job-state': { WEBHOOK_RETRY_BASE_MS: '1000' } },
  });
});
afterAll(() => stack.discard());

export async function run(
  args: readonly string[],
  input = '',
  surroundings: Pick<Partial<Surroundings>, 'env' | 'signal' | 'tell' | 'isWatched' | 'clear'> = {},
) {
  const { run: go, said } = inProcess({
    read: async (file) => (file === '-' ? input : readFileSync(file, 'utf8')),
    ...surroundings,
  });
  const exitCode = await go(['--directory', stack.directory, '--operator', 'olga', ...args]);
  return { exitCode, ...said };
}

/** A run with this exit code and a message that contains the text. */
export function ended(exitCode: number, text: string): object {
  return { exitCode, err: expect.stringContaining(text) };
}

export async function ends(exitCode: number, ...args: readonly string[]) {
  await expect(run(args)).resolves.toMatchObject({ exitCode });
}

export async function document(...args: readonly string[]): Promise<Json> {
  const { exitCode, out, err } = await run(['--json', ...args]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  return parseJson(out);
}

export async function field(name: string, ...args: readonly string[]): Promise<string> {
  return textAt(await document(...args), name);
}

/** Returns the text at a path of a document; fails for anything else. */
export function textAt(from: Json, place: string): string {
  const value = valueAt(from, place);
  if (typeof value === 'string') return value;
  throw new Error(`there is no text at ${place}`);
}

export async function publish(type: string, message: Json, ...args: readonly string[]): Promise<void> {
  const { exitCode, err } = await run(['platform', 'publish', type, ...args], JSON.stringify(message));
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
}

export async function newJob(seller: string, installer: string): Promise<string> {
  const jobId = newId('job');
  const message = create(JobCreatedSchema, jobCreated({ jobId, sellingCompanyId: seller }));
  await publish('JobCreated', toJson(JobCreatedSchema, message));
  await publish('JobAssigned', { jobId, version: 2, installerCompanyId: installer });
  return jobId;
}

export const newCompany = (companyClass: string, name = 'Peak') =>
  field('company.id', 'companies', 'create', '--name', name, '--class', companyClass);

export async function subscribe(companyId: string, where: string): Promise<string> {
  const made = await document(
    ...['subscriptions', 'create', companyId, '--events', 'install.*'],
    ...['--url', `${stack.description.receiver.url}${where}`],
  );
  const id = textAt(made, 'subscription.id');
  const secret = textAt(made, 'secret');
  await registerSecret(stack.description.receiver, { version: 1, secret, path: where, subscriptionId: id });
  return id;
}

export async function messageIds(): Promise<readonly string[]> {
  const found = valueAt(await document('dead-letters', 'list', DEAD), 'deadLetters');
  return Array.isArray(found) ? found.map((letter: Json) => textAt(letter, 'messageId')).sort() : [];
}

/** Publishes a message that job-state refuses, and waits until it is dead-lettered. */
export async function refused(messageId: string): Promise<void> {
  const company = await newCompany('INSTALLER');
  // A sales company cannot perform jobs, and an installer cannot sell them.
  await publish(
    'ProjectCreated',
    { projectId: newId('prj'), version: 1, sellingCompanyId: company },
    ...['--message-id', messageId],
  );
  await eventually('the dead letter', async () => (await messageIds()).includes(messageId));
}

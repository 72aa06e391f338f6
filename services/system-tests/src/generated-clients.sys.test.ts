import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { z } from 'zod';
import {
  createActiveSubscription,
  type OwnerSession,
  readSubscription,
  signIn,
} from './support/owner-session.js';
import { assignNewJob } from './support/platform-job.js';
import { createSurfaceSide, type SurfaceSide } from './surfaces/surface-side.js';
import { readJob } from './surfaces/valid-request.js';
import { startTestStack, type TestStack } from './support/test-stack.js';
import { runProgram } from '@partner/local-stack/toolchains';
import { CLIENT_GENERATORS, CLIENTS } from './support/client-generators.js';

/** What a program prints after its calls. */
const clientReport = z.strictObject({
  leadId: z.string().startsWith('lead_'),
  version: z.int(),
  state: z.string(),
});

let stack: TestStack;
let side: SurfaceSide;
let session: OwnerSession;
let document: string;

const scratch = mkdtempSync(path.join(tmpdir(), 'generated-clients-'));

beforeAll(async () => {
  stack = await startTestStack({});
  side = await createSurfaceSide(stack);
  session = await signIn(stack.baseUrl, stack.company('SALES').owner);
  document = await (await fetch(new URL('/openapi.json', stack.baseUrl))).text();
});

afterAll(async () => {
  rmSync(scratch, { recursive: true, force: true });
  await stack.stop();
});

/** Environment of a program: a job in status `ASSIGNED` for one status event, and an active subscription to pause. */
async function settingsOfClient() {
  const job = await assignNewJob(stack, {
    sellingCompanyId: side.sellerId,
    installerCompanyId: side.installerId,
    installerKey: side.keys['installer-company'],
  });
  const webhook = await createActiveSubscription(session, {
    url: stack.receiverUrl,
    events: ['install.test'],
  });
  return {
    BASE_URL: new URL(stack.baseUrl).origin,
    SELLER_KEY: side.keys.general,
    INSTALLER_KEY: side.keys['installer-company'],
    JOB_ID: job.id,
    WEBHOOK_ID: webhook.id,
    COOKIE: session.headers.cookie,
    ORIGIN: session.headers.origin,
    UNIQUE: newId('evt'),
  };
}

/**
 * Clients that stock generators make from the running stack's `/openapi.json`, compiled and used. A generator whose toolchain
 * is missing is skipped by name. The first run downloads for about a minute.
 */
describe('a generated client', () => {
  for (const { title, folder, commands } of CLIENT_GENERATORS) {
    const testIfInstalled = commands === undefined ? test.skip : test;

    testIfInstalled(`of ${title} compiles, reads and writes`, async () => {
      const directory = path.join(scratch, folder);
      cpSync(path.join(CLIENTS, folder), directory, { recursive: true });
      writeFileSync(path.join(directory, 'openapi.json'), document);
      const settings = await settingsOfClient();
      let printed = '';
      for (const command of commands ?? [])
        printed = await runProgram(command, { cwd: directory, env: settings });
      expect(clientReport.parse(JSON.parse(printed))).toMatchObject({ version: 2, state: 'paused' });
      expect(await readJob(stack, settings.JOB_ID)).toMatchObject({ status: 'ACKNOWLEDGED', version: 2 });
      expect((await readSubscription(session, settings.WEBHOOK_ID)).state).toBe('paused');
    });
  }
});

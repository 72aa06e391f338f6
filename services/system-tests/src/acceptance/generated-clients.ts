import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { runProgram } from '@partner/local-stack/toolchains';
import { z } from 'zod';
import { CLIENT_GENERATORS, CLIENTS } from '../support/client-generators.js';
import { createActiveSubscription, readSubscription, signIn } from '../support/owner-session.js';
import { assignNewJob } from '../support/platform-job.js';
import { createSurfaceSide } from '../surfaces/surface-side.js';
import { readJob } from '../surfaces/valid-request.js';
import type { AcceptanceWorld } from './acceptance-world.js';

const clientReport = z.strictObject({
  leadId: z.string().startsWith('lead_'),
  version: z.int(),
  state: z.string(),
});

/**
 * Clients that stock generators make from the running stack's `/openapi.json`, compiled and used. A generator whose toolchain
 * is missing is skipped by name. The first run downloads for about a minute.
 */
export function describeGeneratedClients(world: () => AcceptanceWorld): void {
  const scratch = mkdtempSync(path.join(tmpdir(), 'generated-clients-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  for (const { title, folder, commands } of CLIENT_GENERATORS) {
    const testIfInstalled = commands === undefined ? test.skip : test;

    testIfInstalled(`of ${title} compiles, reads and writes`, async () => {
      const { stack } = world();
      const side = await createSurfaceSide(stack);
      const directory = path.join(scratch, folder);
      cpSync(path.join(CLIENTS, folder), directory, { recursive: true });
      const document = await fetch(new URL('/openapi.json', stack.baseUrl));
      writeFileSync(path.join(directory, 'openapi.json'), await document.text());
      const session = await signIn(stack.baseUrl, stack.company('SALES').owner);
      const installerKey = side.keys['installer-company'];
      const companies = { sellingCompanyId: side.sellerId, installerCompanyId: side.installerId };
      const job = await assignNewJob(stack, { ...companies, installerKey });
      const webhook = await createActiveSubscription(session, {
        url: stack.receiverUrl,
        events: ['install.test'],
      });
      const env = {
        BASE_URL: new URL(stack.baseUrl).origin,
        SELLER_KEY: side.keys.general,
        INSTALLER_KEY: installerKey,
        JOB_ID: job.id,
        WEBHOOK_ID: webhook.id,
        COOKIE: session.headers.cookie,
        ORIGIN: session.headers.origin,
        UNIQUE: newId('evt'),
      };
      let printed = '';
      for (const command of commands ?? []) printed = await runProgram(command, { cwd: directory, env });
      expect(clientReport.parse(JSON.parse(printed))).toMatchObject({ version: 2, state: 'paused' });
      expect(await readJob(stack, job.id)).toMatchObject({ status: 'ACKNOWLEDGED', version: 2 });
      expect((await readSubscription(session, webhook.id)).state).toBe('paused');
    });
  }
}

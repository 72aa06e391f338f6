import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { runCommand } from '@partner/local-stack/run-command';
import { apiKeyCreated } from '@partner/proto-contracts/resources/api-key/api-key';
import { webhookFile } from '@partner/proto-contracts/resources/webhook-proposal/webhook-proposal';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { checkLooks } from './check-looks.js';
import type { BrowserSuite } from './set-up-browser.js';
import { button, expectText, heading } from './steps.js';
import { expectStatus } from '../support/http-call.js';

/** Webhooks as code, from a file in CI to the owner who confirms it. */
export function describeProposals(suite: BrowserSuite): void {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'webhooks-')), 'webhooks.json');

  /** Runs the client's command on the file as CI does. */
  async function webhooks(apiKey: string, ...args: readonly string[]) {
    const cli = path.join(PROJECT_ROOT, 'proto-contracts/clients/typescript/dist/cli.js');
    const { exitCode, stdout, stderr } = await runCommand(
      process.execPath,
      [cli, 'webhooks', ...args, file],
      {
        env: { ...baseEnvironment(), PARTNER_URL: suite.stack().baseUrl, PARTNER_API_KEY: apiKey },
      },
    );
    return { exitCode, text: `${stdout}${stderr}` };
  }

  test('CI fails until an owner has confirmed what a file changes, and sees what has changed since [CONFIG-8, CONFIG-10, CONFIG-11]', async () => {
    const session = await suite.session();
    const { id } = await suite.subscribe('board', ['install.*']);
    const made = await expectStatus(
      201,
      session.call('POST', '/partner-api/api-keys', { kind: 'automation' }),
    );
    const { apiKey } = apiKeyCreated.parse(made.json);
    expect(await webhooks(apiKey, 'export')).toEqual({ exitCode: 0, text: '' });
    const exported = webhookFile.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(await webhooks(apiKey, 'plan', '--exit-code')).toMatchObject({ exitCode: 0 });

    const archive = {
      description: 'Archive',
      url: `${suite.stack().receiverUrl}/archive`,
      events: ['install.test'],
    };
    const wanted = exported.webhooks.map((webhook) =>
      webhook.id === id ? { ...webhook, description: 'Board', deliveriesPerSecond: 20 } : webhook,
    );
    writeFileSync(file, JSON.stringify({ webhooks: [...wanted, archive] }));
    const { text } = await webhooks(apiKey, 'propose', '--source', 'commit 4f2c1e7');
    expect(text).toMatch(
      /\+ create "Archive"[^]*proposal: pending, until .*\/console\/webhooks\/proposals\/wpr_/,
    );
    expect(await webhooks(apiKey, 'plan', '--exit-code')).toMatchObject({ exitCode: 5 });

    const { page, watched } = await suite.openFor(
      suite.stack().company('INSTALLER').owner,
      '/console/webhooks',
    );
    await expectText(page, 'From commit 4f2c1e7');
    await page.getByRole('link', { name: 'Review' }).click();
    await heading(page, 'Proposed changes').waitFor();
    await expectText(page, `${suite.stack().receiverUrl}/archive`);
    // Someone else, after the page was read; it learns of it at the latest when it confirms.
    watched.allow(/^409 POST \/partner-api\/webhook-proposals\//);
    const byHand = { deliveriesPerSecond: 5 };
    await expectStatus(200, session.call('PATCH', `/partner-api/webhooks/${id}`, byHand));
    await expectText(page, 'Your webhooks have changed since this was proposed');
    await expectText(page.getByRole('table', { name: 'Other changes than proposed' }), 'Board');
    await checkLooks(page, 'proposal-changed');
    await button(page, 'I have read the new ones').click();
    await button(page, 'Confirm changes').click();
    await expectText(page, 'Signing secret of Archive');
    await expectText(page, /^whsec_/);
    await checkLooks(page, 'proposal-confirmed');
    await page.getByRole('checkbox', { name: 'I have stored it' }).click();
    await expectText(page, 'Confirmed');
    expect(await webhooks(apiKey, 'plan', '--exit-code')).toMatchObject({ exitCode: 0 });
  });
}

import { afterEach, describe, expect, test } from '@jest/globals';
import { readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expectAccessible } from './check-looks.js';
import { apiKeyOf } from '../support/test-stack.js';
import { type BrowserSuite } from './set-up-browser.js';

const hits = (page: Page) => page.locator('#hits a');
const hitPaths = async (page: Page, count: string) => {
  await page.getByRole('status').getByText(count).first().waitFor();
  return hits(page).evaluateAll((links: readonly { readonly hash: string }[]) =>
    links.map(({ hash }) => hash),
  );
};
const search = (page: Page, text: string) => page.getByRole('searchbox', { name: 'Search' }).fill(text);
const ALL = '/docs/all';

/** Lays out the sections, and removes those that are not among `only`: axe takes a minute for all. */
export const layOutSections = (page: Page, only = '*') =>
  page.evaluate(`document.styleSheets[0].insertRule('.entry { content-visibility: visible !important }');
    document.querySelectorAll('.entry:not(${only})').forEach((entry) => entry.remove())`);

/** The pages at `/docs`. */
export function describeApiReference(suite: BrowserSuite): void {
  /** Requests that leave the service. */
  const foreign: string[] = [];

  async function open(path: string, look: BrowserContextOptions = {}): Promise<Page> {
    const { page } = await suite.open(look);
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== new URL(suite.stack().baseUrl).origin)
        foreign.push(request.url());
    });
    await page.goto(path);
    return page;
  }

  describe('the API reference', () => {
    afterEach(() => {
      expect(foreign).toEqual([]);
    });

    test('is accessible in every section', async () => {
      const page = await open(ALL);
      expect(await page.title()).toBe('Partner Integration API: complete reference');
      await layOutSections(page);
      await expectAccessible(page);
    });

    test('finds an error, a field and an event in all sections, those first whose name has it [DOCS-6]', async () => {
      const page = await open('/docs/inbound');
      await search(page, 'stale_version');
      expect((await hitPaths(page, '10 sections')).sort()).toEqual(
        [
          '#errors',
          '#retries-and-idempotency',
          '#concurrent-changes',
          '#recordStatusEvent',
          '#setSchedule',
          '#replaceAssignments',
          '#confirmWebhookProposal',
          '#rejectWebhookProposal',
          '#schema-Error',
          '#schema-ErrorCode',
        ].sort(),
      );
      await expectAccessible(page);
      await search(page, 'schedule_changed event');
      expect((await hitPaths(page, 'sections'))[0]).toBe('#event-install.schedule_changed');
      await search(page, 'no such words anywhere');
      expect(await hitPaths(page, 'Nothing found')).toEqual([]);
    });

    test('is reached and searched with the keyboard alone, and an address can name a search [DOCS-6]', async () => {
      const page = await open('/docs/inbound');
      await page.keyboard.press('Tab');
      expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
      await page.keyboard.press('/');
      await page.keyboard.type('install.schedule_changed');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/webhooks#event-install.schedule_changed');
      await page.goto('/docs?q=stale_version');
      await hitPaths(page, '10 sections');
      await page.getByRole('searchbox').press('ArrowDown');
      expect(await hits(page).first().and(page.locator(':focus')).count()).toBe(1);
      await page.keyboard.press('Escape');
      expect(await hits(page).count()).toBe(0);
    });

    test('leads a link to the former page to its section, copies code of a chosen language, and colors it [DOCS-6]', async () => {
      const page = await open('/docs#setSchedule', { permissions: ['clipboard-read', 'clipboard-write'] });
      await page.waitForURL('**/docs/installer#setSchedule');
      const part = page.locator('#setSchedule');
      await part.getByRole('tab', { name: 'TypeScript', selected: true }).press('ArrowRight');
      await part.getByRole('tab', { name: 'Python', selected: true }).press('ArrowRight');
      const command = part.getByRole('tabpanel', { name: 'curl' }).locator('pre');
      await part.getByRole('tabpanel', { name: 'curl' }).getByRole('button', { name: 'Copy' }).click();
      await page.locator('#setSchedule').getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await command.textContent());
      expect(await page.evaluate("CSS.highlights.get('json-key').size > 0")).toBe(true);

      const { owner, name } = suite.stack().company('INSTALLER');
      const signedIn = await suite.openFor(owner, '/console');
      await signedIn.page.goto('/docs/installer#setSchedule');
      await signedIn.page.getByText(`Examples use IDs of ${name}`).waitFor();
      const own = await signedIn.page.request.get('/docs/ids.json');
      const [job = 'no job'] = /job_\w+/.exec(await own.text()) ?? [];
      await signedIn.page.locator('#setSchedule pre').filter({ hasText: job }).first().waitFor();
      await expectAccessible(signedIn.page);
    });

    test('sends a request of the sandbox by keyboard, with a key that the page forgets [DOCS-1, DOCS-3, DOCS-8]', async () => {
      const { company, baseUrl } = suite.stack();
      const page = await open('/docs/installer#listTechnicians');
      const part = page.locator('#listTechnicians');
      const key = part.getByLabel('Sandbox API key');
      await part.getByText('Try it in the sandbox').press('Enter');
      await key.fill(apiKeyOf(company('INSTALLER'), 'installer-company'));
      await key.press('Enter');
      await part.getByText(/^200 OK after \d+ ms$/).waitFor();
      expect(await part.locator('.received .text').textContent()).toContain('"technicians": [');
      expect(await part.locator('.received .headers').textContent()).toContain('x-svc-api-version: ');
      // With ids of the company of the key, which the page reads.
      for (const id of ['getJob', 'replaceAssignments', 'getInstallerManifest']) {
        const other = page.locator(`#${id}`);
        await other.getByText('Try it in the sandbox').press('Enter');
        await other.getByRole('button', { name: /^Send / }).click();
        await other.getByText(/^200 OK after \d+ ms$/).waitFor();
      }
      await layOutSections(page, '#listTechnicians');
      await expectAccessible(page);
      await page.reload();
      expect(await key.inputValue()).toBe('');

      await page.getByRole('link', { name: 'Receiver code' }).click();
      await page.getByRole('heading', { level: 1, name: 'Receiver code' }).waitFor();
      expect(page.url()).toBe(`${baseUrl}/console/receiver-code`);
    });

    test('is whole without a script, but for the search, at the address of this deployment', async () => {
      const { baseUrl } = suite.stack();
      const page = await open(ALL, { javaScriptEnabled: false });
      const response = await fetch(new URL('/openapi.json', baseUrl));
      const { operations, serverUrl } = readApiDescription(await response.json());
      expect(serverUrl).toBe(baseUrl);
      for (const { id } of operations) expect(await page.locator(`[id="${id}"]`).isVisible()).toBe(true);
      expect(await page.locator('#search').isVisible()).toBe(false);
      expect(await page.locator('#recordStatusEvent').getByText('curl -sS').textContent()).toContain(
        `curl -sS '${baseUrl}/partner/v1/jobs/job_`,
      );
    });
  });
}

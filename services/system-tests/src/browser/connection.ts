import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { checkLooks } from './check-looks.js';
import type { BrowserSuite } from './set-up-browser.js';
import { button, heading } from './steps.js';
import { assignSandboxJob } from '../support/platform-job.js';

const delivery = (page: Page) => page.getByRole('row').filter({ hasText: 'install.job_assigned' });
const bar = (page: Page) => page.getByRole('region', { name: 'Connection' });
const link = (page: Page, name: string) => page.getByRole('link', { name }).first();

async function expectLost(page: Page): Promise<void> {
  await bar(page)
    .getByText(/^No connection since \d\d:\d\d\./)
    .waitFor();
}

/** Its company has no webhook and no delivery yet. Services die, and are ready again at the end of each test. */
export function describeConnection(suite: BrowserSuite): void {
  describe('the connection', () => {
    beforeAll(async () => {
      await suite.subscribe('connection');
      const { id } = await assignSandboxJob(suite.stack());
      await suite.stack().database.query(`update jobs set work_order_no = 'WO-7' where id = $1`, [id]);
    });

    async function openDeliveries(): Promise<Page> {
      const { page, watched } = await suite.openFor(
        suite.stack().company('INSTALLER').owner,
        '/console/deliveries',
      );
      // What the tests bring about.
      watched.allow(/^50[34] |^request: |^page: Failed to fetch dynamically|^console: /);
      await delivery(page).waitFor();
      return page;
    }

    /** Kills a service until the end of the steps. */
    async function without(service: string, steps: () => Promise<void>): Promise<void> {
      const process = suite.stack().stack.process(service);
      await process.kill('SIGKILL');
      try {
        await steps();
      } finally {
        await process.start();
        await process.ready();
      }
    }

    test('while job-state is dead, a quiet page says since when it is old, keeps its data, and then recovers', async () => {
      const page = await openDeliveries();
      await without('job-state', async () => {
        await expectLost(page);
        await delivery(page).waitFor();
        await checkLooks(page, 'connection-lost');
        await link(page, 'People').click();
        await heading(page, 'People').waitFor();
        await button(page, 'Retry').waitFor();
        expect(await button(page, 'Invite').isDisabled()).toBe(true);
        await page.reload();
        await button(page, 'Retry').waitFor();
      });
      await button(page, 'Invite').click();
      expect(await bar(page).isVisible()).toBe(false);
    });

    test('while the console is dead, the app stays, and loads the page that it lacks once the console is back', async () => {
      const page = await openDeliveries();
      await without('console', async () => {
        await link(page, 'Receiver code').click();
        await heading(page, 'This page failed to load').waitFor();
        await button(page, 'Retry').click();
        await bar(page).waitFor();
        await link(page, 'Deliveries').click();
        await expectLost(page);
        await link(page, 'Receiver code').click();
      });
      await heading(page, 'Receiver code').waitFor();

      await without('console', async () => {
        await page.reload();
        await link(page, 'Retry').waitFor();
      });
      await heading(page, 'Receiver code').waitFor();
    });

    test('a page without a network says so until it is back, and one whose script or session is slow offers to retry', async () => {
      const page = await openDeliveries();
      await page.context().setOffline(true);
      await expectLost(page);
      await page.context().setOffline(false);
      await bar(page).waitFor({ state: 'hidden' });

      for (const slow of ['**/console/assets/first-*.js', '**/partner-api/session']) {
        let release = (): void => undefined;
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        await page.route(slow, async (route) => {
          await released;
          await route.continue();
        });
        await page.goto('/console', { waitUntil: 'commit' });
        await button(page, 'Retry').waitFor();
        release();
        await heading(page, 'Overview').waitFor();
      }
    });

    test('the search finds a work order by keyboard alone, and its trace has a row for each webhook', async () => {
      const page = await openDeliveries();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('WO-7');
      await page.getByRole('option', { name: /^WO-7 Last event/ }).waitFor();
      await checkLooks(page, 'search');
      await page.keyboard.press('Enter');
      await heading(page, 'Trace').waitFor();
      await page.getByText('Reached 1 of 1 webhook.').waitFor();
      expect(await page.getByRole('row').last().textContent()).toMatch(/Accepted/);
    });

    test('a page that no one uses says that it stopped updating, and goes on with the next input', async () => {
      const page = await openDeliveries();
      await page.clock.install();
      await page.reload();
      await delivery(page).waitFor();
      await page.clock.fastForward('10:01');
      const stopped = page.getByText('This page stopped updating after 10 minutes without input');
      await stopped.waitFor();
      await page.keyboard.press('Shift');
      await stopped.waitFor({ state: 'detached' });
      expect(await delivery(page).isVisible()).toBe(true);
    });
  });
}

import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type delivery, deliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import { newId } from '@partner/kernel/process/ids';
import { eventually } from '@partner/test-kit/eventually';
import { type MailServer, startMailServer } from '@partner/test-kit/start-mail-server';
import type { Locator, Page } from 'playwright-core';
import type { z } from 'zod';
import { describeAccessibility } from './browser/accessibility.js';
import { checkLooks } from './browser/check-looks.js';
import { setUpBrowser } from './browser/set-up-browser.js';
import * as steps from './browser/steps.js';
import { button } from './browser/steps.js';
import type { PageWatch } from './browser/watch.js';
import { type OwnerSession, waitForDelivery } from './support/owner-session.js';
import { assignSandboxJob } from './support/platform-job.js';

type Delivery = z.infer<typeof delivery>;

let owner: OwnerSession;
let page: Page;
let watched: PageWatch;
const subscribed: string[] = [];

let mail: MailServer;
const suite = setUpBrowser(async () => {
  mail = await startMailServer();
  return { settings: { console: mail.settings } };
});
afterAll(() => mail.stop());
const installer = () => suite.stack().company('INSTALLER');

beforeEach(async () => {
  owner = await suite.session();
});

afterEach(async () => {
  for (const id of subscribed.splice(0)) await owner.call('DELETE', `/partner-api/webhooks/${id}`);
});

async function open(path?: string): Promise<void> {
  ({ page, watched } = await suite.openFor(installer().owner, path));
}

async function subscribe(...options: Parameters<typeof suite.subscribe>) {
  const made = await suite.subscribe(...options);
  subscribed.push(made.id);
  return made;
}

const newJob = () => assignSandboxJob(suite.stack());

async function deliveryAbout(webhookId: string, resourceId: string): Promise<Delivery> {
  return eventually(`a delivery about ${resourceId}`, async () => {
    const response = await owner.call(
      'GET',
      `/partner-api/webhooks/${webhookId}/deliveries?resourceId=${resourceId}`,
    );
    return deliveryPage.parse(response.json).deliveries[0];
  });
}

/** A job whose event has had the attempts that lead to a state. */
async function send(webhookId: string, state: Delivery['state']) {
  const job = await newJob();
  const { id } = await deliveryAbout(webhookId, job.id);
  return { job, ...(await waitForDelivery(owner, id, (found) => found === state)) };
}

/** Puts deliveries into the database that were delivered some time ago. */
async function fill(webhookId: string, count: number) {
  await suite.stack().database.query(
    `insert into finished_deliveries
       (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, state, attempts,
        created_at, finished_at)
     select id, $2, $3, $4, 'install.status_changed', 'install_job', $5, false, 'delivered', 1, now(), now()
     from unnest($1::text[]) as made (id)`,
    [
      Array.from({ length: count }, () => newId('dlv')),
      webhookId,
      installer().id,
      newId('evt'),
      newId('job'),
    ],
  );
}

const heading = (name: string | RegExp) => steps.heading(page, name);
const expectText = (text: string | RegExp) => steps.expectText(page, text);
const row = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
const rows = () => page.getByRole('table', { name: 'Deliveries, newest first' }).getByRole('row');

async function pick(filter: string, value: string): Promise<void> {
  await button(page, filter).click();
  await page.getByRole('menuitemradio', { name: value, exact: true }).click();
}

async function expectRows(expected: number): Promise<void> {
  // With the row of the headers.
  await eventually(`${expected} deliveries in the list`, async () => (await rows().count()) === expected + 1);
}

test('a failed delivery is two clicks from the overview; its page says why, what was sent, and replays it', async () => {
  const { id } = await subscribe('broken');
  suite.responses.set('broken', {
    kind: 'status',
    status: 500,
    body: '<h1>Database is down</h1><script>alert(1)</script>',
  });
  const dead = await send(id, 'dead_lettered');
  await open();
  let clicks = 0;
  const click = async (name: string | RegExp) => {
    clicks += 1;
    await page.getByRole('link', { name }).first().click();
  };
  await click('See why');
  await heading('Deliveries').waitFor();
  await click('install.job_assigned');
  const beside = page.getByRole('complementary', { name: 'Delivery' });
  await beside.getByRole('heading', { name: 'install.job_assigned' }).waitFor();
  await expectText(
    'Your server responded with 500: your application failed. Out of retries after 8 attempts',
  );
  expect(clicks).toBeLessThan(3);
  await page.reload();
  await beside.getByRole('tab', { name: 'Attempts' }).waitFor();
  await checkLooks(page, 'deliveries-open');
  await page.keyboard.press('Escape');
  await beside.waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  await beside.waitFor();
  await page.keyboard.press('Enter');
  await heading('install.job_assigned').waitFor();
  await page.goBack();
  await beside.waitFor();
  await page.goForward();
  await heading('install.job_assigned').waitFor();

  await page.getByRole('list', { name: 'What to do' }).getByText('your server’s log').waitFor();
  const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('button');
  expect(await attempts.count()).toBe(8);
  const shown = (name: string) => page.getByRole('region', { name, exact: true }).textContent();
  expect(await shown('Response body')).toContain('<script>alert(1)</script>');
  await page.getByRole('list', { name: 'Timing' }).getByText('Wait for your server').waitFor();
  await attempts.nth(1).click();
  const header = `x-svc-delivery-id: ${dead.attempts[6]?.deliveryId ?? ''}`;
  await page.getByRole('tab', { name: 'Request' }).click();
  expect(await shown('Request headers')).toContain(header);
  const body = page.getByRole('region', { name: 'Request body' });
  await body.getByText('"resource"').click();
  await body.getByText('"type"').waitFor({ state: 'hidden' });
  await page.getByRole('tab', { name: 'Script' }).click();
  expect(await shown('Shell script')).toContain(`BODY='${dead.body ?? ''}'`);
  expect(await shown('Shell script')).toContain(header);

  suite.responses.clear();
  await button(page, 'Replay').click();
  await page.getByRole('dialog', { name: 'Replay this delivery?' }).waitFor();
  await button(page, 'Replay now').click();
  await expectText('Your server accepted it with 204.');
  expect(page.url()).not.toContain(dead.delivery.id);
  await page.locator(`a[href$="${dead.delivery.id}"]`).waitFor();
  await steps.dismissToast(page);
  await checkLooks(page, 'delivery-delivered');
});

test('a waiting delivery is retried from its page, which says why a retry fails and shows the headers of the response [DELIVERY-20, DELIVERY-22, DELIVERY-26]', async () => {
  const { id } = await subscribe('waiting');
  suite.responses.set('waiting', { kind: 'status', status: 503, retryAfterSeconds: 5_400 });
  await send(id, 'retry_scheduled');
  suite.responses.clear();
  await open(`/console/webhooks/${id}`);
  await page.getByRole('link', { name: 'install.job_assigned' }).click();
  await heading('install.job_assigned').waitFor();
  await expectText('in 1 hour');
  watched.allow(/^503 POST \/partner-api\/deliveries\//);
  const bringBack = await steps.failRequests(page, /\/retry$/, { method: 'POST', requestId: 'r-9' });
  await button(page, 'Retry now').click();
  await expectText('This uses attempt 2 of 8.');
  await button(page, 'Make attempt 2').click();
  await page.getByRole('alert').filter({ hasText: 'r-9' }).waitFor();
  await checkLooks(page, 'delivery-waiting');
  await bringBack();
  await button(page, 'Make attempt 2').click();
  await expectText('Your server accepted it with 204.');
  // The newest attempt opens automatically.
  await expect(page.getByRole('region', { name: 'Response headers' }).textContent()).resolves.toMatch(
    /date: /,
  );
});

describe('the list of deliveries', () => {
  test('shows new ones only behind their number, and does not move', async () => {
    const { id } = await subscribe('live');
    await fill(id, 30);
    await open(`/console/deliveries?webhook=${id}`);
    // With the test that has verified it.
    await expectRows(31);
    await page.evaluate(`
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.shift += value;
      }).observe({ type: 'layout-shift' });
    `);
    const { id: jobId } = await newJob();
    const { id: firstId } = await deliveryAbout(id, jobId);
    await button(page, '1 new').waitFor();
    expect(await page.locator(`a[id="${firstId}"]`).count()).toBe(0);
    expect(await page.evaluate('window.shift')).toBeLessThan(0.02);
    await button(page, '1 new').click();
    await page.locator(`a[id="${firstId}"]`).waitFor();
    await expectRows(32);
  });

  test('counts new ones on a slow line, although more come while it loads', async () => {
    const { id } = await subscribe('slow');
    await open(`/console/deliveries?webhook=${id}`);
    await expectRows(1);
    const aborted: string[] = [];
    page.on('requestfailed', (request) => aborted.push(request.url()));
    const line = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 2_000, downloadThroughput: -1, uploadThroughput: -1 };
    await line.send('Network.emulateNetworkConditions', slow);
    const changed = async () => {
      await newJob();
      return (await button(page, /^(?:[3-9]|\d\d) new/).count()) > 0;
    };
    await eventually('new rows', changed, { everyMs: 200, timeoutMs: 60_000 });
    expect(aborted.filter((url) => url.includes('/deliveries'))).toEqual([]);
  });

  test('shows all webhooks, finds a job by its id or work order, and opens the delivery of a row', async () => {
    await subscribe('all-one');
    const { id } = await subscribe('all-two');
    suite.responses.set('all-two', { kind: 'status', status: 404 });
    const { job } = await send(id, 'dead_lettered');
    await open('/console/deliveries');
    const search = page.getByRole('textbox', { name: 'Search' });
    await search.fill(job.id);
    await search.press('Enter');
    await expectRows(2);
    await search.fill('WO-1001');
    await search.press('Enter');
    await page.waitForURL(/search=WO-1001/);
    const refused = page.getByRole('cell', { name: '404' });
    await rows().filter({ has: refused }).first().waitFor();

    await page.setViewportSize({ width: 390, height: 844 });
    await pick('State', 'Given up');
    await rows().filter({ hasText: 'Given up' }).first().getByText('install.job_assigned').last().click();
    await heading('install.job_assigned').waitFor();
    await expectText('Your server responded with 404');
  });

  test('is filtered by state, event and time, keeps the filter in its address, and says when nothing matches', async () => {
    const { id } = await subscribe('bad');
    suite.responses.set('bad', { kind: 'status', status: 404 });
    await send(id, 'dead_lettered');
    await open(`/console/deliveries?webhook=${id}`);
    await expectRows(2);
    await pick('State', 'Given up');
    await expectRows(1);
    expect(new URL(page.url()).searchParams.get('status')).toBe('dead_lettered');
    await page.reload();
    await expectRows(1);
    await pick('Event', 'install.test');
    await expectText('No deliveries match the filter');
    await button(page, 'Show all deliveries').click();
    await expectRows(2);
    await button(page, 'Any time').click();
    await page.getByLabel('From', { exact: true }).fill('2026-01-02T03:04:05');
    await page.getByLabel('To', { exact: true }).fill('2026-01-02T03:04:06');
    await page.keyboard.press('Enter');
    await expectText('No deliveries match the filter');
    expect(new URL(page.url()).searchParams.get('to')).toBe('2026-01-02T03:04:06.000Z');
    await page.goBack();
    await expectRows(2);
  });

  test('holds at most 300 deliveries, and returns to its position', async () => {
    const { id } = await subscribe('many');
    await fill(id, 600);
    await open();
    await page.goto(`/console/deliveries?webhook=${id}`);
    await expectRows(50);
    const more = button(page, 'Load more');
    for (const shown of [100, 150, 200, 250, 300]) {
      // Before the page has noticed that it was scrolled.
      await page.evaluate(`
        scrollTo(0, document.body.scrollHeight);
        [...document.querySelectorAll('button')].find((shown) => shown.textContent === 'Load more').click();
      `);
      await expectRows(shown);
    }
    const idOf = (row: Locator) => row.getByRole('link').getAttribute('id');
    const anId = await idOf(rows().nth(299));
    await rows().nth(299).getByRole('link').click();
    await page.getByRole('link', { name: 'Open the delivery' }).click();
    await heading(/^install/).waitFor();
    await page.goBack();
    await expectRows(300);
    await eventually(
      'the place is found again',
      async () => Number(await page.evaluate('window.scrollY')) > 1_000,
    );
    for (let clicks = 0; clicks < 3; clicks += 1) {
      const last = await idOf(rows().last());
      await more.click();
      await eventually('older deliveries', async () => (await idOf(rows().last())) !== last);
      await expectRows(300);
    }
    expect(await page.locator(`a[id="${anId ?? ''}"]`).count()).toBe(1);
    await expectText('Newer deliveries are hidden');
    await button(page, 'Back to the newest').click();
    await expectRows(50);
    expect(await page.evaluate('window.scrollY')).toBe(0);
  });
});

test('a retry of many deliveries is chosen by their cause, is previewed, runs visibly, is stopped, and is listed', async () => {
  const { id } = await subscribe('bulk');
  await open(`/console/webhooks/${id}/replay`);
  await button(page, 'Preview').click();
  await expectText('No deliveries to retry');

  suite.responses.set('bulk', { kind: 'status', status: 500 });
  const { job } = await send(id, 'dead_lettered');
  for (const _ of ['second', 'third']) await send(id, 'dead_lettered');
  suite.responses.clear();
  await page.goto(`/console/deliveries?webhook=${id}`);
  await page.getByText('By cause').click();
  const cause = page.getByRole('row', { name: /^500 Internal Server Error .* 3 given up/ });
  await cause.waitFor();
  await checkLooks(page, 'deliveries-causes');
  await cause.getByRole('link', { name: /^Retry/ }).click();
  await page.getByLabel('Deliveries per minute').fill('1');
  expect(await page.getByLabel('Cause').locator('option:checked').textContent()).toBe(
    '500 Internal Server Error',
  );
  await button(page, 'Preview').click();
  await expectText('3 deliveries will be sent');
  await page.getByText('3 jobs and other items').click();
  await row(job.id).getByRole('link', { name: 'WO-1001' }).waitFor();
  await checkLooks(page, 'bulk-replay-preview');

  await button(page, 'Retry 3 deliveries').click();
  await page.getByRole('heading', { name: 'Retry in progress' }).waitFor();
  await expectText('1 of 3 queued');
  await steps.dismissToast(page);
  await checkLooks(page, 'bulk-replay-running');
  await button(page, 'Stop').click();
  const dialog = page.getByRole('dialog', { name: 'Stop the retry?' });
  await checkLooks(page, 'bulk-replay-stop');
  await button(dialog, 'Stop').click();
  const past = page.getByRole('table', { name: 'Earlier retries, newest first' }).getByRole('row');
  await past.filter({ hasText: 'Canceled' }).filter({ hasText: '1 of 3' }).waitFor();
  await dialog.waitFor({ state: 'hidden' });
});

test('the trace of an event has a result for a job, an event and a delivery, with the reason for every webhook', async () => {
  const sent = await subscribe('why-sent');
  const paused = await subscribe('why-paused');
  await subscribe('why-not', ['install.schedule_changed']);
  await owner.call('POST', `/partner-api/webhooks/${paused.id}/pause`);
  suite.responses.set('why-sent', { kind: 'status', status: 410 });
  const dead = await send(sent.id, 'dead_lettered');

  await open('/console/why');
  await expectText('Latest events');
  const field = page.getByLabel('Work order, or the ID of a job, event or delivery');
  const lookUp = page.getByRole('search').getByRole('button', { name: 'Trace' });
  await field.fill(dead.job.id);
  await lookUp.click();
  await page.getByRole('heading', { name: dead.job.id }).waitFor();
  await page.getByRole('link', { name: /^Assigned.*install\.job_assigned/ }).click();
  const reached = /^Reached 0 of \d+ webhooks: \d+ not sent, 1 given up/;
  await expectText(reached);
  for (const reason of ['Paused at that time. Activate', 'Not subscribed to this event. Add it']) {
    await row(reason).first().waitFor();
  }
  await row(/410.*8/)
    .getByRole('link')
    .click();
  await expectText('Your server responded with 410: there is nothing at this path.');
  await page.getByRole('link', { name: 'Trace event' }).click();
  await expectText(reached);

  await field.fill(dead.attempts.at(-1)?.deliveryId ?? '');
  await lookUp.click();
  await expectText(reached);

  watched.allow(/^404 GET \/partner-api\/events\//);
  await field.fill(newId('evt'));
  await lookUp.click();
  await page.getByRole('heading', { name: 'We can’t find the event' }).waitFor();
  expect(await button(page, 'Retry').count()).toBe(0);
});

describeAccessibility(suite);

import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import {
  subscriptionCreated,
  subscriptionList,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { eventually } from '@partner/test-kit/eventually';
import { sendCall } from '@partner/test-kit/http-call';
import type { Page } from 'playwright-core';
import { checkLooks } from './browser/check-looks.js';
import { describeApiReference } from './browser/api-reference.js';
import { fillSignIn, setUpBrowser, signIn } from './browser/set-up-browser.js';
import * as steps from './browser/steps.js';
import { button, failRequests } from './browser/steps.js';
import type { PageWatch } from './browser/watch.js';
import { expectStatus } from './support/http-call.js';
import { assignSandboxJob } from './support/platform-job.js';
import { endInstant } from './surfaces/console-side.js';

let page: Page;
let watched: PageWatch;

const suite = setUpBrowser();
const installer = () => suite.stack().company('INSTALLER');

async function openForInstaller(at?: string): Promise<void> {
  ({ page, watched } = await suite.openFor(installer().owner, at));
}

const heading = (name: string) => steps.heading(page, name);
const busiest = () => steps.region(page, 'Busiest webhooks');

const focused = () =>
  page.evaluate(
    `document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim() ?? ''`,
  );

/** Presses Tab until an element has the focus. Throws if it is never reached. */
async function tabTo(name: string): Promise<void> {
  const passed: unknown[] = [];
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    const at = await focused();
    if (at === name) return;
    passed.push(at);
  }
  throw new Error(`Tab does not lead to ${name}, but to ${passed.join(' | ')}`);
}

describe('signing in', () => {
  test('is done by keyboard alone, says what is wrong, and leads to the first webhook of a new owner', async () => {
    ({ page, watched } = await suite.open());
    watched.allow(/^401 POST \/partner-api\/session$/);
    await page.goto('/console');
    await heading('Sign in').waitFor();

    // The focus begins in the first field.
    await page.keyboard.type(installer().owner.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText('The email address or the password is wrong.', { exact: true })
      .waitFor();
    await checkLooks(page, 'sign-in-refused');

    await page.getByLabel('Password', { exact: true }).focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(installer().owner.password);
    await page.keyboard.press('Enter');
    await heading('Get your first event').waitFor();

    await page.getByRole('link', { name: 'Skip to content' }).focus();
    await page.keyboard.press('Enter');
    await tabTo('Create webhook');
    await page.keyboard.press('Enter');
    await heading('Create a webhook').waitFor();
    expect(await page.title()).toContain('Create a webhook');
    expect(await focused()).toBe('Create a webhook');
  });

  test('reloads a page until it is complete, when a replica of another version lacks its files', async () => {
    ({ page, watched } = await suite.open());
    watched.allow(/^404 GET \/console\/assets\//);
    // Shown if the module's file is refused to the import itself, and not only to the link that loads it early.
    watched.allow(/^page: Failed to fetch dynamically imported module: .*\/signed-in-/);
    const refused: string[] = [];
    // The entry of the page first, then what it loads itself.
    for (const name of ['first', 'signed-in']) {
      await page.route(
        `**/console/assets/${name}-*.js`,
        (route) => {
          refused.push(name);
          return route.fulfill({ status: 404, contentType: 'application/json', body: '{}' });
        },
        { times: 1 },
      );
    }
    await signIn(page, installer().owner);
    expect(refused).toEqual(['first', 'signed-in']);
  });

  test('works without a script, which the console itself needs', async () => {
    ({ page, watched } = await suite.open({ javaScriptEnabled: false }));
    // Chromium reports scripts that it does not run.
    watched.allow(/^401 POST \/console\/sign-in|^request: .* csp$/);
    await page.goto('/console/webhooks');
    await fillSignIn(page, { ...installer().owner, password: 'not the password' });
    await page.getByText('The email address or the password is wrong.').waitFor();
    await fillSignIn(page, installer().owner);
    await page.waitForURL('**/console/webhooks');
    expect(await page.content()).toContain('The partner console needs JavaScript');
  });
});

describe('the overview', () => {
  test('counts deliveries, names what fails in one line, and leads to the deliveries of a bar by keyboard', async () => {
    const stack = suite.stack();
    suite.responses.set('down', { kind: 'status', status: 500 });
    const down = await suite.subscribe('up');
    const up = await suite.subscribe('fine');
    await stack.database.query('update subscriptions set url = $2, description = $3 where id = $1', [
      down.id,
      `${stack.receiverUrl}/down`,
      'Dispatch board',
    ]);
    await stack.database.query(`update subscriptions set description = 'Warehouse' where id = $1`, [up.id]);
    for (let job = 0; job < 3; job += 1) await assignSandboxJob(stack);
    // Sums are loaded with the page, and again only half a minute later.
    await eventually('all deliveries at their ends', async () => {
      const { rows } = await stack.database.query(
        `select 1 from finished_deliveries
           where not is_test and (subscription_id = $1 and state = 'dead_lettered' or subscription_id = $2)`,
        [down.id, up.id],
      );
      return rows.length === 6;
    });
    await openForInstaller();

    const figures = page.locator('dl').filter({ hasText: /^Accepted50%3 of 6, 50% at the first attempt/ });
    await figures.waitFor();
    await busiest()
      .getByRole('row', { name: /^Warehouse .* 3 100% about/ })
      .waitFor();
    await button(page, 'Last 24 hours').press('Enter');
    await page.getByRole('menuitemradio', { name: 'Last hour' }).press('Enter');
    await page.getByText('Show as a table').click();
    const table = page.getByRole('table', { name: /^Deliveries and response times of the last hour/ });
    await table.getByRole('row', { name: / 3 0 3 about / }).waitFor();

    const chart = page.getByRole('group', { name: /^Deliveries of the last hour/ });
    await chart.getByRole('link').or(chart.getByRole('img')).last().press('Home');
    expect(await focused()).toMatch(/: Accepted 0, Waiting 0, Given up 0$/);
    for (let moves = 0; moves < 12 && !/Accepted 3/.test(String(await focused())); moves += 1) {
      await page.keyboard.press('ArrowRight');
    }
    expect(await focused()).toMatch(/: Accepted 3, Waiting 0, Given up 3$/);
    await page.keyboard.press('Enter');
    // With the tests, which no figure counts.
    await page.getByText(/^All [678] deliveries shown/).waitFor();
    await page.goBack();
    await page.getByText(/^Failing since \d\d:\d\d: 24 attempts failed$/).waitFor();
    await page.getByRole('link', { name: 'See why' }).click();
    await heading('Deliveries').waitFor();
  });

  test('shows a day of traffic, as in the picture of the README', async () => {
    // The last hours more than the first ones, and the attempts of the first test.
    await suite.stack().database.query(
      `insert into delivery_statistics (subscription_id, starts_at, delivered, failed, dead_lettered, durations, deliveries)
       select id, date_bin('5 minutes', now(), 'epoch') - step * interval '5 minutes', count, failed, 0,
         array_fill(0, array[5]) || array[count, failed] || array_fill(0, array[8]), array[count, count - failed, count, 0]
       from subscriptions, generate_series(2, 280) as step,
         lateral (select (300 - step) / 12 + step % 7 as count) as counted,
         lateral (select case when step % 40 < 3 then count / 3 else 0 end as failed) as tried`,
    );
    await openForInstaller();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByText(/^[\d,]+ of [\d,]+, 9[\d.]+% at the first attempt/).waitFor();
    await checkLooks(page, 'overview-busy');
    const picture = await page.screenshot({
      path: path.join(PROJECT_ROOT, 'services/console/dist/console.png'),
    });
    expect(picture.length).toBeGreaterThan(10_000);
  });

  test('says what could not be loaded, never that there is nothing, and loads it with the next attempt', async () => {
    ({ page, watched } = await suite.open());
    watched.allow(/^503 GET \/partner-api\/(webhooks|statistics)/);
    const bringBack = await failRequests(page, /\/partner-api\/webhooks(\?|$)/, { requestId: 'r-1' });
    await failRequests(page, /\/partner-api\/statistics(\?|$)/, { requestId: 'r-2' });
    await signIn(page, installer().owner);
    await page.getByText('Could not load your webhooks').waitFor();
    await page.getByRole('alert').filter({ hasText: 'r-1' }).getByText('Details').click();
    await page.getByText('r-1').waitFor();
    await checkLooks(page, 'overview-error');
    await bringBack();
    await button(page, 'Retry').click();
    await busiest().waitFor();
    expect(await page.getByText('Could not load your webhooks').count()).toBe(0);
    await page.getByText('Not everything could be loaded').waitFor();
    expect(await page.getByText('Nothing needs your attention').count()).toBe(0);
    await busiest().getByText('Unknown').waitFor();
  });
});

describe('a secret that is made long after the login', () => {
  test('requires the password, again after a wrong one, and then continues the action', async () => {
    const { id } = await suite.subscribe('late');
    await openForInstaller(`/console/webhooks/${id}/rotate-secret`);
    watched.allow(/^403 POST \/partner-api\//);
    for (const { name, value } of await page.context().cookies()) {
      if (!name.endsWith('svc_session')) continue;
      await endInstant(suite.stack().stack.description.redisUrl, `${name}=${value}`, 'confirmedUntil');
    }
    await button(page, 'Create a new secret').click();
    const dialog = page.getByRole('dialog', { name: 'Confirm your password' });
    await dialog.getByLabel('Password', { exact: true }).fill('not the password');
    await button(dialog, 'Confirm').click();
    await dialog.getByText('The password is wrong.', { exact: true }).waitFor();
    await checkLooks(page, 'password-dialog');
    await dialog.getByLabel('Password', { exact: true }).fill(installer().owner.password);
    await button(dialog, 'Confirm').click();
    await steps.expectText(page, /whsec_/);
    const secret = await (await suite.session()).call('GET', `/partner-api/webhooks/${id}`);
    expect(secret.json).toMatchObject({ pendingSecretVersion: 2 });
  });
});

test('a failed form says why beside its button, no field hides under the header, and the end of a session loses no entry', async () => {
  await openForInstaller('/console/webhooks/new');
  watched.allow(/^503 POST \/partner-api\/webhooks$/);
  watched.allow(/^401 POST \/partner-api\/url-checks/);
  await failRequests(page, /\/partner-api\/webhooks$/, { method: 'POST', requestId: 'r-3' });
  const url = page.getByLabel('Endpoint URL');
  const entered = `${suite.stack().receiverUrl}/kept`;
  await url.fill(entered);
  await button(page, 'Continue').click();
  await page.getByRole('checkbox', { name: 'All events' }).check();
  const create = button(page, 'Create webhook');
  await create.click();
  const alert = page.getByRole('alert').filter({ hasText: 'Request ID for support: r-3' });
  await alert.waitFor();
  const [above, below] = [await alert.boundingBox(), await create.boundingBox()];
  expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeLessThan(40);

  await page.goBack();
  await page.setViewportSize({ width: 390, height: 500 });
  await url.focus();
  await page.evaluate('scrollBy(0, document.activeElement.getBoundingClientRect().top - 10)');
  await url.blur();
  await url.focus();
  const header = await page.getByRole('banner').first().boundingBox();
  expect((await url.boundingBox())?.y).toBeGreaterThanOrEqual(header?.height ?? Number.NaN);

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('link', { name: 'API keys' }).click();
  await button(page.getByRole('dialog', { name: 'Leave without saving?' }), 'Cancel').click();
  const background = /\/partner-api\/(?!url-checks)/;
  await page.route(background, () => undefined);
  const [session] = await page.context().cookies();
  await page.context().addCookies(session === undefined ? [] : [{ ...session, value: 'ended' }]);
  await button(page, 'Continue').click();
  await page.getByText('Your session ended').waitFor();
  await page.unroute(background);
  await checkLooks(page, 'session-ended');
  await fillSignIn(page, installer().owner);
  await heading('Create a webhook').waitFor();
  expect(await url.inputValue()).toBe(entered);
  await button(page, 'Continue').click();
  await page.getByRole('checkbox', { name: 'All events', checked: true }).waitFor();
});

describeApiReference(suite);

test('the overview has three lines for the problems of 50 webhooks, the maximum, which no one is offered to exceed', async () => {
  const { call } = await suite.session();
  const { subscriptions } = subscriptionList.parse((await call('GET', '/partner-api/webhooks')).json);
  const made: string[] = [];
  for (let count = subscriptions.length; count < WEBHOOK_LIMITS.subscriptionsPerCompany; count += 1) {
    const body = { url: `${suite.stack().receiverUrl}/${count}`, events: ['install.*'] };
    const { json } = await expectStatus(201, call('POST', '/partner-api/webhooks', body));
    made.push(subscriptionCreated.parse(json).subscription.id);
  }
  await suite.stack().database.query(
    `update subscriptions set verified_url_version = url_version, pending_secret_version = 2
     where id = any($1)`,
    [made.slice(0, 5)],
  );
  await openForInstaller();
  const problems = steps.region(page, 'Needs attention');
  await problems.getByText(/^\d\d more: \d with a new secret, \d\d not tested yet$/).waitFor();
  expect(await problems.getByRole('listitem').count()).toBe(3);
  await problems.getByRole('link', { name: 'Show all' }).click();
  await page.getByText('You have 50 of 50.').waitFor();
  expect(await page.getByRole('row').count()).toBe(51);
  expect(await page.getByRole('link', { name: 'Create a webhook' }).count()).toBe(0);
  await checkLooks(page, 'webhooks-50');
  await page.goto('/console/webhooks/new');
  await page.getByText('Your company has 50 webhooks, which is the maximum').waitFor();
});

test('an API key for programs is created with an end and networks, and works from these alone [AUTH-16, AUTH-17]', async () => {
  await openForInstaller('/console/api-keys');
  watched.allow(/^400 POST \/partner-api\/api-keys$/);
  for (const [networks, status] of [
    ['127.0.0.0/8, ::1/128', 200],
    ['198.51.100.0/24', 403],
  ] as const) {
    await button(page, 'Create an API key').click();
    const creation = steps.dialog(page, 'Create an API key');
    await creation.getByLabel('Webhooks and deliveries').check();
    await creation.getByLabel('Days until it expires').fill('30');
    await creation.getByLabel('Networks').fill('127.0.0.1');
    await button(creation, 'Create key').click();
    await creation.getByText(/^Networks must be in CIDR notation/).waitFor();
    await creation.getByLabel('Networks').fill(networks);
    await button(creation, 'Create key').click();
    const made = steps.dialog(page, 'Your new API key');
    const apiKey = (await made.getByLabel('API key', { exact: true }).textContent()) ?? '';
    const headers = { 'x-api-key': apiKey };
    expect((await sendCall(suite.stack().baseUrl, '/automation/v1/webhooks', { headers })).status).toBe(
      status,
    );
    await made.getByLabel('I have stored it').check();
    await button(made, 'Done').click();
    const row = page.getByRole('row', { name: new RegExp(`ends in ${apiKey.slice(-4)}`) });
    await row.getByText(`Only from ${networks}`).waitFor();
    await row.getByText(/expires in (29|30) days/).waitFor();
  }
});

import { describe, expect, test } from '@jest/globals';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import type { Locator, Page } from 'playwright-core';
import { checkLooks } from './browser/check-looks.js';
import { setUpBrowser } from './browser/set-up-browser.js';
import { button, dialog, expectText, heading, region } from './browser/steps.js';
import { readSubscription } from './support/owner-session.js';
import { assignSandboxJob, reportStatus } from './support/platform-job.js';
import { isSignedWith } from './support/webhook-signatures.js';

const WEBHOOK_ADDRESS = /\/webhooks\/(?<id>whk_[^/?]+)/;

const suite = setUpBrowser();

const installer = () => suite.stack().company('INSTALLER');
/** Has no subscription before the first test. */
const newcomer = () => suite.stack().company('INSTALLER', 1);
const urlOf = (place: string) => `${suite.stack().receiverUrl}/${place}`;
const receivedAt = (place: string) =>
  suite.stack().receiver.received.filter(({ path }) => path === `/webhooks/${place}`);

const openPage = async (path: string, company = installer()): Promise<Page> =>
  (await suite.openFor(company.owner, `/console${path}`)).page;

function subscriptionIn(page: Page): string {
  const id = WEBHOOK_ADDRESS.exec(page.url())?.groups?.['id'];
  if (id === undefined) throw new Error(`${page.url()} is not that of a subscription`);
  return id;
}

async function moveJob(): Promise<void> {
  const stack = suite.stack();
  await reportStatus(stack, await assignSandboxJob(stack), { status: 'ACKNOWLEDGED' });
}

const subscribe = (place: string) => suite.subscribe(place, ['install.status_changed']);
const read = async (id: string) => readSubscription(await suite.session(), id);

describe('an owner without webhooks', () => {
  test('comes from the sign-in to a verified one in seven clicks and an address, and activates it', async () => {
    const page = await openPage('', newcomer());
    let clicks = 0;
    const click = async (target: Locator) => {
      clicks += 1;
      await target.click();
    };

    await page.goto('/console/webhooks');
    await expectText(page, 'No webhooks yet');
    await page.goto('/console');

    await click(page.getByRole('link', { name: 'Create webhook' }));
    await heading(page, 'Create a webhook').waitFor();
    await click(page.getByLabel('Endpoint URL'));
    await page.keyboard.type(urlOf('first'));
    await expectText(page, 'This address can be used');
    await click(button(page, 'Continue'));
    await page.waitForURL('**/console/webhooks/new?step=events');
    await page.reload();
    await click(page.getByRole('checkbox', { name: 'Installation events' }));
    await button(page, 'Show the installation events').click();
    expect(await page.getByRole('checkbox', { name: /install\.job_assigned/ }).isChecked()).toBe(true);
    await click(button(page, 'Create webhook'));

    await page.waitForURL(/\/webhooks\/whk_\w+\/setup$/);
    await checkLooks(page, 'create-webhook-secret');
    await click(button(page, 'Copy signing secret'));
    const secret = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(secret).toMatch(/^whsec_/);
    await click(button(page, 'Send a test delivery'));
    await expectText(page, 'Test delivered');
    expect(clicks).toBeLessThanOrEqual(7);
    await page.getByRole('checkbox', { name: 'I have stored it' }).click();
    await button(page, 'Activate webhook').click();
    await expectText(page, 'Your webhook is active');
    await checkLooks(page, 'create-webhook-active');

    const [tested] = receivedAt('first');
    expect(tested?.envelope.event).toBe('install.test');
    expect(tested !== undefined && isSignedWith(secret, tested)).toBe(true);
    await page.getByRole('link', { name: 'View webhook' }).click();
    await heading(page, urlOf('first').replace('https://', '')).waitFor();
    const session = await suite.session(newcomer().owner);
    expect(await readSubscription(session, subscriptionIn(page))).toMatchObject({
      state: 'active',
      verified: true,
      events: ['install.*'],
    });
  });
});

describe('creating a webhook', () => {
  test('tells in plain words why a test failed, tests again, and does not let the secret be left by mistake', async () => {
    suite.responses.set('broken', { kind: 'status', status: 404, body: 'no such page' });
    const page = await openPage('/webhooks/new');
    await page.getByLabel('Endpoint URL').fill(urlOf('broken'));
    await page.getByLabel('Name (optional)').fill('Job board');
    await button(page, 'Continue').click();
    await heading(page, 'Job board').waitFor();
    await page.goBack();
    expect(await page.getByLabel('Endpoint URL').inputValue()).toBe(urlOf('broken'));
    await page.goForward();
    await checkLooks(page, 'create-webhook-events');
    await page.getByRole('searchbox', { name: 'Find an event' }).fill('JOB_ASSIGNED');
    await page.getByRole('checkbox', { name: /install\.job_assigned/ }).click();
    await button(page, 'Create webhook').click();
    await button(page, 'Copy signing secret').waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    const leave = dialog(page, 'Leave without the secret?');
    await checkLooks(page, 'create-webhook-leave');
    await button(leave, 'Cancel').click();
    await leave.waitFor({ state: 'hidden' });

    await page.getByRole('checkbox', { name: 'I have stored it' }).click();
    await button(page, 'Send a test delivery').click();
    await expectText(page, 'Your server responded with 404: there is nothing at this path.');
    await expect(button(page, 'Activate webhook').isDisabled()).resolves.toBe(true);
    await checkLooks(page, 'create-webhook-test-failed');

    suite.responses.set('broken', { kind: 'closed' });
    await button(page, 'Test again').click();
    await expectText(page, 'Your server closed the connection without a response.');
    suite.responses.clear();
    await button(page, 'Test again').click();
    await expectText(page, 'Test delivered');
    await page.reload();
    await expectText(page, 'The signing secret was shown when');
    await button(page, 'Activate webhook').click();
    await expectText(page, 'Your webhook is active');
  });

  test('needs no server in the sandbox: the test receiver shows what arrived, and that the signature holds', async () => {
    const page = await openPage('/webhooks/new');
    await page.getByRole('main').getByRole('link', { name: 'test receiver' }).click();
    await expectText(page, 'Nothing has arrived yet');
    await page.getByRole('link', { name: 'Create a webhook for it' }).click();
    await button(page, 'Continue').click();
    await page.getByRole('checkbox', { name: 'All events' }).check();
    await button(page, 'Create webhook').click();
    await page.getByRole('checkbox', { name: 'I have stored it' }).click();
    await button(page, 'Send a test delivery').click();
    await expectText(page, 'Test delivered');
    await page.goto('/console/test-receiver');
    await page
      .getByRole('row', { name: /^install\.test .* Valid/ })
      .getByRole('link')
      .click();
    await region(page, 'install.test').getByText('"install.test"').first().waitFor();
    await checkLooks(page, 'test-receiver');
  });
});

describe('the page of a webhook', () => {
  test('shows how it does, and the list of all does so, too', async () => {
    await subscribe('shown');
    for (const _ of [1, 2, 3]) await moveJob();
    const events = () => receivedAt('shown').filter(({ envelope }) => envelope.event !== 'install.test');
    await suite.stack().receiver.waitUntil('three events', () => events().length === 3);
    const page = await openPage('/webhooks');
    const name = shortUrl(urlOf('shown')).replace('https://', '');
    const row = page.getByRole('row').filter({ hasText: name }).last();
    await expectText(row, '100%');
    await row.getByRole('link', { name }).click();
    const latest = region(page, 'Latest deliveries');
    await latest.getByRole('row').nth(3).waitFor();
    const traffic = region(page, 'Traffic');
    await traffic.getByText('100%').first().waitFor();
    await traffic.getByRole('group', { name: /^Deliveries of the last 24 hours/ }).waitFor();
    await button(traffic, 'Last 24 hours').click();
    await page.getByRole('menuitemradio', { name: 'Last 30 days' }).click();
    await traffic.getByRole('group', { name: /^Deliveries of the last 30 days/ }).waitFor();
    await latest.getByRole('link', { name: 'All deliveries' }).click();
    await page.waitForURL(/\?tab=deliveries$/);
    await page.getByRole('link', { name: 'Filter and search' }).click();
    await page.waitForURL(/\/console\/deliveries\?webhook=whk_/);
  });

  test('is failing, recovers once its server accepts again, and retries all that waits with one button', async () => {
    const { id } = await subscribe('outage');
    suite.responses.set('outage', { kind: 'status', status: 503, retryAfterSeconds: 5_400 });
    for (const _ of [1, 2, 3, 4, 5]) await moveJob();
    const page = await openPage(`/webhooks/${id}`);
    await expectText(
      page,
      /^Failing since \d\d:\d\d: 5 attempts failed, 5 deliveries are waiting for a retry$/,
    );
    await checkLooks(page, 'webhook-failing');
    suite.responses.clear();
    await moveJob();
    await expectText(page, 'Recovering: the last one was accepted, 5 still wait');
    await checkLooks(page, 'webhook-recovering');
    const retry = button(page, 'Retry the 5 now');
    await retry.click();
    await retry.waitFor({ state: 'detached' });
    expect(await page.getByText(/^Recovering|still wait/).count()).toBe(0);
    await expectText(page, 'Active');
    await suite.stack().receiver.waitUntil('all retried', () => receivedAt('outage').length === 12);
  });

  test('pauses it, counts the events that it misses, and activates it with them', async () => {
    const { id } = await subscribe('paused');
    const page = await openPage(`/webhooks/${id}`);
    await button(page, 'Pause').click();
    await button(page.getByRole('dialog'), 'Pause').click();
    await expectText(page, /^Paused since \d\d:\d\d\. 0 events missed so far\.$/);
    for (const _ of [1, 2]) await moveJob();
    await page.reload();
    await expectText(page, /^Paused since \d\d:\d\d\. 2 events missed so far\.$/);

    await button(page, 'Activate').click();
    await page.getByRole('radio', { name: 'Also send missed events' }).click();
    await button(page.getByRole('dialog'), 'Activate').click();
    await expectText(page, 'Missed events are being sent');
    expect((await read(id)).state).toBe('active');
  });

  test('changes its settings one by one, and its address with or without a test before [WEBHOOK-16]', async () => {
    const { id } = await subscribe('before');
    const page = await openPage(`/webhooks/${id}?tab=settings`);
    const change = async (setting: string, edit: (form: Locator) => Promise<unknown>) => {
      await button(page, `Change: ${setting}`).click();
      await edit(dialog(page, setting));
      await button(dialog(page, setting), 'Save').click();
      await dialog(page, setting).waitFor({ state: 'detached' });
    };
    await change('Name', (form) => form.getByLabel('Name (optional)').fill('Warehouse'));
    await heading(page, 'Warehouse').waitFor();
    await change('Events', async (form) => {
      await button(form, 'Show the installation events').click();
      await form.getByRole('checkbox', { name: /install\.job_assigned/ }).click();
    });
    const events = ['install.status_changed', 'install.job_assigned'];
    expect(await read(id)).toMatchObject({ state: 'active', events });

    await page.getByRole('link', { name: 'Try a new address' }).click();
    const address = page.getByLabel('Endpoint URL');
    await address.fill('https://127.0.0.1/');
    await expectText(page, /must have a host that is reachable from the internet/);
    await address.fill(urlOf('tried'));
    suite.responses.set('tried', { kind: 'status', status: 404 });
    await button(page, 'Send a test delivery').click();
    await expectText(page, 'Your server responded with 404: there is nothing at this path.');
    suite.responses.clear();
    await button(page, 'Test again').click();
    await expectText(page, 'Test delivered');
    expect(receivedAt('tried').at(-1)?.headers).toMatchObject({ 'x-svc-test': 'true' });
    await checkLooks(page, 'webhook-new-address');
    const switchToIt = async () => {
      await button(page, 'Switch to it').click();
      await button(dialog(page, 'Switch to the new address?'), 'Switch').click();
      await dialog(page, 'Switch to the new address?').waitFor({ state: 'detached' });
    };
    await switchToIt();
    expect(await read(id)).toMatchObject({ state: 'active', verified: true, url: urlOf('tried') });

    await address.fill(urlOf('after'));
    await switchToIt();
    await expectText(page, 'Not tested yet, so no events are sent');
    await checkLooks(page, 'webhook-unverified');
    await button(page, 'Send test').click();
    await button(dialog(page, 'Send a test'), 'Send a test delivery').click();
    await expectText(page, 'Test delivered');
    await page.keyboard.press('Escape');
    await button(page, 'Activate').click();
    await button(page.getByRole('dialog'), 'Activate').click();
    await button(page, 'Pause').waitFor();
    expect(await read(id)).toMatchObject({ state: 'active', url: urlOf('after') });
  });

  test('sends an example with own headers, sets a rate, and shows the faults of a key in the sandbox', async () => {
    const { id } = await subscribe('example');
    const page = await openPage(`/webhooks/${id}?tab=settings`);
    await button(page, 'Change: Custom headers').click();
    await page.getByLabel('Header name').fill('X-Tenant');
    await page.getByLabel('Header value', { exact: true }).fill('west');
    await button(page, 'Add header').click();
    await button(page, 'Remove the header x-tenant').waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'Send test').click();
    await page.getByLabel('Event to send').selectOption('install.schedule_changed');
    await button(page, 'Send a test delivery').click();
    await expectText(page, 'Test delivered');
    expect(receivedAt('example').at(-1)).toMatchObject({
      envelope: { event: 'install.schedule_changed' },
      headers: { 'x-svc-test': 'true', 'x-tenant': 'west' },
    });
    await page.keyboard.press('Escape');

    await button(page, 'Change: Rate').click();
    await page.getByLabel('Deliveries per second (optional)').fill('5');
    await button(page.getByRole('dialog'), 'Save').click();
    await expectText(page, 'At most 5 deliveries per second');

    const keys = await openPage('/api-keys', newcomer());
    const faults = button(keys, /^Faults for/).first();
    await faults.click();
    await button(keys, 'Add a step').click();
    await expectText(keys, '1 request: returns 429');
    await button(keys, 'Save faults').click();
    await expectText(keys, 'Faults saved');
    await faults.click();
    await button(keys, 'Remove step 1').waitFor();
    await button(keys, 'Remove all faults').click();
    await button(keys, 'Save faults').click();
    await faults.click();
    await button(keys, 'Add a step').waitFor();
    // The dialog begins with what it showed last.
    await button(keys, 'Remove step 1').waitFor({ state: 'detached' });
  });

  test('deletes it only when its host was typed', async () => {
    const { id } = await subscribe('deleted');
    const page = await openPage(`/webhooks/${id}?tab=settings`);
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'Delete webhook…' }).click();
    const deletion = dialog(page, 'Delete this webhook?');
    const confirm = button(deletion, 'Delete permanently');
    await confirm.waitFor();
    await expect(confirm.isDisabled()).resolves.toBe(true);
    await deletion.getByRole('textbox').fill(new URL(suite.stack().receiverUrl).host);
    await confirm.click();
    await heading(page, 'Webhooks').waitFor();
    const gone = await (await suite.session()).call('GET', `/partner-api/webhooks/${id}`);
    expect(gone.status).toBe(404);
  });
});

describe('replacing the secret', () => {
  test('makes one, proves that the server verifies with it, and goes on where it was left [SECRET-10]', async () => {
    const { id } = await subscribe('rotated');
    const page = await openPage(`/webhooks/${id}`);
    await page.getByRole('tab', { name: 'Secret' }).click();
    await page.getByRole('link', { name: 'Rotate secret' }).click();
    await button(page, 'Create a new secret').click();
    const secret = (await page.getByLabel('Signing secret, version 2', { exact: true }).textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('checkbox', { name: 'I have stored it' }).click();
    await checkLooks(page, 'rotate-secret-made');

    await page.getByRole('link', { name: 'receiver.partner.test/webhooks/rotated' }).click();
    await expectText(page, 'Version 2 of the secret is pending.');
    await page.getByRole('link', { name: 'Finish rotation' }).click();
    await expectText(page, 'Version 2 was created earlier.');
    await expect(button(page, 'Activate new secret').isDisabled()).resolves.toBe(true);

    suite.responses.set('rotated', { kind: 'status', status: 401 });
    await button(page, 'Send both tests').click();
    await expectText(page, 'Your server responded with 401: it refused the request.');
    await expect(button(page, 'Activate new secret').isDisabled()).resolves.toBe(true);
    await checkLooks(page, 'rotate-secret-resumed');
    suite.responses.clear();
    await button(page, 'Test again').click();
    await expectText(page, 'Your server accepted a wrong signature.');
    await expect(button(page, 'Activate new secret').isEnabled()).resolves.toBe(true);
    await checkLooks(page, 'rotate-secret-unverified');
    suite.responses.set('rotated', (webhook) => ({
      kind: 'status',
      status: isSignedWith(secret, webhook) ? 204 : 401,
    }));
    await button(page, 'Test again').click();
    await expectText(page, 'It works');
    const tests = receivedAt('rotated').slice(-2);
    expect(tests.map(({ headers }) => headers['x-svc-secret-version'])).toEqual(['2', '2']);
    expect(tests.filter((received) => isSignedWith(secret, received))).toHaveLength(1);

    await button(page, 'Activate new secret').click();
    await expectText(page, 'Version 2 signs every test and delivery from now on.');
    await expectText(page, 'Keep version 1 on your server for one more day');
    await checkLooks(page, 'rotate-secret-done');
    expect(await read(id)).toMatchObject({
      secretVersion: 2,
      pendingSecretVersion: null,
    });
  });
});

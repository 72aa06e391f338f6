import { afterAll, expect, test } from '@jest/globals';
import { installerPage } from '@partner/proto-contracts/resources/installer/installer';
import { technicalContact } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { eventually } from '@partner/test-kit/eventually';
import { newId } from '@partner/kernel/process/ids';
import { sendCall } from '@partner/test-kit/http-call';
import { startIdentityProvider, type TestIdentityProvider } from '@partner/test-kit/start-identity-provider';
import { type MailServer, startMailServer } from '@partner/test-kit/start-mail-server';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { checkLooks } from './browser/check-looks.js';
import { describeConnection } from './browser/connection.js';
import { describeProposals } from './browser/proposals.js';
import { fillSignIn, setUpBrowser } from './browser/set-up-browser.js';
import { button, chooseInAccountMenu, dialog, expectText, heading, region } from './browser/steps.js';
import { createActiveSubscription } from './support/owner-session.js';

let mail: MailServer;
let provider: TestIdentityProvider;
const suite = setUpBrowser(async () => {
  mail = await startMailServer();
  provider = await startIdentityProvider('http://127.0.0.1/console/sign-in/callback');
  return { settings: { console: { ...mail.settings, ...provider.settings } } };
});
afterAll(() => Promise.all([mail.stop(), provider.stop()]));

const textOf = async (page: Page, label: string) => (await region(page, label).textContent()) ?? '';

test('the event catalogue shows what the company may have, finds events, and leads to one by its link', async () => {
  const { page } = await suite.openFor(suite.stack().company('INSTALLER').owner);
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await heading(page, 'Events').waitFor();
  await page.getByRole('link', { name: 'install.job_assigned' }).waitFor();
  const notOurs = page.getByRole('link', { name: 'quote.sent' });
  expect(await notOurs.count()).toBe(0);
  await page.getByLabel('Search').fill('blockercodes');
  await page.getByRole('status').getByText('1 event', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'install.readiness_changed' }).waitFor();
  await page.goto('/console/catalogue?show=all&search=quote.sent');
  await notOurs.click();
  await page.locator('[id="event-quote.sent"]:target').waitFor();
});

test('the receiver code is copied as it stands, and comes back in the chosen language', async () => {
  const { page } = await suite.openFor(suite.stack().company('INSTALLER').owner);
  await page.goto('/console/receiver-code');
  await page.getByRole('tab', { name: 'Python' }).click();
  await button(page, 'Copy receiver by hand').click();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(copied).toBe(await textOf(page, 'Receiver by hand'));
  expect(copied).toContain('hmac.compare_digest');
  await page.reload();
  await page.getByRole('tab', { name: 'Python', selected: true }).waitFor();
});

async function takeKey(page: Page): Promise<string> {
  const made = dialog(page, 'Your new API key');
  const apiKey = (await made.getByLabel('API key', { exact: true }).textContent()) ?? '';
  await page.keyboard.press('Escape');
  expect(await button(made, 'Done').isDisabled()).toBe(true);
  await made.getByLabel('I have stored it').check();
  await button(made, 'Done').click();
  await made.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(apiKey);
  return apiKey;
}

test('an API key for one installer is created, opens the API, is rotated with an overlap and revoked', async () => {
  const { baseUrl, company } = suite.stack();
  const statusOf = async (apiKey: string) =>
    (await sendCall(baseUrl, '/inbound/jobs?take=1', { headers: { 'x-api-key': apiKey } })).status;
  const owner = await suite.session(company('SALES').owner);
  const list = await owner.call('GET', '/partner-api/installers');
  const [bindable] = installerPage.parse(list.json).installers;
  if (bindable === undefined) throw new Error('no installer company works for the seller');
  const { page } = await suite.openFor(company('SALES').owner, '/console/api-keys');
  await button(page, 'Create an API key').click();
  const creation = dialog(page, 'Create an API key');
  await creation.getByLabel('Jobs of one installer company').check();
  await creation.getByLabel('Installer company', { exact: true }).selectOption({ label: bindable.name });
  await creation.getByLabel('Description').fill('Dispatch board');
  await button(creation, 'Create key').click();
  await dialog(page, 'Your new API key').waitFor();
  const apiKey = await takeKey(page);
  expect(await statusOf(apiKey)).toBe(200);

  const row = page.getByRole('row', { name: /Dispatch board/ });
  await row.getByText('Active', { exact: true }).waitFor();
  await row.getByText(`Jobs of ${bindable.name}: can read jobs, report job status`).waitFor();
  await button(row, /^Rotate/).click();
  const rotation = dialog(page, 'Rotate Dispatch board');
  await rotation.getByLabel('Overlap').selectOption('72');
  await button(rotation, 'Rotate key').click();
  await page.getByText(/The old key, ending in .{4}, expires in 2 days/).waitFor();
  const next = await takeKey(page);
  expect(next).not.toBe(apiKey);
  expect(await Promise.all([apiKey, next].map(statusOf))).toEqual([200, 200]);
  await row.getByText('Expiring', { exact: true }).waitFor();

  await row.getByRole('button', { name: `Revoke Dispatch board, ending in ${next.slice(-4)}` }).click();
  const revocation = dialog(page, 'Revoke Dispatch board?');
  const revoke = button(revocation, 'Revoke key');
  await revocation.getByRole('textbox').fill('nope');
  expect(await revoke.isDisabled()).toBe(true);
  await revocation.getByRole('textbox').fill(next.slice(-4));
  await revoke.click();
  await row.getByText('Revoked', { exact: true }).waitFor();
  expect(await statusOf(apiKey)).toBe(200);
});

test('the audit log, asked for before signing in, shows who did what from where, is filtered, and leads to its subjects', async () => {
  const { company, receiverUrl } = suite.stack();
  const owner = await suite.session(company('INSTALLER', 1).owner);
  const { id } = await createActiveSubscription(owner, { url: receiverUrl, events: ['install.test'] });
  await owner.call('PATCH', `/partner-api/webhooks/${id}`, { description: 'Dispatch board' });
  const { page } = await suite.open();
  await page.goto('/console/audit');
  await fillSignIn(page, company('INSTALLER', 1).owner);
  await page.waitForURL('**/console/audit');
  const row = (name: RegExp) => page.getByRole('row', { name }).first();
  await expectText(row(/^Signed in/), 'Chrome on Linux');
  const details = row(/Changed the description of the webhook Dispatch board/).getByText('Details');
  await details.waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption('Webhook changed');
  await page.getByText('1 shown', { exact: true }).waitFor();
  await details.click();
  await page.getByText(id).waitFor();
  await page.getByRole('link', { name: 'View subject' }).click();
  await page.waitForURL(`**/console/webhooks/${id}`);
  await page.goto('/console/audit?action=bulk_replay.started');
  await page.getByRole('heading', { name: 'No entries' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(0);
});

test('an owner sees where they are signed in, ends one session and then all others, which are signed out', async () => {
  const { company } = suite.stack();
  const { owner } = company('SALES', 1);
  const forgotten = await suite.openFor(owner);
  forgotten.watched.allow(/^401 (GET|POST) \/partner-api\//);
  const { page } = await suite.openFor(owner, '/console/sessions');
  await expectText(page.getByRole('row', { name: /This session/ }), '127.0.0.1');
  expect(await page.getByRole('rowheader').count()).toBe(2);
  await button(page, /^End the session of Chrome on Linux/).click();
  await page.getByText('This is your only session').waitFor();
  // The session ends with its next request.
  await forgotten.page.getByRole('link', { name: 'People' }).click();
  await button(forgotten.page, 'Sign in').waitFor();

  const sessions = await Promise.all([1, 2, 3].map(() => suite.session(owner)));
  await page.reload();
  await button(page, 'End all other sessions').click();
  const ending = dialog(page, 'End all other sessions?');
  await ending.getByText('3 sessions end immediately.').waitFor();
  await button(ending, 'End sessions').click();
  await page.getByText('This is your only session').waitFor();
  const statuses = sessions.map(async (one) => (await one.call('GET', '/partner-api/webhooks')).status);
  expect(await Promise.all(statuses)).toEqual([401, 401, 401]);
});

test('an owner is mailed that an API key ends, and chooses one email a day [NOTIFY-6, NOTIFY-9, NOTIFY-10]', async () => {
  const { owner, id } = suite.stack().company('SALES', 1);
  await suite.stack().database.query(
    `insert into api_keys (id, company_id, kind, secret_sha256, last_four, created_at, expires_at)
     values ($1, $2, 'general', '\\x00', 'Zq7r', now() - interval '30 days', now() + interval '2 days')`,
    [newId('key'), id],
  );
  const { page } = await suite.openFor(owner, '/console/notifications');
  await page.getByRole('radio', { name: 'Immediately' }).and(page.locator(':checked')).waitFor();
  const mailed = () => mail.received.find(({ message }) => message.includes('Zq7r'));
  await eventually('the email arrives', async () => mailed() !== undefined);
  expect(mailed()?.to).toEqual([owner.email]);
  expect(mailed()?.message).toContain('/console/notifications');
  await page.getByRole('radio', { name: 'Daily' }).check();
  await button(page, 'Save').click();
  await page.getByRole('group', { name: 'Done' }).getByText('Settings saved').waitFor();
  await page.reload();
  await page.getByRole('radio', { name: 'Daily' }).and(page.locator(':checked')).waitFor();
});

test('an owner sets the technical contact, and someone without a session confirms it with the mailed link [ANNOUNCE-4]', async () => {
  const { company } = suite.stack();
  const { page } = await suite.openFor(company('SALES').owner, '/console/technical-contact');
  await page.getByText('No address is confirmed').waitFor();
  await page.getByLabel('Email address').fill('dev@contact.example');
  await button(page, 'Send confirmation link').click();
  await page.getByText('Confirmation link sent').waitFor();
  await page.getByText('dev@contact.example is pending').waitFor();

  const [link = ''] =
    /http\S+\/console\/technical-contact\/confirm#\S+/.exec(
      mail.received.findLast(({ to }) => to.includes('dev@contact.example'))?.message ?? '',
    ) ?? [];
  const { page: outside, watched } = await suite.open();
  await outside.goto(link);
  const owner = await suite.session(company('SALES').owner);
  const read = async () =>
    technicalContact.parse((await owner.call('GET', '/partner-api/technical-contact')).json);
  // A link that is only opened, as mail scanners do, confirms nothing.
  await button(outside, 'Confirm address').waitFor();
  expect((await read()).email).toBeNull();
  await button(outside, 'Confirm address').click();
  await outside.getByText('Address confirmed').waitFor();
  expect(await read()).toMatchObject({ email: 'dev@contact.example', pending: null });

  watched.allow(/^404 POST \/partner-api\/technical-contact\/confirm$/);
  await outside.reload();
  await button(outside, 'Confirm address').click();
  await outside.getByText(/^This link no longer works/).waitFor();
});

const mailedLinks = (to: string) =>
  mail.received
    .filter((each) => each.to.includes(to))
    .flatMap(({ message }) => message.match(/http\S+\/console\/set-password#\S+/g) ?? []);

async function setPasswordByLink(page: Page, to: string, password: string): Promise<void> {
  const link = await eventually('the link is mailed', () => mailedLinks(to).at(-1));
  await page.goto(link);
  await page.getByText(/^For .+ at .+/).waitFor();
  expect(page.url()).not.toContain('#');
  expect(await page.getByLabel('Email address').inputValue()).toBe(to);
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
  // The overview, or the steps of a new company, which take its place.
  await page.getByRole('heading', { name: /^(Overview|Get your first event)$/, level: 1 }).waitFor();
}

/** Invites a person, and again: then only the second link works. Returns the page of the person. */
async function inviteTwice(page: Page, { name, email }: { readonly name: string; readonly email: string }) {
  await button(page, 'Invite').click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send invitation' }).click();
  const invitation = region(page, 'Invited').getByRole('row', { name });
  await invitation.getByText('in 2 days').waitFor();
  const first = await eventually('the link is mailed', () => mailedLinks(email)[0]);
  await button(invitation, 'Resend').click();
  await eventually('the second link is mailed', () => mailedLinks(email)[1]);
  await checkLooks(page, 'people-invited');
  const { page: theirs, watched: watchedTheirs } = await suite.open();
  watchedTheirs.allow(/^404 POST \/partner-api\/password\//);
  await theirs.goto(first);
  await theirs.getByText(/^This link no longer works/).waitFor();
  return { theirs, watchedTheirs };
}

async function shownDialog(page: Page, title: string, looks: string) {
  const shown = dialog(page, title);
  await shown.waitFor();
  await checkLooks(page, looks);
  return shown;
}

test('an owner who forgot the password sets one with the mailed link, changes it, invites a viewer and resets a second factor [SESSION-11, SESSION-13, ROLE-3, FACTOR-6]', async () => {
  const { owner } = suite.stack().company('ACCOUNTING');
  const { page, watched } = await suite.open();
  await page.goto('/console/sign-in');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  // The sign-in page has a field of the same name.
  await page.getByRole('button', { name: 'Send link' }).waitFor();
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByText('Check your email').waitFor();
  await setPasswordByLink(page, owner.email, 'four words that no one guesses');
  await chooseInAccountMenu(page, 'Account');
  await page.getByLabel('Current password', { exact: true }).fill('four words that no one guesses');
  await page.getByLabel('New password', { exact: true }).fill(owner.email);
  watched.allow(/^400 PUT \/partner-api\/password$/);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText(/must not be the email address/).waitFor();
  await checkLooks(page, 'account');
  // The other tests sign in with it.
  await page.getByLabel('New password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('group', { name: 'Done' }).getByText('Password changed').waitFor();
  await chooseInAccountMenu(page, 'Sessions');
  await page.getByText('This is your only session').waitFor();

  const viewer = { name: 'Vera Viewer', email: 'vera@invited.example' };
  await page.getByRole('link', { name: 'People' }).click();
  const { theirs, watchedTheirs } = await inviteTwice(page, viewer);
  await setPasswordByLink(theirs, viewer.email, 'a viewer looks and changes nothing');
  await theirs.getByRole('link', { name: 'People' }).click();
  await theirs.getByRole('row', { name: viewer.name }).getByText('Viewer · You', { exact: true }).waitFor();
  expect(await theirs.getByRole('button', { name: 'Send invitation' }).count()).toBe(0);
  await theirs.goto('/console/webhooks/new');
  await theirs.getByText('Ask an owner of your company to make the change.').waitFor();
  await theirs.goto('/console/notifications');
  await theirs.getByText('Your role is viewer, and only owners get these emails.').waitFor();
  expect(await theirs.getByRole('radio').count()).toBe(0);
  await checkLooks(theirs, 'viewer');

  await suite.stack().database.query(
    `insert into second_factors (id, membership_id, sealed, sealing_key_id, enabled_at)
     select $1, id, '\\x00', 'k1', now() from memberships where email = $2`,
    [newId('mfa'), viewer.email],
  );
  await page.reload();
  const row = page.getByRole('row', { name: viewer.name });
  // A key alone changes nothing: the dialog begins at Cancel.
  await button(row, `Role of ${viewer.name}: Viewer`).press('Enter');
  await page.getByRole('menuitemradio', { name: 'Owner' }).press('Enter');
  const making = dialog(page, `Make ${viewer.name} an owner?`);
  await making.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
  await checkLooks(page, 'change-role');
  await page.keyboard.press('Enter');
  await making.waitFor({ state: 'detached' });
  for (const [is, next] of [
    ['Viewer', 'Owner'],
    ['Owner', 'Viewer'],
  ] as const) {
    await button(row, `Role of ${viewer.name}: ${is}`).click();
    await page.getByRole('menuitemradio', { name: next }).click();
    await button(page, `Make ${next.toLowerCase()}`).click();
    await button(row, `Role of ${viewer.name}: ${next}`).waitFor();
  }
  await page.getByRole('row', { name: owner.email }).getByText('Owner · You', { exact: true }).waitFor();
  const choose = async (name: RegExp) => {
    await button(row, `Role of ${viewer.name}`).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose(/^Remove/);
  await shownDialog(page, `Remove ${viewer.name}?`, 'remove-person');
  await page.keyboard.press('Escape');
  await row.getByText('Password and code').waitFor();
  await choose(/^Reset two-factor/);
  const reset = `Reset two-factor authentication of ${viewer.name}?`;
  const resetting = await shownDialog(page, reset, 'reset-two-factor');
  await button(resetting, 'Reset').click();
  await row.getByText('Password', { exact: true }).waitFor();
  watchedTheirs.allow(/^401 /);
  await theirs.reload();
  await button(theirs, 'Sign in').waitFor();
});

test('an owner sets up two-factor authentication, signs in with a recovery code and disables it [FACTOR-1, FACTOR-2]', async () => {
  const { owner } = suite.stack().company('INSTALLER', 1);
  const { page, watched } = await suite.openFor(owner, '/console/account');
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByRole('img', { name: /^QR code/ }).waitFor();
  await checkLooks(page, 'account-set-up');
  const secret = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? '';
  await page.getByLabel('Code', { exact: true }).fill(new TOTP({ secret }).generate());
  await page.getByRole('button', { name: 'Enable' }).click();
  const [first = '', second = ''] = (await textOf(page, 'Recovery codes')).split('\n');
  await checkLooks(page, 'account-recovery-codes');
  await page.getByLabel('I have stored them').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('10 unused recovery codes.').waitFor();
  expect(await page.content()).not.toContain(first);

  await chooseInAccountMenu(page, 'Sign out');
  watched.allow(/^403 POST \/partner-api\/session$/);
  await fillSignIn(page, owner);
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await checkLooks(page, 'sign-in-code');
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(/^This code is wrong or was already used/).waitFor();
  await page.getByLabel('Code', { exact: true }).fill(first);
  await page.getByRole('button', { name: 'Sign in' }).click();

  await chooseInAccountMenu(page, 'Account');
  await page.getByText('9 unused recovery codes.').waitFor();
  await button(page, 'Create new recovery codes').click();
  await dialog(page, 'Create new recovery codes?').waitFor();
  await checkLooks(page, 'account-new-recovery-codes');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Disable' }).click();
  const disabling = dialog(page, 'Disable two-factor authentication?');
  await disabling.getByLabel('Code', { exact: true }).fill(second);
  await checkLooks(page, 'account-disable');
  await disabling.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Set up' }).waitFor();
});

test('an owner signs in with the identity provider and confirms a change with it [OIDC-1, OIDC-7]', async () => {
  const { email } = suite.stack().company('SALES', 1).owner;
  const { page, watched } = await suite.open();
  watched.allow(/^403 POST \/partner-api\/(session\/provider\/complete|second-factor)$/);
  await page.goto('/console/account');
  await button(page, 'Continue with Acme Login').waitFor();
  await checkLooks(page, 'sign-in-with-provider');
  for (const [text, isVerified] of Object.entries({ 'has not verified': false, Linked: true })) {
    provider.signInAs({ subject: 'olive', email, isVerified, minutesAgo: 20 });
    await button(page, 'Continue with Acme Login').click();
    await expectText(page, text);
    await checkLooks(page, `with-provider-${text}`);
    if (!isVerified) await page.getByRole('link', { name: 'Back to sign-in' }).click();
  }
  await button(page, 'Set up').click();
  await checkLooks(page, 'confirm-with-provider');
  await button(dialog(page, 'Confirm that it’s you'), 'Continue with Acme Login').click();
  await page.getByRole('img', { name: /^QR code/ }).waitFor();
});

describeConnection(suite);
describeProposals(suite);

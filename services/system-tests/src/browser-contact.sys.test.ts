import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { technicalContact } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { type MailServer, startMailServer } from '@partner/test-kit/start-mail-server';
import { expectAccessible } from './browser/expect-accessible.js';
import { openBrowser, type TestBrowser } from './browser/open-browser.js';
import { signIn as signInAt } from './browser/sign-in.js';
import { watch } from './browser/watch.js';
import { signIn } from './support/owner-session.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

const PATIENCE_MS = 120_000;

let mail: MailServer;
let stack: TestStack;
let browser: TestBrowser;

beforeAll(async () => {
  mail = await startMailServer();
  stack = await startTestStack({
    settings: { console: { SMTP_URL: mail.url, MAIL_FROM: 'partner-api@service.example' } },
  });
  browser = await openBrowser(stack.baseUrl);
});
afterAll(async () => {
  await browser.close();
  await stack.stop();
  await mail.stop();
});

test(
  'an owner sets the technical contact, and somebody without a session confirms it with the mailed link [ANNOUNCE-4]',
  async () => {
    const [company] = stack.companies('SALES');
    if (company === undefined) throw new Error('the sandbox has a selling company');
    const page = await browser.newPage();
    const watched = watch(page);
    watched.allow(/^401 GET \/partner-api\/session$/);
    await signInAt(page, company.owner, '/console/technical-contact');
    await page.getByText('No address is confirmed').waitFor();
    await page.getByLabel('Email address').fill('dev@contact.example');
    await page.getByRole('button', { name: 'Send confirmation link' }).click();
    await page.getByText('Confirmation link sent').waitFor();
    await page.getByText('dev@contact.example is pending').waitFor();
    await expectAccessible(page);
    watched.expectNoFaults();

    const [link = ''] =
      /http\S+\/console\/technical-contact\/confirm#\S+/.exec(mail.received.at(-1)?.message ?? '') ?? [];
    const outside = await browser.newPage();
    const watchedOutside = watch(outside);
    await outside.goto(link);
    const owner = await signIn(stack.baseUrl, company.owner);
    const read = async () =>
      technicalContact.parse((await owner.call('GET', '/partner-api/technical-contact')).json);
    // A link that is only opened, as mail scanners do, confirms nothing.
    await outside.getByRole('button', { name: 'Confirm address' }).waitFor();
    expect((await read()).email).toBeNull();
    await expectAccessible(outside);
    await outside.getByRole('button', { name: 'Confirm address' }).click();
    await outside.getByText('Address confirmed').waitFor();
    expect(await read()).toMatchObject({ email: 'dev@contact.example', pending: null });
    watchedOutside.expectNoFaults();

    watchedOutside.allow(/^404 POST \/partner-api\/technical-contact\/confirm$/);
    await outside.reload();
    await outside.getByRole('button', { name: 'Confirm address' }).click();
    await outside.getByText(/^this link does not work/i).waitFor();
    watchedOutside.expectNoFaults();
  },
  PATIENCE_MS,
);

import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { startTestStack, type TestStack } from '../support/test-stack.js';
import type { ReceivedWebhook, ReceiverResponse } from '../support/webhook-receiver.js';
import {
  createActiveSubscription,
  type OwnerSession,
  signIn as signInByApi,
} from '../support/owner-session.js';
import { openBrowser, type TestBrowser } from './open-browser.js';
import { button } from './steps.js';
import { type PageWatch, watch } from './watch.js';

/** A page of a new person: no cookies, nothing stored. */
interface OpenPage {
  readonly page: Page;
  readonly watched: PageWatch;
}

type SignedWebhook = Pick<ReceivedWebhook, 'headers' | 'body'>;

interface Owner {
  readonly email: string;
  readonly password: string;
}

/** A stack and a browser for the tests of one file. */
export interface BrowserSuite {
  stack(): TestStack;
  /** What the receiver responds to webhooks by the end of their path, until the end of a test; 204 to all others. */
  readonly responses: Map<string, ReceiverResponse | ((webhook: SignedWebhook) => ReceiverResponse)>;
  /** Opens an empty page. It is closed after the test, which fails if something went wrong in it unseen. */
  open(look?: BrowserContextOptions): Promise<OpenPage>;
  /** Opens a page of the console for an owner who has signed in: the overview, or the one at `path`. */
  openFor(owner: Owner, path?: string): Promise<OpenPage>;
  /** Signs an owner in without a page; the first installer company's one unless given. */
  session(owner?: Owner): Promise<OwnerSession>;
  /** Creates an active webhook of the first installer company that leads to a place at the receiver. */
  subscribe(
    place: string,
    events?: readonly string[],
  ): Promise<{ readonly id: string; readonly secret: string }>;
}

/** All attempts of a failing delivery are over soon. */
const SOON = { 'job-state': { WEBHOOK_RETRY_BASE_MS: '20', SCHEDULER_INTERVAL_MS: '50' } };

/**
 * Starts a stack and a browser before the tests of a file, and ends them after. How to test a page of the console as a person
 * uses it:
 *
 *   const suite = setUpBrowser();
 *   const { page, watched } = await suite.openFor(suite.stack().company('INSTALLER').owner, '/console/webhooks');
 *   watched.allow(/^404 GET \/partner-api\/webhooks\/whk_none/);     // what the test makes fail on purpose
 *   await heading(page, 'Webhooks').waitFor();                       // more such steps in steps.ts
 *   await checkLooks(page, 'webhooks-failed');                       // axe, for a state that accessibility.ts does not reach
 *
 * Find elements by role and label, never by class.
 */
export function setUpBrowser(
  options: () =>
    | Promise<Parameters<typeof startTestStack>[0]>
    | Parameters<typeof startTestStack>[0] = () => ({}),
): BrowserSuite {
  let stack: TestStack;
  let browser: TestBrowser;
  const opened: OpenPage[] = [];
  const responses: BrowserSuite['responses'] = new Map();

  beforeAll(async () => {
    const respond = (webhook: SignedWebhook & { readonly path: string }) => {
      const response = responses.get(webhook.path.replace('/webhooks/', '')) ?? 204;
      return typeof response === 'function' ? response(webhook) : response;
    };
    const { settings, ...others } = await options();
    stack = await startTestStack({ respond, settings: { ...SOON, ...settings }, ...others });
    browser = await openBrowser(stack.baseUrl);
  });
  afterAll(async () => {
    await browser.close();
    await stack.stop();
  });
  afterEach(async () => {
    const pages = opened.splice(0);
    for (const { page } of pages) await page.context().close();
    responses.clear();
    for (const { watched } of pages) watched.expectNoViolations();
  });

  async function open(look?: BrowserContextOptions): Promise<OpenPage> {
    const page = await browser.newPage(look);
    const one = { page, watched: watch(page) };
    opened.push(one);
    // What a browser asks before anyone has signed in.
    one.watched.allow(/^401 GET \/partner-api\/session$/);
    return one;
  }

  const session = (owner = stack.company('INSTALLER').owner) => signInByApi(stack.baseUrl, owner);

  return {
    stack: () => stack,
    responses,
    open,
    session,
    async subscribe(place, events = ['install.*']) {
      return createActiveSubscription(await session(), { url: `${stack.receiverUrl}/${place}`, events });
    },
    async openFor(owner, path = '/console') {
      const one = await open();
      const headers = { origin: new URL(stack.baseUrl).origin };
      const signedIn = await one.page.request.post('/partner-api/session', { data: owner, headers });
      if (!signedIn.ok()) throw new Error(`the owner could not sign in: ${await signedIn.text()}`);
      await one.page.goto(path);
      await expectSignedIn(one.page);
      return one;
    },
  };
}

/** Signs an owner in with the form, and waits for the overview that follows. */
export async function signIn(page: Page, owner: Owner): Promise<void> {
  await page.goto('/console');
  await fillSignIn(page, owner);
  await expectSignedIn(page);
}

async function expectSignedIn(page: Page): Promise<void> {
  await page.getByRole('navigation').first().waitFor();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Fills in and sends the form of the page. */
export async function fillSignIn(page: Page, owner: Owner): Promise<void> {
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await button(page, 'Sign in').click();
}

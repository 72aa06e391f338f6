import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { startTestStack, type TestStack } from '../support/test-stack.js';
import type { ReceiverResponse } from '../support/webhook-receiver.js';
import { openBrowser, type TestBrowser } from './open-browser.js';
import { type PageWatch, watch } from './watch.js';

/** A page of a new person: no cookies, nothing stored. */
export interface OpenPage {
  readonly page: Page;
  readonly watched: PageWatch;
}

interface Owner {
  readonly email: string;
  readonly password: string;
}

/** A stack and a browser for the tests of one file. */
export interface BrowserSuite {
  stack(): TestStack;
  /** What the receiver responds to webhooks by the end of their path, until the end of a test; 204 to all others. */
  readonly responses: Map<string, ReceiverResponse>;
  /** Opens an empty page. It is closed after the test, which fails if something went wrong in it unseen. */
  open(look?: BrowserContextOptions): Promise<OpenPage>;
  /** Opens a page of the console for an owner who signs in on the way: the overview, or the one at `path`. */
  openFor(owner: Owner, path?: string): Promise<OpenPage>;
}

/**
 * Starts a stack and a browser before the tests of a file, and ends them after. How to test a page of the console as a person
 * uses it:
 *
 *   const suite = setUpBrowser();
 *   const { page, watched } = await suite.openFor(suite.stack().company('INSTALLER').owner, '/console/webhooks');
 *   watched.allow(/^404 GET \/partner-api\/webhooks\/whk_none/);     // what the test makes fail on purpose
 *   await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
 *   await checkLooks(page, 'webhooks-empty');                        // axe, in light on a desktop and dark on a phone
 *
 * Find elements by role and label, never by class.
 */
export function setUpBrowser(
  options: () =>
    Promise<Parameters<typeof startTestStack>[0]> | Parameters<typeof startTestStack>[0] = () => ({}),
): BrowserSuite {
  let stack: TestStack;
  let browser: TestBrowser;
  const opened: OpenPage[] = [];
  const responses = new Map<string, ReceiverResponse>();

  beforeAll(async () => {
    const respond = ({ path }: { readonly path: string }) =>
      responses.get(path.replace('/webhooks/', '')) ?? 204;
    stack = await startTestStack({ respond, ...(await options()) });
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

  return {
    stack: () => stack,
    responses,
    open,
    async openFor(owner, path) {
      const one = await open();
      await signIn(one.page, owner, path);
      return one;
    },
  };
}

/** Signs an owner in with the form, and waits for the page that follows: the overview, or the one at `path`. */
export async function signIn(page: Page, owner: Owner, path = '/console'): Promise<void> {
  await page.goto(path);
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').first().waitFor();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

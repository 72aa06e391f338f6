import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { findChromium } from '@partner/local-stack/parts/find-chromium';
import { readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { z } from 'zod';
import { startTestStack, type TestStack } from './support/test-stack.js';

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light, on a desktop', { viewport: { width: 1360, height: 900 }, colorScheme: 'light' }],
  ['dark, on a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 2 }],
];

let stack: TestStack;
let browser: Browser;
let address: string;
let page: Page;
/** What went wrong in the page: messages of its console, errors, and requests that leave the service. */
let faults: string[] = [];

beforeAll(async () => {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium; scripts/test installs it');
  [stack, browser] = await Promise.all([
    startTestStack({}),
    chromium.launch({
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    }),
  ]);
  address = `${stack.baseUrl}/docs`;
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

async function open(options: BrowserContextOptions, target = ''): Promise<Page> {
  const opened = await (await browser.newContext(options)).newPage();
  opened.on('console', (message) => faults.push(`console: ${message.text()}`));
  opened.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  opened.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(address).origin) faults.push(`request: ${request.url()}`);
  });
  opened.on('requestfailed', (request) => faults.push(`failed: ${request.url()}`));
  opened.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
  });
  await opened.goto(`${address}${target}`);
  return opened;
}

const violations = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/** What axe finds wrong. Evaluated from outside, so that the page's own policy stays in force for the page. */
async function inaccessible(): Promise<z.infer<typeof violations>> {
  await page.evaluate(axe.source);
  return violations.parse(
    await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)`),
  );
}

const idsOf = (parts: readonly { readonly id: string }[]) => parts.map(({ id }) => id);
const shownParts = () => page.locator('[data-entry]:visible').evaluateAll(idsOf);

const search = (text: string) => page.getByRole('searchbox', { name: 'Search' }).fill(text);

describe.each(LOOKS)('the API reference, %s', (_, options) => {
  beforeEach(async () => {
    faults = [];
    page = await open(options);
  });

  afterEach(async () => {
    await page.context().close();
    expect(faults).toEqual([]);
  });

  test('opens, fits the screen and can be used by everybody', async () => {
    await expect(page.title()).resolves.toBe('Partner Integration API: reference');
    await expect(page.evaluate('document.documentElement.scrollWidth <= innerWidth')).resolves.toBe(true);
    await expect(inaccessible()).resolves.toEqual([]);
    await search('stale_version');
    await expect(inaccessible()).resolves.toEqual([]);
  });

  test('finds an error, a field and an event, and tells how many parts have it', async () => {
    const all = await shownParts();
    await search('stale_version');
    expect(await shownParts()).toEqual([
      'errors',
      'retries-and-idempotency',
      'concurrent-changes',
      'recordStatusEvent',
      'setSchedule',
      'replaceAssignments',
      'schema-Error',
      'schema-ErrorCode',
    ]);
    await expect(page.getByRole('status').textContent()).resolves.toBe('found in 8 parts');

    await search('schedule');
    const found = await shownParts();
    expect(found).toEqual(
      expect.arrayContaining(['setSchedule', 'schedule-statuses', 'schema-InstallerJob']),
    );
    expect(found).toContain('event-install.schedule_changed');
    expect(found).not.toContain('createLead');

    await search('no such words anywhere');
    expect(await shownParts()).toEqual([]);
    await expect(page.getByRole('status').textContent()).resolves.toBe('nothing found');

    await page.keyboard.press('Escape');
    expect(await shownParts()).toEqual(all);
  });

  test('shows the part that a link names', async () => {
    for (const id of ['recordStatusEvent', 'event-install.status_changed', 'schema-InstallerJob']) {
      await page.goto(`${address}#${id}`);
      await expect(page.locator(`[id="${id}"] h3`).evaluate(isOnScreen)).resolves.toBe(true);
    }
  });
});

/** Whether the top of an element can be seen, below the bar that stays at the top of the screen. */
function isOnScreen(element: { getBoundingClientRect(): { readonly top: number } }): boolean {
  const { top } = element.getBoundingClientRect();
  return top >= 40 && top < 400;
}

describe('the API reference', () => {
  const [[, desktop]] = [LOOKS[0] ?? ['light', {}]];

  beforeEach(() => {
    faults = [];
  });

  afterEach(async () => {
    await page.context().close();
    expect(faults).toEqual([]);
  });

  test('is reached and searched with the keyboard alone', async () => {
    page = await open(desktop);
    await page.keyboard.press('Tab');
    await expect(page.locator(':focus').textContent()).resolves.toBe('Skip to the content');
    await page.keyboard.press('/');
    await page.keyboard.type('install.schedule_changed');
    await page.keyboard.press('Enter');
    await expect(page.locator(':focus').textContent()).resolves.toContain('install.schedule_changed');
    expect(new URL(page.url()).search).toBe('?q=install.schedule_changed');
  });

  test('begins with the search that its address names', async () => {
    page = await open(desktop, '?q=idempotency_mismatch');
    expect(await shownParts()).toContain('createLead');
    expect(await shownParts()).not.toContain('getJob');
  });

  test('shows a part again that the search has hidden when a link leads there', async () => {
    page = await open(desktop);
    await search('membershipIds');
    expect(await shownParts()).not.toContain('schema-InstallerJob');
    await page.locator('#replaceAssignments').getByRole('link', { name: 'InstallerJob' }).click();
    await page.locator('#schema-InstallerJob').waitFor();
    await expect(page.getByRole('searchbox').inputValue()).resolves.toBe('');
  });

  test('is whole without a script, but for the search', async () => {
    page = await open({ ...desktop, javaScriptEnabled: false });
    const { operations, webhooks } = readApiDescription(
      await (await fetch(`${stack.baseUrl}/openapi.json`)).json(),
    );
    for (const { id } of operations)
      await expect(page.locator(`[id="${id}"]`).isVisible()).resolves.toBe(true);
    expect(operations.length + webhooks.length).toBeGreaterThan(20);
    await expect(page.locator('#search').isVisible()).resolves.toBe(false);
  });

  test('is what the document says, at the address of this deployment', async () => {
    page = await open(desktop);
    await expect(page.locator('#recordStatusEvent pre').first().textContent()).resolves.toContain(
      `curl -sS '${stack.baseUrl}/partner/v1/jobs/job_`,
    );
    const answer = await fetch(`${stack.baseUrl}/openapi.json`, { headers: { 'x-request-id': 'docs-1' } });
    expect(answer.headers.get('x-request-id')).toBe('docs-1');
    expect(readApiDescription(await answer.json()).serverUrl).toBe(stack.baseUrl);
  });
});

import { findChromium } from '@partner/local-stack/parts/find-chromium';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/*
 * How to test a page of the console as a person uses it:
 *
 *   const stack = await startTestStack({});                       // beforeAll
 *   const browser = await openBrowser(stack.baseUrl);             // beforeAll; afterAll: browser.close()
 *
 *   const page = await browser.newPage();                         // a person of its own: no cookies, nothing stored
 *   const watched = watch(page);                                  // before the first page is opened
 *   await signIn(page, installer.owner);                          // ends on the overview; or give the path of a page
 *   await page.getByRole('link', { name: 'Webhooks' }).click();
 *   await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
 *   await checkLooks(page, 'webhooks-empty');                     // light on a desktop, dark on a phone; axe in each, nothing too wide
 *   watched.expectNoFaults();                                     // at the end of each test
 *
 * What a test makes fail on purpose it allows first: `watched.allow(/^404 GET \/partner-api\/webhooks\/whk_none/)`. Find elements
 * by role and label, never by class. Paths begin with `/console`. Give tests 60 seconds or more, and close pages (`page.context()
 * .close()`) that are no longer needed, since each keeps a stream of changes open.
 */

/** A browser for the pages of one stack. */
export interface TestBrowser {
  /** Opens an empty page of a person who has never been here. */
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/** How long a page may take to show what a test waits for. */
const PATIENCE_MS = 60_000;

/** Starts the Chromium of this machine, or the one that `CHROMIUM_PATH` names. */
export async function openBrowser(baseUrl: string): Promise<TestBrowser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? findChromium();
  if (executablePath === undefined) {
    throw new Error(
      'there is no Chromium: install the package chromium, or name a program with CHROMIUM_PATH',
    );
  }
  const browser = await chromium.launch({
    executablePath,
    // Chromium refuses to begin its sandbox as root, and containers have little shared memory.
    args: ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  return {
    async newPage() {
      const context: BrowserContext = await browser.newContext({
        baseURL: baseUrl,
        locale: 'en-GB',
        timezoneId: 'UTC',
        viewport: { width: 1280, height: 900 },
        // Nothing fades, so that contrasts are those of the end.
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      context.setDefaultTimeout(PATIENCE_MS);
      return context.newPage();
    },
    close: () => browser.close(),
  };
}

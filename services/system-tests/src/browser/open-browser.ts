import { findChromium } from '@partner/local-stack/backing-services/find-chromium';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** A browser for the pages of one stack. */
export interface TestBrowser {
  /** Opens an empty page without cookies or storage. */
  newPage(look?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** Timeout of a page for what a test waits for, in milliseconds. */
const TIMEOUT_MS = 60_000;

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
    // Chromium refuses to begin its sandbox as root, and containers have little shared memory and no graphics processor to emulate.
    args: [
      ...['--disable-dev-shm-usage', '--disable-gpu', '--disable-software-rasterizer'],
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
  return {
    async newPage(look) {
      const context = await browser.newContext({
        baseURL: baseUrl,
        locale: 'en-GB',
        timezoneId: 'UTC',
        viewport: { width: 1280, height: 900 },
        // Nothing fades, so that contrasts are those of the end.
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
        ...look,
      });
      context.setDefaultTimeout(TIMEOUT_MS);
      return context.newPage();
    },
    close: () => browser.close(),
  };
}

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expectAccessible } from './expect-accessible.js';

const DIRECTORY = path.resolve(import.meta.dirname, '../../../..', '.stack', 'screenshots');

const LOOKS = {
  light: { scheme: 'light', width: 1280, height: 900 },
  dark: { scheme: 'dark', width: 1280, height: 900 },
  phone: { scheme: 'light', width: 390, height: 844 },
} as const;

/**
 * Writes `.stack/screenshots/<name>-{light,dark,phone}.png` of the whole page once it has loaded. Throws when axe finds something
 * in one of the three, and when something is wider than the page.
 */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  await mkdir(DIRECTORY, { recursive: true });
  const faults: string[] = [];
  for (const [look, { scheme, width, height }] of Object.entries(LOOKS)) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height });
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' });
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    // What stays at the top while one scrolls would lie across the middle.
    await page.evaluate('window.scrollTo(0, 0)');
    await page.screenshot({
      path: path.join(DIRECTORY, `${name}-${look}.png`),
      fullPage: true,
      animations: 'disabled',
    });
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    if (overflow !== 0) faults.push(`${name}-${look}: ${String(overflow)} px wider than the page`);
    await expectAccessible(page).catch((error: unknown) => faults.push(`${name}-${look}: ${String(error)}`));
  }
  const { scheme, width, height } = LOOKS.light;
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height });
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

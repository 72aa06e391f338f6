import path from 'node:path';
import type { Page } from 'playwright-core';
import { expectAccessible } from './expect-accessible.js';

const DIRECTORY = path.resolve(import.meta.dirname, '../../../..', '.stack', 'screenshots');

/** Both themes and both layouts, in two passes instead of four: axe is most of what a browser test costs. */
const LOOKS = {
  'light desktop': { scheme: 'light', width: 1280, height: 900 },
  'dark phone': { scheme: 'dark', width: 390, height: 844 },
} as const;

/**
 * Throws when axe finds a violation in the loaded page, or when something is wider than the screen: in light colours on a desktop
 * and in dark colours on a phone. Writes `.stack/screenshots/<name> <look>.png` of each look that fails.
 */
export async function checkLooks(page: Page, name: string): Promise<void> {
  const violations: string[] = [];
  for (const [look, { scheme, width, height }] of Object.entries(LOOKS)) {
    const label = `${name} ${look}`;
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height });
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' });
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    const before = violations.length;
    if (overflow !== 0) violations.push(`${label}: ${String(overflow)} px wider than the page`);
    await expectAccessible(page).catch((error: unknown) => violations.push(`${label}: ${String(error)}`));
    if (violations.length > before) {
      await page.screenshot({ path: path.join(DIRECTORY, `${label}.png`), fullPage: true });
    }
  }
  const { scheme, width, height } = LOOKS['light desktop'];
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height });
  if (violations.length > 0) throw new Error(violations.join('\n'));
}

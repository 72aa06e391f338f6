import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { z } from 'zod';

/** Smaller than `axe.source`, which each page would have to compile. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const DIRECTORY = path.resolve(import.meta.dirname, '../../../..', '.stack', 'screenshots');

/** What WCAG 2.2 requires at its levels A and AA, and good practices. */
const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] as const;

/** What can differ from light to dark. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'] as const;

/** The last one is the look in which a page opens. Dark colors are those of the size at which a test has the page. */
const LOOKS = [
  { colorScheme: 'dark', rules: COLOR_RULES },
  { colorScheme: 'light', rules: ALL_RULES, size: { width: 390, height: 844 } },
  { colorScheme: 'light', rules: ALL_RULES, size: { width: 1280, height: 900 } },
] as const;

/**
 * Throws when axe finds a violation in the loaded page, or when something is wider than the screen: on a phone and on a desktop, and
 * in dark colors. Writes `.stack/screenshots/<name> <look>.png` of each look that fails.
 */
export async function checkLooks(page: Page, name: string): Promise<void> {
  const violations: string[] = [];
  for (const { colorScheme, rules, ...look } of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if ('size' in look) await page.setViewportSize(look.size);
    // Pages without the web app take the scheme from the browser alone.
    const shown = `html:is([data-color-scheme="${colorScheme}"], :not([data-color-scheme]))`;
    await page.locator(shown).waitFor({ state: 'attached' });
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    try {
      await expectAccessible(page, rules);
      if (
        (await page.evaluate(
          '(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.documentElement)',
        )) !== true
      )
        throw new Error('something is wider than the page');
    } catch (error) {
      const shot = `${name} ${colorScheme} ${page.viewportSize()?.width}`;
      violations.push(`${shot}: ${String(error)}`);
      await page.screenshot({ path: path.join(DIRECTORY, `${shot}.png`), fullPage: true });
    }
  }
  if (violations.length > 0) throw new Error(violations.join('\n'));
}

const report = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      help: z.string(),
      nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
    }),
  ),
});

/** Dialogs, menus and toasts lie above the page, outside of its landmarks. */
const runAxe = (rules: readonly string[]) => `(() => {
  const isBelow = document.querySelector('dialog[open], :popover-open, [role="group"]:is([aria-label="Done"], [aria-label="Failed"])') !== null;
  const forPages = ['region', 'landmark-unique', 'landmark-no-duplicate-banner'];
  return axe.run(document, {
    resultTypes: ['violations'],
    preload: false,
    runOnly: ${JSON.stringify(rules)},
    rules: Object.fromEntries(forPages.map((rule) => [rule, { enabled: !isBelow }])),
  }).then(({ violations }) => ({ violations }));
})()`;

/** Throws with everything that axe finds wrong in the page as it is now. */
export async function expectAccessible(page: Page, rules: readonly string[] = ALL_RULES): Promise<void> {
  // The page's policy refuses scripts of others in the page, but not what a test evaluates.
  if ((await page.evaluate('typeof window.axe')) === 'undefined') await page.evaluate(AXE);
  const { violations } = report.parse(await page.evaluate(runAxe(rules)));
  if (violations.length === 0) return;
  const lines = violations.flatMap(({ id, help, nodes }) => [
    `${id}: ${help}`,
    ...nodes.map(({ html, failureSummary = '' }) => `  ${html}\n    ${failureSummary.replace(/\s+/g, ' ')}`),
  ]);
  throw new Error(`${page.url()} is not accessible:\n${lines.join('\n')}`);
}

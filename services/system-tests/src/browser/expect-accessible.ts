import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const report = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      help: z.string(),
      nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
    }),
  ),
});

/**
 * What WCAG 2.2 requires at its levels A and AA, and good practices. Dialogs and toasts lie above the page, outside of
 * its landmarks.
 */
const RUN = `(() => {
  const isBelow = document.querySelector('[role="dialog"], .mantine-Notifications-notification') !== null;
  const forPages = ['region', 'landmark-unique', 'landmark-no-duplicate-banner'];
  return axe.run(document, {
    resultTypes: ['violations'],
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: Object.fromEntries(forPages.map((rule) => [rule, { enabled: !isBelow }])),
  }).then(({ violations }) => ({ violations }));
})()`;

/** Throws with everything that axe finds wrong in the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  // The page's policy refuses scripts of others in the page, but not what a test evaluates.
  if ((await page.evaluate('typeof window.axe')) === 'undefined') await page.evaluate(axe.source);
  const { violations } = report.parse(await page.evaluate(RUN));
  if (violations.length === 0) return;
  const lines = violations.flatMap(({ id, help, nodes }) => [
    `${id}: ${help}`,
    ...nodes.map(({ html, failureSummary = '' }) => `  ${html}\n    ${failureSummary.replace(/\s+/g, ' ')}`),
  ]);
  throw new Error(`${page.url()} is not accessible:\n${lines.join('\n')}`);
}

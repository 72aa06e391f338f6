import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import type { Page } from 'playwright-core';
import { layOutSections } from './api-reference.js';
import { checkLooks } from './check-looks.js';
import type { BrowserSuite } from './set-up-browser.js';
import { button, expectText } from './steps.js';
import { readDeliveries } from '../support/owner-session.js';
import { assignSandboxJob } from '../support/platform-job.js';

/** An address to open, a button to press, or anything else that a person does. */
type Step = string | RegExp | ((page: Page) => Promise<unknown>);
/** How a person comes to each screen: from an address, or from the screen before. */
type Screens = Readonly<Record<string, readonly Step[]>>;

const seeded = { webhook: '', delivery: '', event: '', job: '', proposal: newId('wpr') };
const see = (text: string) => (page: Page) => expectText(page, text);
const fill = (label: string, text: string) => (page: Page) => page.getByLabel(label).fill(text);

const withoutSession = (): Screens => ({
  landing: ['/'],
  'not found': ['/docs/unknown'],
  reference: ['/docs'],
  'reference section': ['/docs/installer', (page) => layOutSections(page, ':first-of-type')],
  'reference search': [
    '/docs/guide?q=stale_version',
    see('10 sections'),
    (page) => layOutSections(page, ':first-of-type'),
  ],
  'reference contents': [(page) => page.setViewportSize({ width: 390, height: 844 }), 'Contents'],
  changelog: ['/docs/changelog'],
  'sign-in': ['/console/sign-in'],
  'forgot-password': ['/console/forgot-password'],
  'forgot-password sent': [fill('Email address', 'any@a.test'), 'Send link', see('Check your email')],
  'set-password': ['/console/set-password#token', see('Request a new link')],
  'technical-contact confirm': ['/console/technical-contact/confirm#token'],
  'sign-in refused by the provider': ['/console/sign-in/callback?state=none&code=none', see('Details')],
});

const pagesAt = (addresses: readonly string[]): Screens =>
  Object.fromEntries(addresses.map((page) => [page.replaceAll(/\W+/g, ' ').trim(), [`/console${page}`]]));

const pages = (): Screens =>
  pagesAt([
    ...['', '/webhooks', '/deliveries', '/why', '/catalogue', '/receiver-code', '/api-keys'],
    '/test-receiver',
    ...['/notifications', '/technical-contact', '/audit', '/people', '/sessions', '/account', '/unknown'],
    ...[
      '',
      '?tab=deliveries',
      '?tab=settings',
      '?tab=secret',
      '?tab=try',
      '/rotate-secret',
      '/replay',
      '/setup',
    ].map((part) => `/webhooks/${seeded.webhook}${part}`),
    ...[
      `/deliveries/${seeded.delivery}`,
      '/deliveries?status=held',
      `/webhooks/proposals/${seeded.proposal}`,
    ],
    ...[`/why?resourceId=${seeded.job}`, `/why?eventId=${seeded.event}`],
  ]);

/** Those that need a longer way are checked by the tests that go it. */
const dialogs = (): Screens => {
  const webhook = (tab: string) => `/console/webhooks/${seeded.webhook}?tab=${tab}`;
  const settings = webhook('settings');
  const keys = '/console/api-keys';
  return {
    'webhook events': [settings, 'Change: Events'],
    'webhook changes': [settings, 'Change: Changes'],
    'webhook order': [settings, 'Change: Order'],
    'webhook headers': [settings, 'Change: Custom headers'],
    'webhook address': [webhook('try'), fill('Endpoint URL', 'https://a.test/')],
    'webhook test': [settings, 'Send test'],
    'webhook menu': [settings, 'More actions'],
    'delete webhook': [(page) => page.getByRole('menuitem', { name: 'Delete webhook…' }).click()],
    'pause webhook': [settings, 'Pause'],
    'activate webhook': [(page) => button(page.getByRole('dialog'), 'Pause').click(), 'Activate'],
    'replay delivery': [`/console/deliveries/${seeded.delivery}`, 'Replay'],
    'create key': [keys, 'Create an API key'],
    'key once': ['Create key', see('Your new API key')],
    'rotate key': [keys, /^Rotate/],
    'revoke key': [keys, /^Revoke/],
    'faults of a key': [keys, /^Faults for/, 'Add a step'],
    'end all sessions': ['/console/sessions', 'End all other sessions'],
    'audit details': ['/console/audit', (page) => page.getByText('Details').first().click()],
    'account menu': ['/console/audit', /account menu$/],
    'all pages': ['/console/audit', (page) => page.setViewportSize({ width: 390, height: 844 }), 'More'],
  };
};

const empty = () => pagesAt(['', '/webhooks', '/webhooks/new', '/deliveries', '/why']);

/** Bytes of scripts that a first visit may transfer, files of scripts and styles, and how far its layout may shift. */
interface Budget {
  readonly js: number;
  readonly files: number;
  readonly shift: number;
}

const BUDGETS: Readonly<Record<string, Budget>> = {
  '/console/sign-in': { js: 20_000, files: 8, shift: 0 },
  '/console/forgot-password': { js: 20_000, files: 8, shift: 0 },
  '/docs': { js: 8_000, files: 8, shift: 0.02 },
  '/docs/installer': { js: 8_000, files: 8, shift: 0.02 },
};
const SIGNED_IN: Budget = { js: 120_000, files: 20, shift: 0.02 };

/** What a first visit transfers, and how far it shifts: from the start of the page's next visit on. */
async function watchTransfers(page: Page) {
  const session = await page.context().newCDPSession(page);
  const files = new Map<string, string>();
  let js = 0;
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script' || type === 'Stylesheet') files.set(requestId, type);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.get(requestId) === 'Script') js += encodedDataLength;
  });
  await session.send('Network.enable');
  await page.addInitScript(`window.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value)))
      .observe({ type: 'layout-shift', buffered: true });`);
  return {
    async begin() {
      await session.send('Network.clearBrowserCache');
      // Empties the cache of the page's process, too.
      for (const cacheDisabled of [true, false])
        await session.send('Network.setCacheDisabled', { cacheDisabled });
      files.clear();
      js = 0;
    },
    used: async () => ({ js, files: files.size, shift: Number(await page.evaluate('window.shift')) }),
  };
}

/** Every page, and what opens on it; also what its first visit costs. Its company has deliveries already, and the other one no webhook. */
export function describeAccessibility(suite: BrowserSuite): void {
  describe('accessibility', () => {
    const visited = new Set<string>();

    beforeAll(async () => {
      const { id } = await suite.subscribe('fails');
      suite.responses.set('fails', { kind: 'status', status: 500 });
      const job = await assignSandboxJob(suite.stack());
      await suite.stack().deliveriesAreFinished();
      const [delivery] = (await readDeliveries(await suite.session(), id)).deliveries;
      const proposed = [
        { description: 'Proposed', url: `${suite.stack().receiverUrl}/x`, events: ['install.test'] },
      ];
      await suite.stack().database.query(
        `insert into webhook_proposals (id, company_id, key_id, wanted, prune, filed, state, created_at)
     values ($1, $2, 'key_of_accessibility', $3, false, '[]', 'pending', now())`,
        [seeded.proposal, suite.stack().company('INSTALLER').id, JSON.stringify(proposed)],
      );
      Object.assign(seeded, { webhook: id, delivery: delivery?.id, event: delivery?.eventId, job: job.id });
    });

    test.each([
      ['pages without a session', undefined, withoutSession, undefined],
      ['pages of a company without webhooks', 1, empty, undefined],
      ['pages of a company with deliveries', 0, pages, SIGNED_IN],
      ['dialogs of a company with deliveries', 0, dialogs, undefined],
    ] as const)(
      'the %s are accessible, fit every screen, and stay within their budget of bytes, files and layout shift',
      async (_, company, screens, signedIn) => {
        const { page, watched } =
          company === undefined
            ? await suite.open()
            : await suite.openFor(suite.stack().company('INSTALLER', company).owner);
        watched.allow(/^4\d\d POST \/partner-api\/(session\/provider\/complete|password\/links\/read)$/);
        watched.allow(/^404 GET \/docs\/unknown$/);
        const transfers = await watchTransfers(page);
        const violations: unknown[] = [];
        async function visit(address: string): Promise<void> {
          await transfers.begin();
          await page.goto(address);
          await page.getByRole('heading', { level: 1 }).waitFor();
          visited.add(new URL(page.url()).pathname);
          const budget = BUDGETS[address] ?? signedIn;
          if (budget === undefined) return;
          await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
          const used = await transfers.used();
          expect(used.js).toBeGreaterThan(0);
          for (const each of ['js', 'files', 'shift'] as const)
            if (used[each] > budget[each]) violations.push(`${address}: ${each} ${used[each]}`);
        }
        for (const [name, steps] of Object.entries(screens())) {
          for (const step of steps) {
            if (typeof step === 'function') await step(page);
            else if (typeof step === 'string' && step.startsWith('/')) await visit(step);
            else await button(page, step).first().click();
          }
          await checkLooks(page, name).catch((error: unknown) => violations.push(error));
        }
        expect(violations).toEqual([]);
      },
    );

    test('no page of the console is left out', () => {
      expect([...visited]).toEqual(expect.arrayContaining(Object.keys(BUDGETS)));
      const routes = readFileSync(path.join(import.meta.dirname, '../../../console/web/src/app.tsx'), 'utf8');
      const patterns = [...routes.matchAll(/\bpage\('(?<route>[^']+)'/g)].map(
        ({ groups: { route = '' } = {} }) =>
          `/console/${route}`.replace(/\/+$/, '').replace(/:id|\*/, '[^/]+'),
      );
      expect(patterns.length).toBeGreaterThan(15);
      const isMissed = (pattern: string) =>
        ![...visited].some((each) => new RegExp(`^${pattern}$`).test(each));
      expect(patterns.filter(isMissed)).toEqual([]);
    });
  });
}

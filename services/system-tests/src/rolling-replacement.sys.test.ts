import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SERVICE_NAMES } from '@partner/local-stack/stack/services';
import { openBrowser } from './browser/open-browser.js';
import { createActiveSubscription, signIn } from './support/owner-session.js';
import { type Cluster, type Retirement, VERSIONS } from './pods/cluster.js';
import { expectNothingLost } from './pods/expect-nothing-lost.js';
import { startClusterStack } from './pods/start-cluster-stack.js';
import { type SteadyLoad, startSteadyLoad } from './pods/steady-load.js';
import { defineWithPods } from './pods/define-with-pods.js';
import type { TestStack } from './support/test-stack.js';

const [EARLIER, LATER] = VERSIONS;
const REPLICAS = 2;
const PATH = '/webhooks/rolling';

await defineWithPods(() => {
  let stack: TestStack;
  let cluster: Cluster;
  let load: SteadyLoad;

  beforeAll(async () => {
    ({ stack, cluster } = await startClusterStack());
    await Promise.all(
      SERVICE_NAMES.flatMap((service) =>
        Array.from({ length: REPLICAS }, () => cluster.deployment(service).add(EARLIER)),
      ),
    );
    const [installer] = stack.companies('INSTALLER');
    const [seller] = stack.companies('SALES');
    if (installer === undefined || seller === undefined) throw new Error('the sandbox lacks companies');
    const session = await signIn(cluster.deployment('console').url, installer.owner);
    await createActiveSubscription(session, {
      url: `${stack.receiverUrl}/rolling`,
      events: ['install.status_changed', 'install.test'],
    });
    load = await startSteadyLoad({
      stack,
      urlOf: (service) => cluster.deployment(service).url,
      installer,
      seller,
      session,
    });
  });

  afterAll(async () => {
    // Also when the test has failed before its end.
    await load.stop();
    await cluster.stop();
    await stack.stop();
  });

  test('all pods of all services are replaced by a later version, one after another under load, and nothing is lost', async () => {
    const retirements: (Retirement & { readonly pod: string })[] = [];
    await load.untilWritten(20);
    expect(await cluster.migrate()).toMatchObject({ exitCode: 0 });
    for (const service of SERVICE_NAMES) {
      const deployment = cluster.deployment(service);
      for (const old of deployment.pods) {
        await deployment.add(LATER);
        // Both versions side by side.
        await load.untilWritten(10);
        retirements.push({ pod: old.name, ...(await deployment.retire(old)) });
        await load.untilWritten(10);
      }
    }
    const report = await load.stop();

    expect(retirements).toHaveLength(SERVICE_NAMES.length * REPLICAS);
    for (const retirement of retirements) {
      expect(retirement).toMatchObject({ exitCode: 0, signal: null });
      expect(retirement.stoppedInMs).toBeLessThan(retirement.allowedMs);
    }
    // Each attempt whose result is known is made once; none was cut off.
    expect(await expectNothingLost(stack, report, PATH)).toBe(0);
    // The later version has said what the earlier one does not know, and was understood.
    expect(stack.receivedStatusChanges.some(({ unknownFields }) => unknownFields > 0)).toBe(true);
    expect(stack.receivedStatusChanges.some(({ unknownFields }) => unknownFields === 0)).toBe(true);
  });

  test('a page of the console whose files the other version does not have is loaded again until it is whole', async () => {
    const browser = await openBrowser(cluster.deployment('console').url);
    try {
      const page = await browser.newPage();
      const refused: string[] = [];
      // The entry of the page first, then what it loads by itself.
      for (const name of ['index', 'start']) {
        await page.route(
          `**/console/assets/${name}-*.js`,
          (route) => {
            refused.push(name);
            return route.fulfill({ status: 404, contentType: 'application/json', body: '{}' });
          },
          { times: 1 },
        );
      }
      await page.goto('/console');
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      expect(refused).toEqual(['index', 'start']);
    } finally {
      await browser.close();
    }
  });
});

import { expect, test } from '@jest/globals';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/platform-messages';
import {
  EVENT_CATALOGUE,
  isEventName,
  isNotification,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { Registry } from 'prom-client';
import { createPlatformMessageHandler } from '../platform/handle-platform-message.js';
import { database, testDatabase } from '../testing/file-database.js';
import { testImplementations } from '../testing/test-implementations.js';
import { platformMessage } from '../testing/test-jobs.js';
import { sandboxCompanies } from './sandbox-companies.js';
import { sandboxJobs } from './sandbox-jobs.js';
import { seedSandboxData } from './seed-sandbox-data.js';
import { createSimulation, seededRandom } from './start-simulator.js';

const MOVES = 1_200;

/** Every platform message type except those of companies and memberships, which the sandbox seeds. */
const SIMULATED_TYPES = PLATFORM_MESSAGES.map(({ typeName }) => typeName)
  .filter((name) => !/\.(Company|Membership)Changed$/.test(name))
  .sort();

test('the simulator makes moves that all succeed, and finishes its sales', async () => {
  await seedSandboxData(testDatabase.connect({ idleInTransactionMs: 0 }));
  const companies = sandboxCompanies();
  const jobs = sandboxJobs(companies);
  const deps = { database, clock: () => new Date(), logger: silentLogger };
  const handle = createPlatformMessageHandler({ ...deps, metrics: new Registry() });
  const published = new Set<string>();
  const simulation = createSimulation({
    sellers: companies.filter((company) => company.class === 'SALES'),
    installers: companies.filter((company) => company.class === 'INSTALLER'),
    leadIdsOf: (companyId) =>
      jobs
        .filter(({ versions }) => versions[0]?.job.sellingCompany.id === companyId)
        .map(({ lead }) => lead.id),
    async publish(schema, content) {
      published.add(schema.typeName);
      expect(await handle(platformMessage(schema, content))).toEqual({ kind: 'done' });
    },
    operations: inProcessOperations({ implementations: testImplementations(deps), callers: ['key'] }),
    random: seededRandom('prompt'),
    clock: deps.clock,
    maxOpen: 12,
  });
  const made = new Map<string, number>();
  for (let number = 0; number < MOVES; number += 1) {
    const move = await simulation.move();
    made.set(move, (made.get(move) ?? 0) + 1);
    expect(simulation.openSales()).toBeLessThanOrEqual(12);
  }
  const unsettled = 'select from inbox where prerequisite_id is not null or dead_reason is not null';
  expect(await database.query(unsettled)).toEqual([]);
  expect(made.get('project_completed')).toBeGreaterThan(5);
  expect([...made.keys()]).toEqual(
    expect.arrayContaining(['job_cancelled', 'job_unassigned', 'status_reported', 'technicians_assigned']),
  );
  expect([...published].sort()).toEqual(SIMULATED_TYPES);
  const events = await database.query<{ name: string }>(
    `select distinct name from events where created_at > now() - interval '1 hour'`,
  );
  expect(events.map(({ name }) => name).sort()).toEqual(
    Object.keys(EVENT_CATALOGUE)
      .filter(isEventName)
      .filter((name) => name !== 'install.test' && !isNotification(name))
      .sort(),
  );
});

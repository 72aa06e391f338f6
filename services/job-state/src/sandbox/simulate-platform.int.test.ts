import { randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/platform-messages';
import {
  EVENT_CATALOGUE,
  isEventName,
  isNotification,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { ConsumeOutcome, IncomingMessage } from '@partner/kernel/amqp/consumer';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { Registry } from 'prom-client';
import { createPlatformMessageHandler } from '../platform/handle-platform-message.js';
import { testImplementations } from '../testing/test-implementations.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { sandboxCompanies } from './sandbox-companies.js';
import { sandboxJobs } from './sandbox-jobs.js';
import { seedSandboxData } from './seed-sandbox-data.js';
import { createSimulation } from './simulate-platform.js';
import type { SimulatedWorld } from './sale-state.js';
import { seededRandom } from './start-simulator.js';

const MOVES = 1_200;

/** Every platform message type except those of companies and memberships, which the sandbox seeds. */
const SIMULATED_TYPES = PLATFORM_MESSAGES.map(({ typeName }) => typeName)
  .filter((name) => !/\.(Company|Membership)Changed$/.test(name))
  .sort();

let testDatabase: TestDatabase;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  await seedSandboxData(testDatabase.database);
});

afterEach(() => testDatabase.drop());

/** Creates the sandbox's world on a database. Messages are handled when published or, with `isLate`, by `deliver`. */
function createWorld(options: { readonly seed: string; readonly isLate?: boolean }) {
  const { database } = testDatabase;
  const clock = () => new Date();
  const handle = createPlatformMessageHandler({
    database,
    clock,
    logger: silentLogger,
    metrics: new Registry(),
  });
  const companies = sandboxCompanies();
  const waiting: IncomingMessage[] = [];
  const published: string[] = [];
  const outcomes: { readonly type: string; readonly outcome: ConsumeOutcome }[] = [];
  let isDown = false;
  const operations = inProcessOperations({
    implementations: testImplementations({ database, clock }),
    callers: ['key'],
  });
  async function deliver(): Promise<void> {
    const message = waiting.shift();
    if (message === undefined) return;
    outcomes.push({ type: message.type, outcome: await handle(message) });
  }
  const world: SimulatedWorld = {
    sellers: companies.filter((company) => company.class === 'SALES'),
    installers: companies.filter((company) => company.class === 'INSTALLER'),
    leadIdsOf: (companyId) =>
      sandboxJobs(companies)
        .filter(({ versions }) => versions[0]?.job.sellingCompany.id === companyId)
        .map(({ lead }) => lead.id),
    async publish(schema, content) {
      published.push(schema.typeName);
      waiting.push({
        messageId: randomUUID(),
        type: schema.typeName,
        body: toBinary(schema, create(schema, content)),
        headers: {},
        redelivered: false,
      });
      if (options.isLate !== true) await deliver();
    },
    operations: {
      call: (...args) =>
        isDown ? Promise.reject(new ServiceError('unavailable', 'down')) : operations.call(...args),
    },
    random: seededRandom(options.seed),
    clock,
  };
  return {
    world,
    published,
    deliver,
    async settle() {
      while (waiting.length > 0) await deliver();
    },
    dead: () => outcomes.filter(({ outcome }) => outcome.kind !== 'done'),
    setDown: (down: boolean) => (isDown = down),
  };
}

const waitingOrDead = () =>
  testDatabase.database.query(
    'select message_id, prerequisite_id, dead_reason from inbox where prerequisite_id is not null or dead_reason is not null',
  );

describe('the simulated platform', () => {
  test('makes moves that all succeed, and finishes its sales', async () => {
    const { world, published, dead } = createWorld({ seed: 'prompt' });
    const simulation = createSimulation({ ...world, maxOpen: 12 });
    const made = new Map<string, number>();
    for (let number = 0; number < MOVES; number += 1) {
      const move = await simulation.move();
      made.set(move, (made.get(move) ?? 0) + 1);
      expect(simulation.openSales()).toBeLessThanOrEqual(12);
    }
    expect(dead()).toEqual([]);
    expect(await waitingOrDead()).toEqual([]);
    expect(made.get('project_completed')).toBeGreaterThan(5);
    expect([...made.keys()]).toEqual(
      expect.arrayContaining(['job_cancelled', 'job_unassigned', 'status_reported', 'technicians_assigned']),
    );
    expect([...new Set(published)].sort()).toEqual(SIMULATED_TYPES);
    const events = await testDatabase.database.query<{ name: string }>(
      `select distinct name from events where created_at > now() - interval '1 hour'`,
    );
    expect(events.map(({ name }) => name).sort()).toEqual(
      Object.keys(EVENT_CATALOGUE)
        .filter(isEventName)
        .filter((name) => name !== 'install.test' && !isNotification(name))
        .sort(),
    );
  });

  test('publishes no contradicting messages, even if they are handled late', async () => {
    const { world, dead, deliver, settle } = createWorld({ seed: 'late', isLate: true });
    const simulation = createSimulation({ ...world, maxOpen: 8 });
    const made = new Set<string>();
    for (let number = 0; number < MOVES; number += 1) {
      made.add(await simulation.move());
      if (number % 3 === 0) await deliver();
    }
    await settle();
    expect(made).toContain('waited');
    expect(made).toContain('status_reported');
    expect(dead()).toEqual([]);
    expect(await waitingOrDead()).toEqual([]);
  });

  test('continues each sale when job-state is available again', async () => {
    const { world, dead, settle, setDown } = createWorld({ seed: 'away' });
    const simulation = createSimulation({ ...world, maxOpen: 3 });
    const play = async (moves: number) => {
      const made: string[] = [];
      for (let number = 0; number < moves; number += 1) made.push(await simulation.move());
      return made;
    };
    await play(60);
    setDown(true);
    expect(await play(40)).toContain('waited');
    setDown(false);
    expect(await play(200)).toContain('project_completed');
    await settle();
    expect(dead()).toEqual([]);
  });

  test('makes the same choices from the same seed', async () => {
    const moves = async (seed: string) => {
      const { world } = createWorld({ seed });
      const simulation = createSimulation({ ...world, maxOpen: 5 });
      const made: string[] = [];
      for (let number = 0; number < 60; number += 1) made.push(await simulation.move());
      return made;
    };
    expect(await moves('one')).toEqual(await moves('one'));
    expect(await moves('two')).not.toEqual(await moves('one'));
  });
});

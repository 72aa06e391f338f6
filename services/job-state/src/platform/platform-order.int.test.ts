import { fromBinary, toJsonString } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { fc } from '@partner/test-kit/fast-check';
import { Registry } from 'prom-client';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { TEST_NOW } from '../testing/test-jobs.js';
import { createPlatformMessageHandler } from './handle-platform-message.js';
import { PLATFORM_MESSAGE_TYPES } from './platform-messages.js';
import { exchangePlan, exchangeStream, platformPlan, platformStream } from './testing/platform-stream.js';

const NUM_RUNS = 40;

/** Two databases that receive the same messages: one in order, one in another order. */
let inOrder: TestDatabase;
let otherwise: TestDatabase;

beforeAll(async () => {
  inOrder = await createTestDatabase();
  otherwise = await createTestDatabase();
});

afterAll(async () => {
  await inOrder.drop();
  await otherwise.drop();
});

const handlerOf = ({ database }: TestDatabase) =>
  createPlatformMessageHandler({
    database,
    clock: () => TEST_NOW,
    logger: silentLogger,
    metrics: new Registry(),
  });

/**
 * The state that must not depend on the order of messages.
 *
 * It excludes the versions and instants of projections, and the name of the selling company in them, which is the one known at
 * the job's last change.
 */
async function stateOf({ database }: TestDatabase): Promise<unknown> {
  const shown = (column: string) => `${column}::jsonb - 'version' - 'updatedAt' #- '{company,name}'`;
  return {
    journal: await database.query('select id, company_id from sales_records order by id'),
    events: await database.query(
      `select company_id, name, resource_id from events where name like 'journal.%' order by company_id, resource_id`,
    ),
    companies: await database.query('select id, name, class, version from companies order by id'),
    links: await database.query('select * from accounting_links order by company_id, version'),
    memberships: await database.query(
      'select id, company_id, role, display_name, email, password_hash, active, version from memberships order by id',
    ),
    jobs: await database.query(
      `select id, selling_company_id, installer_company_id, status, assigned_at, scope, schedule_status, schedule_starts_at,
         schedule_ends_at, schedule_time_zone, readiness_ready, readiness_blocker_codes, documents, blocker_code,
         platform_state - 'documents' - 'completions' as platform_state,
         jsonb_path_query_array(platform_state, '$.documents[*].version') as documents_received,
         jsonb_path_query_array(platform_state, '$.completions[*].version') as completions_received,
         ${shown('projection')} as projection
       from jobs order by id`,
    ),
    history: await database.query(
      'select job_id, status, occurred_at, company_id from job_status_events order by job_id',
    ),
    contracted: await database.query('select * from contracted_installers order by 1, 2'),
    feeds: await database.query(
      `select distinct on (company_id, job_id) company_id, job_id, ${shown('resource')} as resource from feed_entries
       order by company_id, job_id, sequence desc`,
    ),
    waiting: await database.query('select prerequisite_id from inbox where prerequisite_id is not null'),
    dead: await database.query('select dead_reason from inbox where dead_reason is not null'),
  };
}

/** The invariants of feeds and install events, for any order of messages. */
async function violationsOf({ database }: TestDatabase): Promise<unknown> {
  return {
    emittedTwice: await database.query(
      `select resource_id, name, occurred_at, company_id from events
       where name in ('install.document_available', 'install.completion_received')
       group by resource_id, name, occurred_at, company_id, convert_from(body, 'UTF8')::jsonb -> 'data' having count(*) > 1`,
    ),
    feedsOfOthers: await database.query(
      `select entry.job_id from feed_entries as entry join jobs as job on job.id = entry.job_id
       where job.installer_company_id is distinct from entry.company_id`,
    ),
    feedNotAsTheJob: await database.query(
      `select job.id from jobs as job where job.projection is distinct from (
         select resource from feed_entries where company_id = job.installer_company_id and job_id = job.id
         order by sequence desc limit 1)`,
    ),
    waitsForNothing: await database.query(
      `select message_id from inbox where prerequisite_id in
         (select id from companies union all select id from jobs union all select id from projects)`,
    ),
  };
}

const NO_VIOLATIONS = { emittedTwice: [], feedsOfOthers: [], feedNotAsTheJob: [], waitsForNothing: [] };

/** The documents and completions announced to the company of a job with a single company, as of its assignment. */
async function announcedToOnlyCompany({ database }: TestDatabase): Promise<unknown> {
  return database.query(
    `select event.company_id, event.resource_id, event.name, event.occurred_at
     from events as event join jobs as job on job.id = event.resource_id
     where event.name in ('install.document_available', 'install.completion_received')
       and jsonb_array_length(coalesce(platform_state -> 'assignments', '[]')) = 1 and event.occurred_at > job.assigned_at
     order by event.resource_id, event.name, event.occurred_at, event.id`,
  );
}

/** How a message may arrive: unchanged, twice, or repeated under another id. */
function arrivals(message: IncomingMessage, times: 'once' | 'twice' | 'again'): readonly IncomingMessage[] {
  switch (times) {
    case 'once':
      return [message];
    case 'twice':
      return [message, { ...message, redelivered: true }];
    case 'again':
      return [message, { ...message, messageId: newId('evt') }];
  }
}

const messages = fc
  .record({ plan: platformPlan, exchange: exchangePlan })
  .map(({ plan, exchange }) => ({ losable: platformStream(plan), kept: exchangeStream(exchange) }));

/** Some of the messages in order, and the same ones with repetitions and in another order. */
const deliveryPlans = messages.chain(({ losable, kept }) => {
  const all = [...losable, ...kept];
  return fc
    .record({
      isLost: fc
        .array(fc.nat({ max: 9 }), { minLength: losable.length, maxLength: losable.length })
        .map((lost) => lost.map((chance) => chance === 0)),
      times: fc.array(fc.constantFrom('once' as const, 'once' as const, 'twice' as const, 'again' as const), {
        minLength: all.length,
        maxLength: all.length,
      }),
    })
    .chain(({ isLost, times }) => {
      const ordered = all.filter((_message, index) => isLost[index] !== true);
      const copies = all.flatMap((message, index) =>
        isLost[index] === true ? [] : arrivals(message, times[index] ?? 'once'),
      );
      return fc.shuffledSubarray(copies, { minLength: copies.length }).map((shuffled) => ({
        ordered,
        shuffled,
        [fc.toStringMethod]: () => [...ordered, '---', ...shuffled].map(described).join('\n'),
      }));
    });
});

function described(message: IncomingMessage | string): string {
  if (typeof message === 'string') return message;
  const schema = PLATFORM_MESSAGE_TYPES.get(message.type)?.schema;
  invariant(schema, 'the message type exists');
  return `${schema.name} ${toJsonString(schema, fromBinary(schema, message.body))}`;
}

async function compare(): Promise<void> {
  expect(await violationsOf(otherwise)).toEqual(NO_VIOLATIONS);
  expect(await violationsOf(inOrder)).toEqual(NO_VIOLATIONS);
  expect(withoutIds(await stateOf(otherwise))).toEqual(withoutIds(await stateOf(inOrder)));
  expect(await announcedToOnlyCompany(otherwise)).toEqual(await announcedToOnlyCompany(inOrder));
}

/** A waiting message may wait under any of the ids that it was sent with. */
function withoutIds(state: unknown): unknown {
  invariant(
    typeof state === 'object' && state !== null && 'waiting' in state,
    'the state has waiting messages',
  );
  const { waiting, ...rest } = state;
  invariant(Array.isArray(waiting), 'the state has waiting messages');
  return {
    ...rest,
    waiting: [...new Set(waiting.map((row: { prerequisite_id: string }) => row.prerequisite_id))].sort(),
  };
}

describe("the platform's messages", () => {
  test('have the same final state in any order and repetition, and with some of them lost [PLATFORM-2, PLATFORM-3, PLATFORM-6, PLATFORM-20]', async () => {
    const [ordered, shuffled] = [handlerOf(inOrder), handlerOf(otherwise)];
    await fc.assert(
      fc.asyncProperty(deliveryPlans, async (given) => {
        for (const message of given.ordered) expect(await ordered(message)).toEqual({ kind: 'done' });
        for (const message of given.shuffled) expect(await shuffled(message)).toEqual({ kind: 'done' });
        await compare();
      }),
      { numRuns: NUM_RUNS, endOnFailure: true },
    );
  });

  test('have the same final state if all of them arrive concurrently [PLATFORM-2, PLATFORM-3, PLATFORM-6, PLATFORM-20]', async () => {
    const [ordered, shuffled] = [handlerOf(inOrder), handlerOf(otherwise)];
    await fc.assert(
      fc.asyncProperty(deliveryPlans, async (given) => {
        for (const message of given.ordered) expect(await ordered(message)).toEqual({ kind: 'done' });
        const outcomes = await Promise.all(given.shuffled.map(shuffled));
        expect(outcomes.filter(({ kind }) => kind !== 'done')).toEqual([]);
        await compare();
      }),
      { numRuns: NUM_RUNS / 2, endOnFailure: true },
    );
  });
});

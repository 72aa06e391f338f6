import { fromBinary, toJsonString } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
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

const shown = (column: string) => `${column}::jsonb - 'version' - 'updatedAt' #- '{company,name}'`;

/**
 * The state that must not depend on the order of messages.
 *
 * It excludes the versions and instants of projections, and the name of the selling company in them, which is the one known at
 * the job's last change. A waiting message may wait under any of the ids that it was sent with.
 */
const STATE = {
  journal: 'select id, company_id from sales_records order by id',
  events: `select company_id, name, resource_id from events where name like 'journal.%' order by company_id, resource_id`,
  companies: 'select id, name, class, version from companies order by id',
  links: 'select * from accounting_links order by company_id, version',
  memberships:
    'select id, company_id, role, display_name, email, password_hash, active, version from memberships order by id',
  jobs: `select id, selling_company_id, installer_company_id, status, assigned_at, scope, schedule_status, schedule_starts_at,
      schedule_ends_at, schedule_time_zone, readiness_ready, readiness_blocker_codes, documents, blocker_code,
      platform_state - 'documents' - 'completions' as platform_state,
      jsonb_path_query_array(platform_state, '$.documents[*].version') as documents_received,
      jsonb_path_query_array(platform_state, '$.completions[*].version') as completions_received,
      ${shown('projection')} as projection
    from jobs order by id`,
  history: 'select job_id, status, occurred_at, company_id from job_status_events order by job_id',
  contracted: 'select * from contracted_installers order by 1, 2',
  feeds: `select distinct on (company_id, job_id) company_id, job_id, ${shown('resource')} as resource from feed_entries
    order by company_id, job_id, sequence desc`,
  waiting: 'select distinct prerequisite_id from inbox where prerequisite_id is not null order by 1',
  dead: 'select dead_reason from inbox where dead_reason is not null',
  /** The documents and completions announced to the company of a job with a single company, as of its assignment. */
  announced: `select event.company_id, event.resource_id, event.name, event.occurred_at
    from events as event join jobs as job on job.id = event.resource_id
    where event.name in ('install.document_available', 'install.completion_received')
      and jsonb_array_length(coalesce(platform_state -> 'assignments', '[]')) = 1 and event.occurred_at > job.assigned_at
    order by event.resource_id, event.name, event.occurred_at, event.id`,
};

/** What must be empty for any order of messages. */
const VIOLATIONS = {
  emittedTwice: `select resource_id, name, occurred_at, company_id from events
    where name in ('install.document_available', 'install.completion_received')
    group by resource_id, name, occurred_at, company_id, convert_from(body, 'UTF8')::jsonb -> 'data' having count(*) > 1`,
  feedsOfOthers: `select entry.job_id from feed_entries as entry join jobs as job on job.id = entry.job_id
    where job.installer_company_id is distinct from entry.company_id`,
  feedNotAsTheJob: `select job.id from jobs as job where job.projection is distinct from (
    select resource from feed_entries where company_id = job.installer_company_id and job_id = job.id
    order by sequence desc limit 1)`,
  waitsForNothing: `select message_id from inbox where prerequisite_id in
    (select id from companies union all select id from jobs union all select id from projects)`,
};

async function read({ database }: TestDatabase, queries: Readonly<Record<string, string>>): Promise<unknown> {
  const found = Object.entries(queries).map(async ([name, text]) => [name, await database.query(text)]);
  return Object.fromEntries(await Promise.all(found));
}

/** What messages write, what refers to others first. */
const WRITTEN = `inbox outbox events feed_entries feed_heads unassigned_jobs contracted_installers job_status_events jobs
  sales_records journal_entries journal_backfills accounting_links security_notices memberships projects companies`;

/** Removes what earlier messages have left: to compare it again would find nothing. */
const clear = ({ database }: TestDatabase) =>
  database.transaction((tx) => {
    for (const table of WRITTEN.split(/\s+/)) void tx.query(`delete from ${table}`);
  });

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

type Arrive = (
  handle: ReturnType<typeof handlerOf>,
  messages: readonly IncomingMessage[],
) => Promise<readonly { readonly kind: string }[]>;

const inTurn: Arrive = async (handle, messages) => {
  const outcomes: Awaited<ReturnType<typeof handle>>[] = [];
  for (const message of messages) outcomes.push(await handle(message));
  return outcomes;
};

test.each<[string, number, Arrive]>([
  ['one after the other', NUM_RUNS, inTurn],
  ['concurrently', NUM_RUNS / 2, (handle, messages) => Promise.all(messages.map(handle))],
])(
  "the platform's messages have the same final state in any order and repetition, with some lost, %s [PLATFORM-2, PLATFORM-3, PLATFORM-6, PLATFORM-20]",
  async (_how, numRuns, arrive) => {
    const [ordered, shuffled] = [handlerOf(inOrder), handlerOf(otherwise)];
    await fc.assert(
      fc.asyncProperty(deliveryPlans, async (given) => {
        await Promise.all([inOrder, otherwise].map(clear));
        const outcomes = await Promise.all([
          inTurn(ordered, given.ordered),
          arrive(shuffled, given.shuffled),
        ]);
        expect(outcomes.flat().filter(({ kind }) => kind !== 'done')).toEqual([]);
        const none = Object.fromEntries(Object.keys(VIOLATIONS).map((name) => [name, []]));
        for (const each of [inOrder, otherwise]) expect(await read(each, VIOLATIONS)).toEqual(none);
        expect(await read(otherwise, STATE)).toEqual(await read(inOrder, STATE));
      }),
      { numRuns, endOnFailure: true },
    );
  },
);

import { describe, expect, test } from '@jest/globals';
import { installerJob } from '@partner/proto-contracts/resources/job/job';
import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { newId } from '@partner/kernel/process/ids';
import { eventually } from '@partner/test-kit/eventually';
import type { Database } from '../database/database.js';
import { readFeed } from '../jobs/feed.js';
import { createLead } from '../testing/partner-calls.js';
import { holdingCommits, holdTransaction } from '../testing/hold-transaction.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import { LEAD, binding } from '../testing/test-jobs.js';
import { readEventFeed } from '../webhooks/events/event-feed.js';
import { stepErasure } from './start-erasures.js';
import { TABLES } from '../database/tables.js';
import {
  begin,
  book,
  client,
  deps,
  exported,
  find,
  finish,
  fixture,
  newCustomer,
  operator,
  placesOf,
  PLACES,
  proceed,
  readErasure,
} from './testing/personal-data-fixture.js';

describe('an erasure', () => {
  test('leaves ids and counts, and none of the texts of the customer in any table [PERSON-4]', async () => {
    const customer = await newCustomer();
    const other = await newCustomer();
    expect(await placesOf(customer.word)).toEqual(PLACES);
    const before = await exported({ id: customer.projectId });
    const erasureId = await begin({ email: customer.email });
    await finish();
    expect(await placesOf(customer.word)).toEqual([]);
    expect(await placesOf(other.word)).toEqual(PLACES);
    const after = await exported({ id: customer.projectId });
    const idsIn = (rows: typeof before) =>
      rows
        .filter(({ table }) => !['audit_entries', 'feed_entries'].includes(table))
        .map(({ table, row }) => [table, row['id'] ?? row['job_id']]);
    expect(idsIn(after)).toEqual(idsIn(before));
    const done = await readErasure(erasureId);
    expect(done).toMatchObject({ leadIds: [customer.leadId], jobIds: [customer.jobId], operator });
    expect(done?.finishedAt).not.toBeNull();
    const erasedRows = { leads: 1, lead_submissions: 1, jobs: 1, appointments: 1, events: 2 };
    expect(done).toMatchObject({ erasedRows });
    expect((await find({ email: customer.email })).matches).toEqual([]);
  });

  test('marks the job, its feed entries and the bodies of its events as redacted, and adds a version of the job to the feed [PERSON-5, JOB-3]', async () => {
    const customer = await newCustomer();
    const read = () =>
      readFeed(fixture.database, { companyId: fixture.installer, afterSequence: '0', limit: 100 });
    const ofJob = async () =>
      (await read()).entries
        .map(({ sequence, resource }) => ({ sequence, job: installerJob.parse(JSON.parse(resource)) }))
        .filter(({ job }) => job.id === customer.jobId);
    const before = await ofJob();
    expect(before.map(({ job }) => job.redacted)).toEqual([undefined, undefined]);
    await begin({ id: customer.jobId });
    await finish();
    const entries = await ofJob();
    const after = entries.slice(0, -1);
    expect(after.map(({ sequence }) => sequence)).toEqual(before.map(({ sequence }) => sequence));
    expect(entries.at(-1)?.job).toEqual({ ...after.at(-1)?.job, version: 3, updatedAt: expect.any(String) });
    const gone = '[erased]';
    const address = { line1: gone, city: gone, state: gone, zip: gone };
    const erased = { customer: { name: gone, phone: gone, address }, redacted: true };
    expect(after.map(({ job }) => job)).toEqual(before.map(({ job }) => ({ ...job, ...erased })));
    const events = await readEventFeed(fixture.database, {
      ...{ companyId: fixture.installer, after: '0', limit: 100 },
      ...{ event: undefined, resourceId: customer.jobId },
    });
    const bodies = events.events.map(({ body }) => webhookEnvelope.parse(JSON.parse(body)));
    expect(bodies.map(({ event, redacted, data }) => [event, redacted, data['note']])).toEqual([
      ['install.job_assigned', undefined, undefined],
      ['install.status_changed', true, null],
    ]);
    // A later change of the job is rendered from erased data.
    await fixture.record({ jobId: customer.jobId, expectedVersion: 3, status: 'EN_ROUTE' });
    expect((await ofJob()).at(-1)?.job).toMatchObject({ version: 4, ...erased });
  });

  test('repeats a write with the erased job, and a new lead at the address is not merged [PERSON-6]', async () => {
    const customer = await newCustomer();
    const key = binding(newId('evt'), `POST /partner/v1/jobs/${customer.jobId}/status-events`);
    const write = { jobId: customer.jobId, expectedVersion: 2, binding: key, status: 'EN_ROUTE' } as const;
    await fixture.record(write);
    await begin({ id: customer.jobId });
    await finish();
    const repeat = await fixture.record(write);
    expect(repeat.idempotency?.replayed).toBe(true);
    expect(JSON.parse(repeat.resource)).toMatchObject({ version: 3, redacted: true });
    const lead = { ...LEAD, companyId: fixture.seller, address: customer.address };
    expect((await createLead(deps, lead)).result.status).toBe('created');
  });

  test('is in the audit trail of each company that has the records, once for a repeat with its id [PERSON-7]', async () => {
    const customer = await newCustomer();
    const { records } = await find({ id: customer.projectId });
    const erasureId = newId('ers');
    const request = { erasureId, records };
    const first = await client.erasePerson(request);
    expect(await client.erasePerson(request)).toEqual(first);
    const entries = await fixture.database.query(
      `select company_id, display_name, details from audit_entries where details ->> 'erasureId' = $1 order by company_id = $2`,
      [erasureId, fixture.installer],
    );
    const { leadId, projectId, jobId } = customer;
    const entry = (company_id: string, leadIds: readonly string[], projectIds: readonly string[]) => ({
      ...{ company_id, display_name: 'operator: olga' },
      details: { erasureId, leadIds, projectIds, jobIds: [jobId] },
    });
    expect(entries).toEqual([entry(fixture.seller, [leadId], [projectId]), entry(fixture.installer, [], [])]);
    const unknown = { erasureId: newId('ers'), records: { ...records, leads: [newId('lead')] } };
    await expect(client.erasePerson(unknown)).rejects.toThrow('no such record');
    await finish();
  });
});

describe('an erasure in progress', () => {
  test('repeats a step that a crash has undone, and loses none [PERSON-8]', async () => {
    const customer = await newCustomer();
    const erasureId = await begin({ id: customer.jobId });
    const crashing: Pick<Database, 'transaction'> = {
      transaction: (work, limits) =>
        fixture.database.transaction(async (tx) => {
          const step = await work(tx);
          if (step !== undefined) throw new Error('crashed before the commit');
          return step;
        }, limits),
    };
    let crashes = 0;
    await eventually('the end of the erasure', async () => {
      const crashed = await stepErasure({ ...deps, database: crashing }).catch(() => true);
      if (crashed) crashes += 1;
      await stepErasure(deps);
      return (await readErasure(erasureId))?.finishedAt !== null;
    });
    expect(crashes).toBeGreaterThan(TABLES.filter(({ customer }) => customer !== undefined).length);
    expect((await readErasure(erasureId))?.erasedRows).toMatchObject({ jobs: 1, feed_entries: 2 });
    expect(await placesOf(customer.word)).toEqual([]);
  });

  test('includes what transactions write that were open when it began [PERSON-8]', async () => {
    const customer = await newCustomer();
    // Both have done their work from former data.
    const [writing, booking] = [holdingCommits(fixture.database), holdingCommits(fixture.database)];
    const note = `late ${customer.word}`;
    const late = { jobId: customer.jobId, expectedVersion: 2, status: 'EN_ROUTE', note };
    const moved = fixture.record(late, writing);
    const booked = book(customer, note, { ...deps, database: booking.database });
    await Promise.all([writing.worked, booking.worked]);
    const erasureId = await begin({ id: customer.projectId });
    const waiting = proceed();
    await untilLockWaits(fixture.database);
    writing.commit();
    booking.commit();
    await Promise.all([moved, booked, waiting]);
    await finish();
    expect((await readErasure(erasureId))?.finishedAt).not.toBeNull();
    expect(await placesOf(customer.word)).toEqual([]);
  });

  test('goes on only after the transactions that were open when it began have ended, and after attempts in flight [PERSON-8]', async () => {
    const customer = await newCustomer();
    const booking = await holdTransaction(fixture.database, (tx) =>
      tx.query(`update companies set name = name where id = $1`, [fixture.otherInstaller]),
    );
    const erasureId = await begin({ id: customer.projectId });
    await proceed();
    const places = await placesOf(customer.word);
    await booking.release();
    expect(places).toContain('events.body');
    await fixture.database.query(
      `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, lease_id, next_attempt_at)
       select $1, 'whk_1', company_id, id, name, resource_type, resource_id, 'lease', now() + interval '1 minute'
       from events where resource_id = $2 limit 1`,
      [newId('dlv'), customer.jobId],
    );
    await eventually('the wait for the attempt', async () => {
      await proceed();
      return !(await placesOf(customer.word)).includes('outbox.body');
    });
    expect(await placesOf(customer.word)).toEqual([
      'delivery_attempts.response_body',
      'delivery_attempts.response_headers',
    ]);
    await fixture.database.query('update deliveries set lease_id = null');
    await finish();
    expect((await readErasure(erasureId))?.finishedAt).not.toBeNull();
    expect(await placesOf(customer.word)).toEqual([]);
  });

  test('that fails does not delay the others, and is retried [PERSON-8]', async () => {
    const [first, second] = [await newCustomer(), await newCustomer()];
    const [failing, other] = [await begin({ id: first.jobId }), await begin({ id: second.jobId })];
    const spoil = `update erasures set progress = '{"kind":"unknown"}' where id = $1`;
    await fixture.database.query(spoil, [failing]);
    const failed = new Set<string>();
    await eventually('the end of the other erasure', async () => {
      await stepErasure(deps, failed).catch(() => undefined);
      return (await readErasure(other))?.finishedAt !== null;
    });
    await fixture.database.query('update erasures set progress = null where id = $1', [failing]);
    await eventually('the retry', async () => {
      await stepErasure(deps, failed);
      return (await readErasure(failing))?.finishedAt !== null;
    });
    expect(await placesOf(first.word)).toEqual([]);
  });

  test('beside another one of the same job adds one version of the job [PERSON-5]', async () => {
    const customer = await newCustomer();
    const held = holdingCommits(fixture.database);
    await begin({ id: customer.jobId });
    await begin({ id: customer.jobId });
    const ofJobs = { kind: 'sources', position: { table: 4 } };
    await fixture.database.query(
      "update erasures set progress = $1::jsonb || jsonb_build_object('records', subject) where finished_at is null",
      [JSON.stringify(ofJobs)],
    );
    const steps = [stepErasure({ ...deps, ...held }), held.worked.then(() => stepErasure(deps))];
    await held.worked;
    await untilLockWaits(fixture.database);
    held.commit();
    await Promise.all(steps);
    await finish();
    const versions = 'select version from jobs where id = $1';
    expect(await fixture.database.query(versions, [customer.jobId])).toEqual([{ version: 3 }]);
  });
});

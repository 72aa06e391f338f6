import { describe, expect, test } from '@jest/globals';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  MembershipChangedSchema,
  MembershipRole,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { newId } from '@partner/kernel/process/ids';
import { eventually } from '@partner/test-kit/eventually';
import { lockCompany } from '../access/lock-company.js';
import { insertCompany, platformMessage, TEST_NOW } from '../testing/test-jobs.js';
import { followSubscriptionState } from '../webhooks/subscriptions/follow-subscription-state.js';
import { stepErasure } from './start-erasures.js';
import { client, deps, fixture, newCustomer, placesOf, PLACES } from './testing/personal-data-fixture.js';

const LATER = new Date(TEST_NOW.getTime() + 150_000);

/** A message of the platform that waits, with a person's name and address. */
function waitingMembership(companyId: string, word: string): readonly unknown[] {
  const { messageId, type, body } = platformMessage(MembershipChangedSchema, {
    ...{ membershipId: newId('mem'), version: 1, companyId, role: MembershipRole.OWNER, active: true },
    ...{ displayName: word, email: `${word}@waiting.example`, occurredAt: timestampFromDate(TEST_NOW) },
  });
  return [messageId, type, Buffer.from(body)];
}

/** An owner, a key and an active webhook of a company, and two deliveries to it that wait. */
async function giveAccess(companyId: string, word: string): Promise<void> {
  const [mem, key, hook] = [newId('mem'), newId('key'), newId('whk')];
  await fixture.database.query(
    `with owner as (
       insert into memberships (id, company_id, role, display_name, email, password_hash)
       values ($1, $4, 'OWNER', $5, $6, 'hash') returning id
     ), key as (
       insert into api_keys (id, company_id, kind, secret_sha256, last_four, description)
       values ($2, $4, 'general', '\\x5ec2e7', 'q7Zr', $5)
     ), hook as (
       insert into subscriptions (id, company_id, url, description, events, state, schema_version, verified_url_version)
       values ($3, $4, 'https://' || $5::text || '.example/', $5, '{install.*}', 'active', 1, 1)
     ), contact as (
       insert into technical_contacts (company_id, email, confirmed_at) values ($4, $6, now())
     ), audit as (
       insert into audit_entries (id, company_id, action, subject_type, subject_id, membership_id, display_name, user_agent, details)
       select $7, $4, 'owner.created', 'owner', id, id, $5, $5, jsonb_build_object('displayName', $5::text, 'role', 'owner')
       from owner
     ), membership as (
       insert into inbox (message_id, received_at, prerequisite_id, resource_id, resource_version, type, body)
       values ($9, now(), 'mem_1', $1, 1, $10, $11)
     )
     insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id)
     select $8, $3, $4, 'evt_1', 'install.test', 'job', 'job_1'`,
    [
      ...[mem, key, hook, companyId, word, `${word}@company.example`, newId('aud'), newId('dlv')],
      ...waitingMembership(companyId, word),
    ],
  );
  await fixture.database.query(
    `insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id) values ($1, 1, '\\x5ea1ed', 'test')`,
    [hook],
  );
}

async function exportedOf(companyId: string): Promise<string> {
  const rows: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.readCompanyData({ companyId, ...(cursor !== undefined && { cursor }) });
    rows.push(...page.rows);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return JSON.stringify(rows);
}

async function erase(companyId: string): Promise<string> {
  const erasureId = newId('ers');
  await client.eraseCompany({ erasureId, companyId });
  return erasureId;
}

/** Takes all steps, at a time when no request with a former key can run. */
async function finish(): Promise<void> {
  await eventually('the end of the erasures', async () => {
    await followSubscriptionState(deps);
    while (await stepErasure({ ...deps, clock: () => LATER }));
    return (await fixture.database.query('select from erasures where finished_at is null')).length === 0;
  });
}

const closeJobs = () => fixture.database.query(`update jobs set status = 'COMPLETE', blocker_code = null`);

test('a company with open jobs, or that receives a journal, is not erased [PERSON-9]', async () => {
  const { seller, installer, database } = fixture;
  await newCustomer();
  for (const companyId of [seller, installer]) {
    await expect(erase(companyId)).rejects.toThrow('has 1 open job;');
    const page = await client.readCompanyData({ companyId });
    expect(page.obstacles).toEqual([expect.stringContaining('has 1 open job;')]);
  }
  const accounting = await insertCompany(database, 'ACCOUNTING');
  const link = 'insert into accounting_links (company_id, accounting_company_ids) values ($1, $2)';
  await database.query(link, [seller, [accounting]]);
  await expect(erase(accounting)).rejects.toThrow(`receives the journal of ${seller}`);
  await expect(erase(newId('cmp'))).rejects.toThrow('no such company');
});

describe('the erasure of a company', () => {
  test('ends its access at once and for good, and cancels its deliveries [PERSON-9]', async () => {
    const { database } = fixture;
    const companyId = await insertCompany(database, 'SALES');
    await giveAccess(companyId, 'stephanie');
    const erasureId = await erase(companyId);
    const [left] = await database.query(
      `select (select count(*)::int from memberships where company_id = $1 and (active or password_hash is not null)) as people,
         (select count(*)::int from api_keys where company_id = $1 and revoked_at is null) as keys,
         (select count(*)::int from subscriptions where company_id = $1 and deleted_at is null) as hooks,
         (select count(*)::int from subscription_secrets s join subscriptions on id = subscription_id and company_id = $1) as secrets,
         (select count(*)::int from technical_contacts where company_id = $1) as contacts,
         (select count(*)::int from outbox where type = 'partner.access.v1.KeyRevoked') as broadcasts`,
      [companyId],
    );
    expect(left).toEqual({ people: 0, keys: 0, hooks: 0, secrets: 0, contacts: 0, broadcasts: 1 });
    await expect(database.transaction((tx) => lockCompany(tx, companyId))).rejects.toThrow('no such company');
    // Requests with a key that a gateway has cached can still run.
    expect(await stepErasure(deps)).toBe(false);
    await finish();
    const deliveries = 'select state from finished_deliveries where company_id = $1';
    expect(await database.query(deliveries, [companyId])).toEqual([{ state: 'cancelled' }]);
    expect(await placesOf('stephanie')).toEqual([]);
    const { erasures } = await client.listErasures({ erasureId });
    expect(erasures).toMatchObject([{ companyId, leadIds: [], finishedAt: LATER.toISOString() }]);
    expect(await exportedOf(companyId)).toContain('"action":"company.erased"');
  });

  test('exports and erases what only it can read: what an installer has of a job stays [PERSON-10]', async () => {
    const { word } = await newCustomer();
    await closeJobs();
    const ofSeller = await exportedOf(fixture.seller);
    for (const text of [`Ada ${word}`, `Ring ${word}`, `call ${word}`]) expect(ofSeller).toContain(text);
    expect(ofSeller).not.toMatch(/secret_sha256|password_hash|feed_entries/);
    await erase(fixture.seller);
    await finish();
    const ofInstaller =
      `delivery_attempts.response_body delivery_attempts.response_headers events.body feed_entries.resource
      idempotency_keys.outcome job_status_events.note jobs.customer jobs.projection outbox.body`.split(/\s+/);
    expect(PLACES).toEqual(expect.arrayContaining(ofInstaller));
    // The outbox has the installer's status for the platform.
    expect(await placesOf(word)).toEqual(ofInstaller);
    expect(await exportedOf(fixture.installer)).toContain(word);

    await erase(fixture.installer);
    await finish();
    expect(await placesOf(word)).toEqual([]);
  });

  test('of an installer leaves the note of a seller that waits for the platform [PERSON-10]', async () => {
    const { word } = await newCustomer();
    await closeJobs();
    const notes = () =>
      fixture.database.query(
        `select from outbox where type = 'partner.jobs.v1.JobNoteAdded' and position(convert_to($1, 'UTF8') in body) > 0`,
        [`call ${word}`],
      );
    await erase(fixture.installer);
    await finish();
    expect(await notes()).toHaveLength(1);
  });
});

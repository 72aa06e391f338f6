import { createHash } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  LeadCreatedSchema,
  LeadMergedSchema,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { leadCreated } from '@partner/proto-contracts/resources/lead/lead';
import { createLeadOperation } from '@partner/proto-contracts/resources/lead/operations';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import type { Database } from '../database/database.js';
import { generalKey } from '../testing/callers.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { LEAD, binding, insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { createLead, type LeadSubmission } from './create-lead.js';
import { leadOperations } from './create-lead.js';
import { normaliseAddress } from './address-key/normalise-address.js';

let testDatabase: TestDatabase;
let database: Database;
let companyId: string;
let houses = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ poolSize: 24 });
  ({ database } = testDatabase);
  companyId = await insertCompany(database, 'SALES');
});

afterAll(() => testDatabase.drop());

function newAddress(): string {
  houses += 1;
  return `${houses} Main Street, Boulder, CO 80302`;
}

function submit(submission: Partial<LeadSubmission> & Pick<LeadSubmission, 'address'>) {
  return createLead(
    { database, clock: () => TEST_NOW, logger: silentLogger },
    {
      ...LEAD,
      companyId,
      ...submission,
    },
  );
}

async function leadsAt(address: string): Promise<readonly { id: string; full_name: string }[]> {
  return database.query(
    `select lead.id, lead.full_name from leads as lead join projects as project on project.lead_id = lead.id
     where project.address_key = $1 and project.company_id = $2`,
    [normaliseAddress(address), companyId],
  );
}

describe('a lead', () => {
  test('at a new address is created with a project, and published to the platform [LEAD-5]', async () => {
    const address = newAddress();
    const { result, idempotency } = await submit({ address, smsConsent: true });
    expect(result).toMatchObject({ kind: 'created' });
    expect(idempotency).toBeUndefined();
    expect(await leadsAt(address)).toEqual([{ id: result.leadId, full_name: 'Jordan Ellis' }]);
    const messages = await database.query<{ body: Buffer }>(
      `select body from outbox where type = $1 and exchange = 'partner.events'`,
      [LeadCreatedSchema.typeName],
    );
    expect(messages.map(({ body }) => fromBinary(LeadCreatedSchema, body)).at(-1)).toMatchObject({
      leadId: result.leadId,
      projectId: result.projectId,
      companyId,
      address,
      smsConsent: true,
    });
  });

  test('at a known address merges: the first lead keeps its fields and the later submission is recorded [LEAD-5]', async () => {
    const address = newAddress();
    const first = await submit({ address });
    const second = await submit({
      address: address.replace('Street', 'St.').toUpperCase(),
      fullName: 'J. Ellis',
    });
    expect(second.result).toEqual({
      kind: 'merged',
      leadId: first.result.leadId,
      projectId: first.result.projectId,
      reason: `address matches lead ${first.result.leadId}`,
    });
    expect(await leadsAt(address)).toEqual([{ id: first.result.leadId, full_name: 'Jordan Ellis' }]);
    const submissions = await database.query('select full_name from lead_submissions where lead_id = $1', [
      first.result.leadId,
    ]);
    expect(submissions).toEqual([{ full_name: 'J. Ellis' }]);
    const messages = await database.query<{ body: Buffer }>('select body from outbox where type = $1', [
      LeadMergedSchema.typeName,
    ]);
    expect(messages.map(({ body }) => fromBinary(LeadMergedSchema, body)).at(-1)).toMatchObject({
      leadId: first.result.leadId,
      reason: `address matches lead ${first.result.leadId}`,
      fullName: 'J. Ellis',
    });
  });

  test('is returned with its project, created, merged or repeated, also as 0.1.0 recorded it [LEAD-8]', async () => {
    const implementations = leadOperations({ database, clock: () => TEST_NOW, logger: silentLogger });
    const operations = inProcessOperations({ implementations, callers: ['key'] });
    const person = { fullName: 'Jordan Ellis', email: 'jordan@customers.example', phone: '+1 555 0100' };
    const lead = { caller: generalKey(companyId), body: { ...person, address: newAddress() } };
    const first = await operations.call(createLeadOperation, lead);
    const ids = { leadId: expect.any(String), projectId: expect.any(String) };
    expect(first.status).toBe(201);
    expect(JSON.parse(first.json)).toEqual({ status: 'created', ...ids });
    const second = await operations.call(createLeadOperation, lead);
    expect(second.status).toBe(200);
    const { leadId } = leadCreated.parse(JSON.parse(first.json));
    expect(second.json).toBe(
      first.json.replace('created', 'merged').replace('}', `,"reason":"address matches lead ${leadId}"}`),
    );

    const bodySha256 = createHash('sha256').update('{}').digest();
    await database.query(
      `insert into idempotency_keys (company_id, key, operation, body_sha256, outcome, created_at, expires_at)
       values ($1, 'of-0.1.0', 'POST /inbound/leads', $2,
         '{"kind":"done","result":{"kind":"created","leadId":"lead_1","projectId":"prj_1"}}', $3, $3::timestamptz + '1 day')`,
      [companyId, bodySha256, TEST_NOW],
    );
    const idempotencyKey = {
      key: 'of-0.1.0',
      request: 'POST /inbound/leads',
      bodySha256: bodySha256.toString('hex'),
    };
    expect(await operations.call(createLeadOperation, { ...lead, idempotencyKey })).toMatchObject({
      status: 201,
      json: '{"status":"created","leadId":"lead_1","projectId":"prj_1"}',
      idempotency: { replayed: true },
    });
  });

  test('of another company at the same address is separate', async () => {
    const address = newAddress();
    const other = await insertCompany(database, 'SALES');
    const first = await submit({ address });
    const second = await submit({ address, companyId: other });
    expect(second.result).toMatchObject({ kind: 'created' });
    expect(second.result.leadId).not.toBe(first.result.leadId);
  });

  test('at the address of a project without a lead becomes that project’s lead, once [LEAD-5]', async () => {
    const address = newAddress();
    const projectId = newId('prj');
    await database.query('insert into projects (id, company_id, address_key) values ($1, $2, $3)', [
      projectId,
      companyId,
      normaliseAddress(address),
    ]);
    const responses = await Promise.all(Array.from({ length: 8 }, () => submit({ address })));
    const made = responses.filter(
      ({ result }) => result.kind === 'merged' && result.reason === `address matches project ${projectId}`,
    );
    expect(made).toHaveLength(1);
    const leadId = made[0]?.result.leadId ?? '';
    expect(await leadsAt(address)).toMatchObject([{ id: leadId }]);
    const reasons = responses.map(({ result }) => (result.kind === 'merged' ? result.reason : 'created'));
    expect(reasons.filter((reason) => reason === `address matches lead ${leadId}`)).toHaveLength(7);
    expect(new Set(responses.map(({ result }) => result.projectId))).toEqual(new Set([projectId]));
  });

  test('posted many times concurrently for one address is created once, without a deadlock [LEAD-5]', async () => {
    for (let round = 0; round < 4; round += 1) {
      const address = newAddress();
      const responses = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          submit({ address, binding: index % 2 === 0 ? binding(newId('evt')) : undefined }),
        ),
      );
      const created = responses.filter(({ result }) => result.kind === 'created');
      expect(created).toHaveLength(1);
      expect(new Set(responses.map(({ result }) => result.leadId)).size).toBe(1);
      expect(await leadsAt(address)).toHaveLength(1);
    }
  });
});

import { type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  LeadCreatedSchema,
  LeadMergedSchema,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { newId } from '@partner/kernel/process/ids';
import { database } from '../testing/file-database.js';
import { createLead } from '../testing/partner-calls.js';
import { LEAD, binding, insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { normaliseAddress } from './address-key/normalise-address.js';

let companyId: string;
let houses = 0;

beforeAll(async () => {
  companyId = await insertCompany(database, 'SALES');
});

function newAddress(): string {
  houses += 1;
  return `${houses} Main Street, Boulder, CO 80302`;
}

function submit(submission: { readonly address: string; readonly [field: string]: unknown }) {
  return createLead({ database }, { ...LEAD, companyId, ...submission });
}

/** The last message of a type to the platform. */
async function lastMessage<Desc extends DescMessage>(schema: Desc) {
  const messages = await database.query<{ body: Buffer }>(
    `select body from outbox where type = $1 and exchange = 'partner.events' order by id`,
    [schema.typeName],
  );
  return fromBinary(schema, messages.at(-1)?.body ?? Buffer.alloc(0));
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
    const { result, ...outcome } = await submit({ address, smsConsent: true });
    expect(result).toMatchObject({ status: 'created' });
    expect(outcome).toEqual({ status: 201 });
    expect(await leadsAt(address)).toEqual([{ id: result.leadId, full_name: 'Jordan Ellis' }]);
    const { leadId, projectId } = result;
    const created = { leadId, projectId, companyId, address, smsConsent: true };
    expect(await lastMessage(LeadCreatedSchema)).toMatchObject(created);
  });

  test('at a known address merges: the first lead keeps its fields and the later submission is recorded [LEAD-5]', async () => {
    const address = newAddress();
    const first = await submit({ address });
    const written = address.replace('Street', 'St.').toUpperCase();
    const second = await submit({ address: written, fullName: 'J. Ellis' });
    const reason = `address matches lead ${first.result.leadId}`;
    expect(second).toEqual({ status: 200, result: { ...first.result, status: 'merged', reason } });
    expect(await leadsAt(address)).toEqual([{ id: first.result.leadId, full_name: 'Jordan Ellis' }]);
    const { leadId } = first.result;
    const submissions = 'select full_name from lead_submissions where lead_id = $1';
    expect(await database.query(submissions, [leadId])).toEqual([{ full_name: 'J. Ellis' }]);
    const merged = { leadId, reason, fullName: 'J. Ellis' };
    expect(await lastMessage(LeadMergedSchema)).toMatchObject(merged);
  });

  test('repeated with a key is what 0.1.0 recorded under it [LEAD-8]', async () => {
    const key = binding('of-0.1.0', 'POST /inbound/leads');
    await database.query(
      `insert into idempotency_keys (company_id, key, operation, body_sha256, outcome, created_at, expires_at)
       values ($1, $2, $3, $4, '{"kind":"done","result":{"kind":"created","leadId":"lead_1","projectId":"prj_1"}}',
         $5, $5::timestamptz + '1 day')`,
      [companyId, key.key, key.operation, key.bodySha256, TEST_NOW],
    );
    expect(await submit({ address: newAddress(), binding: key })).toMatchObject({
      status: 201,
      result: { status: 'created', leadId: 'lead_1', projectId: 'prj_1' },
      idempotency: { replayed: true },
    });
  });

  test('of another company at the same address is separate', async () => {
    const address = newAddress();
    const first = await submit({ address });
    const second = await submit({ address, companyId: await insertCompany(database, 'SALES') });
    expect(second.result).toMatchObject({ status: 'created' });
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
      ({ result }) => result.status === 'merged' && result.reason === `address matches project ${projectId}`,
    );
    expect(made).toHaveLength(1);
    const leadId = made[0]?.result.leadId ?? '';
    expect(await leadsAt(address)).toMatchObject([{ id: leadId }]);
    const reasons = responses.map(({ result }) => (result.status === 'merged' ? result.reason : 'created'));
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
      const created = responses.filter(({ result }) => result.status === 'created');
      expect(created).toHaveLength(1);
      expect(new Set(responses.map(({ result }) => result.leadId)).size).toBe(1);
      expect(await leadsAt(address)).toHaveLength(1);
    }
  });
});

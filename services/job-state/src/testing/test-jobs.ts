import { createHash } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { createApiKey, type NewApiKey } from '@partner/kernel/security/api-key';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import type { Database, Queryable, Transaction } from '../database/database.js';
import type { IdempotencyBinding } from '../idempotency/run-idempotent.js';
import type { PlatformEffect } from '../platform/message-type/platform-message-type.js';
import { readPlatformMessage } from '../platform/platform-messages.js';

/** Default time of creation and assignment of test jobs. */
export const TEST_NOW = new Date('2026-10-01T12:00:00.000Z');

export async function insertCompany(
  database: Queryable,
  companyClass: CompanyClassName,
  name = `${companyClass.toLowerCase()} company`,
): Promise<string> {
  const id = newId('cmp');
  const insert = 'insert into companies (id, name, class) values ($1, $2, $3)';
  await database.query(insert, [id, name, companyClass]);
  return id;
}

/** The email address of a person whom {@link insertMember} creates without another one. */
export const emailOf = (membershipId: string) => `${membershipId}@people.example`;

/** Creates a person of a company, by default an owner who can sign in, and returns the membership's id. */
export async function insertMember(
  database: Queryable,
  member: {
    readonly companyId: string;
    readonly role?: 'OWNER' | 'VIEWER' | 'TECHNICIAN';
    readonly displayName?: string;
    readonly email?: string;
    readonly passwordHash?: string | null;
    readonly active?: boolean;
  },
): Promise<string> {
  const id = newId('mem');
  const { companyId, role = 'OWNER', displayName = 'Dana', email = emailOf(id), active = true } = member;
  const { passwordHash = '$argon2id$hash' } = member;
  await database.query(
    `insert into memberships (id, company_id, role, display_name, email, password_hash, active)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, companyId, role, displayName, email, passwordHash, active],
  );
  return id;
}

/** Returns what the audit trail says about a person, oldest first: the action, who did it from where, and the details. */
export function auditedOf(database: Queryable, membershipId: string) {
  return database.query<{ action: string; by: string | null; at: string | null; details: object }>(
    `select action, membership_id as by, remote_address as at, details from audit_entries where subject_id = $1 order by id`,
    [membershipId],
  );
}

export async function insertApiKey(
  database: Queryable,
  key: {
    readonly companyId: string;
    readonly kind?: KeyKindName;
    readonly boundCompanyId?: string;
    readonly createdAt?: Date;
    readonly expiresAt?: Date;
    readonly networks?: readonly string[];
    readonly revokedAt?: Date;
  },
): Promise<NewApiKey> {
  const made = createApiKey('sandbox');
  const { companyId, kind = 'installer-company', boundCompanyId, createdAt = new Date() } = key;
  await database.query(
    `insert into api_keys (id, company_id, kind, bound_company_id, secret_sha256, last_four, created_at, expires_at, revoked_at, networks)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[made.keyId, companyId, kind, boundCompanyId, made.secretSha256, made.lastFour],
      ...[createdAt, key.expiresAt, key.revokedAt, key.networks],
    ],
  );
  return made;
}

export function jobCreatedMessage(given: {
  readonly jobId: string;
  readonly sellingCompanyId: string;
  readonly projectId?: string;
  readonly line1?: string;
  readonly messageId?: string;
}): IncomingMessage {
  const message = {
    ...{ jobId: given.jobId, version: 1, workOrderNo: 'WO-1', sellingCompanyId: given.sellingCompanyId },
    ...(given.projectId === undefined ? {} : { projectId: given.projectId }),
    customer: {
      ...{ name: 'Jordan Ellis', phone: '+1 555 0100', line1: given.line1 ?? '12 Maple Street' },
      ...{ city: 'Boulder', state: 'CO', zip: '80302' },
    },
    scope: {
      ...{ packageName: 'Heat Pump Essential', systemType: 'HVAC', scopeVersion: 1 },
      equipment: [{ name: 'Air-source heat pump', model: 'HP-36K', quantity: 1 }],
      accessories: [{ name: 'Mounting kit', quantity: 2 }],
      supplierSources: [{ name: 'Central Supply' }],
    },
    occurredAt: timestampFromDate(TEST_NOW),
  };
  return platformMessage(JobCreatedSchema, message, given.messageId);
}

export function jobAssignedMessage(given: {
  readonly jobId: string;
  readonly installerCompanyId: string;
  /** Default: 2, the version of a job's first assignment. */
  readonly version?: number;
  readonly occurredAt?: Date;
  readonly messageId?: string;
}): IncomingMessage {
  const message = {
    jobId: given.jobId,
    version: given.version ?? 2,
    installerCompanyId: given.installerCompanyId,
    occurredAt: timestampFromDate(given.occurredAt ?? TEST_NOW),
  };
  return platformMessage(JobAssignedSchema, message, given.messageId);
}

export function platformMessage<Desc extends DescMessage>(
  schema: Desc,
  content: MessageInitShape<Desc>,
  messageId?: string,
): IncomingMessage {
  return incoming(schema.typeName, toBinary(schema, create(schema, content)), messageId);
}

/** Applies a message of the platform in a transaction, without the inbox, and returns its effect. */
export async function recordForTest(
  tx: Transaction,
  { type, body }: Pick<IncomingMessage, 'type' | 'body'>,
  now: Date,
): Promise<PlatformEffect> {
  const read = readPlatformMessage(type, body, now);
  invariant(read.kind === 'whole', 'the messages of the tests are valid');
  return read.message.record(tx, now);
}

export function incoming(type: string, body: Uint8Array, messageId = newId('evt')): IncomingMessage {
  return { messageId, type, body, headers: {}, redelivered: false };
}

/** Creates a job of the seller that is assigned to the installer, and returns its id. */
export async function insertAssignedJob(
  database: Pick<Database, 'transaction'>,
  sellingCompanyId: string,
  installerCompanyId: string,
): Promise<string> {
  const jobId = newId('job');
  await database.transaction(async (tx) => {
    await recordForTest(tx, jobCreatedMessage({ jobId, sellingCompanyId }), TEST_NOW);
    await recordForTest(tx, jobAssignedMessage({ jobId, installerCompanyId }), TEST_NOW);
  });
  return jobId;
}

/** What a submission of a lead has beside its company and address. */
export const LEAD = { fullName: 'Jordan Ellis', email: 'jordan@customers.example', phone: '+1 555 0100' };

/** What the first write of a company to a job has beside its subject: an acknowledgement. */
export const ACKNOWLEDGEMENT = { status: 'ACKNOWLEDGED', occurredAt: TEST_NOW, expectedVersion: 1 } as const;

export function binding(key: string, operation = 'POST /things', body = '{}'): IdempotencyBinding {
  return { key, operation, bodySha256: createHash('sha256').update(body).digest() };
}

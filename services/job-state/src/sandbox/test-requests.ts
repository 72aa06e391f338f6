import { timingSafeEqual } from 'node:crypto';
import { type Implementation, implement, implementInternal } from '@partner/kernel/amqp/implement';
import { newId } from '@partner/kernel/process/ids';
import { notFound } from '@partner/kernel/process/service-error';
import { openSecret, type SealingKeys } from '@partner/kernel/security/secret-sealing';
import { serviceSignature } from '@partner/kernel/security/webhook-signature';
import { recordTestRequestOperation } from '@partner/proto-contracts/internal/webhooks/record-test-request';
import {
  getTestReceiverOperation,
  getTestRequestOperation,
} from '@partner/proto-contracts/resources/test-request/operations';
import {
  TEST_RECEIVER_LIMITS,
  type TestRequest,
} from '@partner/proto-contracts/resources/test-request/test-request';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Database } from '../database/database.js';
import { pathId } from '../rpc/path-id.js';

interface Deps {
  readonly database: Pick<Database, 'query'>;
  readonly sealingKeys: SealingKeys;
  readonly clock: () => Date;
}

type Headers = Readonly<Record<string, string>>;

interface Row extends Pick<TestRequest, 'id' | 'event' | 'webhookId' | 'signature' | 'bodyBytes'> {
  readonly receivedAt: Date;
}

const COLUMNS = `id, received_at as "receivedAt", event, webhook_id as "webhookId", signature, length(body) as "bodyBytes"`;
const IS_KEPT = `company_id = $1 and received_at > $2::timestamptz - interval '${TEST_RECEIVER_LIMITS.hours} hours'`;

/** The test receiver of each company. Must not be served in production. */
export function testReceiverOperations(deps: Deps): readonly Implementation[] {
  const { database, clock } = deps;
  return [
    implementInternal(recordTestRequestOperation, async ({ companyId, headers, bodyBase64 }) => {
      await recordTestRequest(deps, { companyId, headers, body: Buffer.from(bodyBase64, 'base64') });
      return {};
    }),
    implement(getTestReceiverOperation, async ({ companyId, timeoutMs }) => {
      const rows = await database.query<Row>(
        `select ${COLUMNS} from test_requests where ${IS_KEPT} order by id desc limit ${TEST_RECEIVER_LIMITS.requests}`,
        [companyId, clock()],
        { companyId, timeoutMs: timeoutMs() },
      );
      return { json: JSON.stringify({ requests: rows.map(shown) }) };
    }),
    implement(getTestRequestOperation, async ({ companyId, params, timeoutMs }) => {
      const [row] = await database.query<Row & { headers: Headers | null; body: Buffer }>(
        `select ${COLUMNS}, headers, body from test_requests where ${IS_KEPT} and id = $3`,
        [companyId, clock(), pathId('trq', params.id, 'request')],
        { companyId, timeoutMs: timeoutMs() },
      );
      if (row === undefined) throw notFound('request');
      return {
        json: JSON.stringify({ ...shown(row), headers: row.headers ?? {}, body: row.body.toString() }),
      };
    }),
  ];
}

function shown(row: Row) {
  return { ...row, receivedAt: formatDateTime(row.receivedAt) };
}

/** Stores a request with the verdict on its signature, and forgets all but the newest of the company. */
async function recordTestRequest(
  deps: Deps,
  { companyId, headers, body }: { companyId: string; headers: Headers; body: Buffer },
): Promise<void> {
  const { webhookId, signature } = await verdictOn(deps, { companyId, headers, body });
  await deps.database.query(
    `with former as (
       delete from test_requests where company_id = $2 and id in (
         select id from test_requests where company_id = $2 order by id desc offset ${TEST_RECEIVER_LIMITS.requests - 1}
       )
     )
     insert into test_requests (id, company_id, received_at, event, webhook_id, signature, headers, body)
     values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8)`,
    [
      newId('trq'),
      companyId,
      deps.clock(),
      headers['x-svc-event'] ?? null,
      webhookId,
      signature,
      JSON.stringify(headers),
      body,
    ],
  );
}

/** Checks the signature as a receiver does, with the secret of the webhook and version that the headers name. */
async function verdictOn(
  { database, sealingKeys }: Deps,
  { companyId, headers, body }: { companyId: string; headers: Headers; body: Buffer },
): Promise<{ webhookId: string | null; signature: TestRequest['signature'] }> {
  const version = Number(headers['x-svc-secret-version']);
  const [webhook] = await database.query<{ id: string; sealed: Buffer | null }>(
    `select s.id, c.sealed from subscriptions s
     left join subscription_secrets c on c.subscription_id = s.id and c.version > 0 and c.version = $3::integer
     where s.id = $1 and s.company_id = $2`,
    [headers['x-svc-subscription-id'] ?? '', companyId, /^[1-9]\d{0,8}$/.test(String(version)) ? version : 0],
    { companyId },
  );
  const given = Buffer.from(headers['x-svc-signature'] ?? '');
  const webhookId = webhook?.id ?? null;
  if (given.length === 0) return { webhookId, signature: 'missing' };
  if (webhook === undefined || webhook.sealed === null) return { webhookId, signature: 'invalid' };
  const secret = openSecret(sealingKeys, { ownerId: webhook.id, version }, webhook.sealed);
  const right = Buffer.from(
    serviceSignature({ secret, timestamp: Number(headers['x-svc-timestamp']), body }),
  );
  const isValid = given.length === right.length && timingSafeEqual(given, right);
  return { webhookId, signature: isValid ? 'valid' : 'invalid' };
}

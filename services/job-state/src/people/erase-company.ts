import type { Erasure } from '@partner/proto-contracts/resources/person/person';
import { KeyRevokedSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { ACCESS_BROADCAST } from '@partner/proto-contracts/topology';
import { counted } from '@partner/proto-contracts/api/counted';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Transaction, TransactionLimits } from '../database/database.js';
import { linkedNow } from '../journal/accounting-links.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { insertErasure } from './erasures.js';
import { subscriptionStateChanged } from '../webhooks/subscriptions/follow-subscription-state.js';

/**
 * Ends all access of a company and begins the erasure of its data, which `startErasures` continues. A repeat with the same id
 * changes nothing.
 *
 * Fails with `not_found`, and with `invalid_argument` while the company has open jobs or receives the journal of another one.
 * Atomic: the end of its access, the erasure and an entry in the audit trail. Locks: the company, then those of {@link endAccess}.
 */
export async function eraseCompany(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly logger: Pick<Logger, 'info'>;
    readonly clock: () => Date;
  },
  request: {
    readonly erasureId: string;
    readonly companyId: string;
    readonly operator: string;
    readonly actor: Actor;
  },
  limits: TransactionLimits = {},
): Promise<Erasure> {
  const { erasureId, companyId, operator, actor } = request;
  const now = deps.clock();
  const erasure = await deps.database.transaction(async (tx) => {
    const known = await tx.query('select from companies where id = $1 for no key update', [companyId]);
    if (known.length === 0) throw notFound('company');
    const [obstacle] = await readErasureObstacles(tx, companyId);
    if (obstacle !== undefined) throw invalidArgument([{ path: 'companyId', message: obstacle }]);
    const { isNew, erasure: begun } = await insertErasure(tx, {
      erasureId,
      subject: { companyId },
      operator,
      now,
    });
    if (isNew) {
      // The first step waits for transactions that are open now.
      await tx.query('update erasures set erased_in = pg_current_xact_id() where id = $1', [erasureId]);
      await endAccess(tx, companyId, now);
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'company.erased',
        subject: { type: 'company', id: companyId },
        details: { erasureId },
      });
    }
    return begun;
  }, limits);
  // After a restore from a backup, the log is the only record of it.
  deps.logger.info({ erasureId, companyId }, 'company.erasure_begun');
  return erasure;
}

/** Returns why a company cannot be erased now, and what to do about it; empty if it can. */
export async function readErasureObstacles(
  database: Pick<Transaction, 'query'>,
  companyId: string,
): Promise<readonly string[]> {
  const [open] = await database.query<{ jobs: number; links: readonly string[] }>(
    `select (
       select count(*)::integer from jobs
       where $1 in (selling_company_id, installer_company_id) and installer_company_id is not null
         and status not in ('COMPLETE', 'CANCELLED')
     ) as jobs,
     array(select c.id from companies c where $1 = any(${linkedNow('c.id')}) order by c.id) as links`,
    [companyId],
  );
  const { jobs = 0, links = [] } = open ?? {};
  return [
    ...(jobs > 0
      ? [
          `has ${counted(jobs, 'open job')}; have the platform complete, cancel or unassign ${jobs === 1 ? 'it' : 'them'} first`,
        ]
      : []),
    ...(links.length > 0 ? [`receives the journal of ${links.join()}; change their links first`] : []),
  ];
}

/**
 * Ends everything with which a company or its people reach the service: sign-ins, keys, webhooks, replays, the technical contact.
 *
 * Unfinished deliveries are cancelled afterwards, as for a deleted subscription. Locks: the people, the keys in ascending order,
 * the subscriptions, then their secrets, then the row with the numbers of the company.
 */
export async function endAccess(tx: Transaction, companyId: string, now: Date): Promise<void> {
  await tx.query(
    `update memberships set active = false, password_hash = null, session_version = session_version + 1
     where company_id = $1 and (active or password_hash is not null)`,
    [companyId],
  );
  for (const table of [
    'provider_links',
    'second_factors',
    'password_links',
    'notification_emails',
    'notification_recipients',
  ]) {
    await tx.query(
      `delete from ${table} where membership_id in (select id from memberships where company_id = $1)`,
      [companyId],
    );
  }
  await tx.query('delete from technical_contacts where company_id = $1', [companyId]);
  await tx.query('delete from security_notices where company_id = $1', [companyId]);
  const keys = await tx.query<{ keyId: string }>(
    `update api_keys set revoked_at = $2 where company_id = $1 and revoked_at is null returning id as "keyId"`,
    [companyId, now],
  );
  for (const message of keys) {
    enqueueMessage(tx, { exchange: ACCESS_BROADCAST, schema: KeyRevokedSchema, message });
  }
  await tx.query(
    `update bulk_replays set state = 'cancelled', finished_at = $2 where company_id = $1 and state = 'running'`,
    [companyId, now],
  );
  await tx.query(
    `update subscriptions set state = 'paused', paused_at = coalesce(paused_at, $2), deleted_at = $2, updated_at = $2,
       pending_secret_version = null
     where company_id = $1 and deleted_at is null`,
    [companyId, now],
  );
  await tx.query(
    'delete from subscription_secrets where subscription_id in (select id from subscriptions where company_id = $1)',
    [companyId],
  );
  await tx.query(`update event_heads set delivery_counts = '{}' where company_id = $1`, [companyId]);
  subscriptionStateChanged.tell(tx);
}

import { KeyRevokedSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { ACCESS_BROADCAST } from '@partner/proto-contracts/topology';
import type { Transaction } from '../database/database.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { dropDeliveryCounts } from '../database/event-numbers.js';
import { subscriptionStateChanged } from '../webhooks/subscriptions/follow-subscription-state.js';

/**
 * Ends everything with which a company or its people reach the service: sign-ins, keys, webhooks, replays, the technical contact.
 *
 * Unfinished deliveries are cancelled afterwards, as for a deleted subscription. Locks: the people, the keys in ascending order,
 * the subscriptions, then their secrets, then the numbers of the company.
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
  await tx.query('delete from webhook_proposals where company_id = $1', [companyId]);
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
  dropDeliveryCounts(tx, companyId);
  subscriptionStateChanged.tell(tx);
}

import {
  changeHeaders,
  customHeaders,
  type CustomHeaders,
  type HeaderChange,
} from '@partner/proto-contracts/resources/subscription/custom-headers';
import {
  HEADERS_VERSION,
  openSecret,
  type SealingKeys,
  sealingKeyIdOf,
  sealSecret,
} from '@partner/kernel/secret-sealing';
import { invalidArgument } from '@partner/kernel/validation';
import type { Transaction } from '../../database/database.js';

/**
 * Sets and removes custom headers of a locked subscription. Returns the names of all, or undefined if nothing changed.
 *
 * They are sealed together and stored beside the signing secrets, so that they are resealed and deleted with them. Fails with
 * `invalid_argument` if too many headers, or too long ones, would remain.
 */
export async function storeHeaders(
  tx: Transaction,
  keys: SealingKeys,
  subscriptionId: string,
  changes: readonly HeaderChange[],
): Promise<readonly string[] | undefined> {
  const owner = { subscriptionId, version: HEADERS_VERSION };
  const [stored] = await tx.query<{ sealed: Buffer }>(
    'select sealed from subscription_secrets where subscription_id = $1 and version = $2',
    [subscriptionId, HEADERS_VERSION],
  );
  const before: CustomHeaders =
    stored === undefined ? {} : customHeaders.parse(JSON.parse(openSecret(keys, owner, stored.sealed)));
  const changed = changeHeaders(before, changes);
  if ('violation' in changed) throw invalidArgument([{ path: 'headers', message: changed.violation }]);
  const text = JSON.stringify(changed.headers);
  if (text === JSON.stringify(before)) return undefined;
  const names = Object.keys(changed.headers);
  if (names.length === 0) {
    await tx.query('delete from subscription_secrets where subscription_id = $1 and version = $2', [
      subscriptionId,
      HEADERS_VERSION,
    ]);
    return names;
  }
  const sealed = sealSecret(keys, owner, text);
  await tx.query(
    `insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id) values ($1, $2, $3, $4)
     on conflict (subscription_id, version) do update set sealed = excluded.sealed, sealing_key_id = excluded.sealing_key_id`,
    [subscriptionId, HEADERS_VERSION, sealed, sealingKeyIdOf(sealed)],
  );
  return names;
}

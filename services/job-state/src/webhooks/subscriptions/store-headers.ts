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
  sealSecret,
} from '@partner/kernel/security/secret-sealing';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { Queryable, Transaction } from '../../database/database.js';
import { writeSecret } from './create-secret.js';

export interface HeadersToStore {
  readonly subscriptionId: string;
  /** Headers to set, or to remove with the value null. */
  readonly changes: readonly HeaderChange[];
}

/**
 * Sets and removes custom headers of a locked subscription. Returns the names of all, or undefined if nothing changed.
 *
 * They are sealed together and stored beside the signing secrets, so that they are resealed and deleted with them. Fails with
 * `invalid_argument` if too many headers, or too long ones, would remain.
 */
export async function storeHeaders(
  tx: Transaction,
  keys: SealingKeys,
  { subscriptionId, changes }: HeadersToStore,
): Promise<readonly string[] | undefined> {
  if (changes.length === 0) return undefined;
  const owner = { ownerId: subscriptionId, version: HEADERS_VERSION };
  const before = await readHeaders(tx, keys, subscriptionId);
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
  await writeSecret(tx, owner, sealSecret(keys, owner, text));
  return names;
}

async function readHeaders(tx: Queryable, keys: SealingKeys, subscriptionId: string): Promise<CustomHeaders> {
  const [stored] = await tx.query<{ sealed: Buffer }>(
    'select sealed from subscription_secrets where subscription_id = $1 and version = $2',
    [subscriptionId, HEADERS_VERSION],
  );
  if (stored === undefined) return {};
  const owner = { ownerId: subscriptionId, version: HEADERS_VERSION };
  return customHeaders.parse(JSON.parse(openSecret(keys, owner, stored.sealed)));
}

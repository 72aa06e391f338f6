import { randomUUID } from 'node:crypto';
import { faultScript, type FaultScript } from '@partner/proto-contracts/resources/fault-script/fault-script';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound } from '@partner/kernel/process/service-error';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Queryable } from '../database/database.js';

/** A key and the company that requests it. */
interface KeyOfCompany {
  readonly companyId: string;
  readonly keyId: string;
}

/** The fault script of a key of a company; undefined when the key has none. Throws `not_found` for another company's key. */
export async function readFaults(
  database: Queryable,
  { companyId, keyId }: KeyOfCompany,
): Promise<FaultScript | undefined> {
  const [key] = await database.query<{ faults: unknown }>(
    'select faults from api_keys where id = $1 and company_id = $2',
    [keyId, companyId],
  );
  if (key === undefined) throw notFound('API key');
  return key.faults === null ? undefined : faultScript.parse(key.faults);
}

/**
 * Replaces or clears the fault script of a company's key. Writes the company's audit entry in the same transaction. Each
 * replacement gets a new id, even with an equal script, so that its steps start over. Clearing an absent script changes
 * nothing. Throws `not_found` for another company's key.
 *
 * Lock: the key.
 */
export async function replaceFaults(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly logger: Logger },
  command: KeyOfCompany & {
    readonly actor: Actor | undefined;
    /** Undefined clears the script. */
    readonly script: FaultScript | undefined;
    /** Time until the caller's deadline, in ms. */
    readonly timeoutMs: number | undefined;
  },
): Promise<void> {
  const { companyId, keyId, actor, script, timeoutMs } = command;
  await deps.database.transaction(
    async (tx) => {
      const [key] = await tx.query<{ lastFour: string; hasFaults: boolean }>(
        `select last_four as "lastFour", faults is not null as "hasFaults" from api_keys
         where id = $1 and company_id = $2 for no key update`,
        [keyId, companyId],
      );
      if (key === undefined) throw notFound('API key');
      if (script === undefined && !key.hasFaults) return;
      const faults = script === undefined ? null : JSON.stringify({ id: randomUUID(), ...script });
      await tx.query('update api_keys set faults = $2::jsonb where id = $1', [keyId, faults]);
      await recordAudit(tx, {
        companyId,
        actor,
        action: script === undefined ? 'api_key.faults_cleared' : 'api_key.faults_set',
        subject: { type: 'api_key', id: keyId },
        details: { lastFour: key.lastFour },
      });
    },
    { companyId, timeoutMs },
  );
  const event = script === undefined ? 'key.faults_cleared' : 'key.faults_set';
  deps.logger.info({ companyId, keyId, membershipId: actor?.membershipId }, event);
}

import { randomUUID } from 'node:crypto';
import {
  faultScript,
  type FaultScript,
  NO_FAULTS,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import {
  clearFaultsOperation,
  getFaultsOperation,
  setFaultsOperation,
} from '@partner/proto-contracts/resources/fault-script/operations';
import { type Implementation, implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { notFound } from '@partner/kernel/process/service-error';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingActor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database } from '../database/database.js';
import { pathId } from '../rpc/path-id.js';

interface Deps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Logger;
}

type KeyRequest = Omit<OperationRequest<unknown, unknown, 'id'>, 'query' | 'body'>;

/** The operations that exist in the sandbox only. Must not be served in production. They fail with `not_found` for another company's key. */
export function faultOperations(deps: Deps): readonly Implementation[] {
  return [
    implement(getFaultsOperation, async ({ companyId, params, timeoutMs }) => {
      const [key] = await deps.database.query<{ faults: unknown }>(
        'select faults from api_keys where id = $1 and company_id = $2',
        [pathId('key', params.id, 'API key'), companyId],
        { companyId, timeoutMs: timeoutMs() },
      );
      if (key === undefined) throw notFound('API key');
      return { json: JSON.stringify(key.faults === null ? NO_FAULTS : faultScript.parse(key.faults)) };
    }),
    implement(setFaultsOperation, async ({ body: script, ...request }) => {
      await replaceFaults(deps, request, script);
      return { json: JSON.stringify(script) };
    }),
    implement(clearFaultsOperation, async (request) => {
      await replaceFaults(deps, request, undefined);
      return { json: '' };
    }),
  ];
}

/**
 * Replaces the fault script of a key, or clears it. Writes the company's audit entry in the same transaction. Each
 * replacement gets a new id, even with an equal script, so that its steps start over. Clearing an absent script changes
 * nothing.
 *
 * Lock: the key.
 */
async function replaceFaults(
  deps: Deps,
  { companyId, caller, params, timeoutMs }: KeyRequest,
  script: FaultScript | undefined,
): Promise<void> {
  const keyId = pathId('key', params.id, 'API key');
  const actor = callingActor(caller);
  const change = script === undefined ? 'faults_cleared' : 'faults_set';
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
        action: `api_key.${change}` as const,
        subject: { type: 'api_key', id: keyId },
        details: { lastFour: key.lastFour },
      });
    },
    { companyId, timeoutMs: timeoutMs() },
  );
  deps.logger.info({ companyId, keyId, membershipId: actor.membershipId }, `key.${change}`);
}

import { NO_FAULTS } from '@partner/proto-contracts/resources/fault-script/fault-script';
import {
  clearFaultsOperation,
  getFaultsOperation,
  setFaultsOperation,
} from '@partner/proto-contracts/resources/fault-script/operations';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingActor } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { pathId } from '../rpc/path-id.js';
import { readFaults, replaceFaults } from './fault-scripts.js';

/** The operations that exist in the sandbox only. Must not be served in production. */
export function faultOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Logger;
}): readonly Implementation[] {
  const keyOf = (params: { readonly id: string }) => pathId('key', params.id, 'API key');
  return [
    implement(getFaultsOperation, async ({ companyId, params, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const script = await readFaults(database, { companyId, keyId: keyOf(params) });
      return { json: JSON.stringify(script ?? NO_FAULTS) };
    }),
    implement(setFaultsOperation, async ({ companyId, caller, params, body: script, timeoutMs }) => {
      const key = { companyId, keyId: keyOf(params), actor: callingActor(caller) };
      await replaceFaults(deps, { ...key, script, timeoutMs: timeoutMs() });
      return { json: JSON.stringify(script) };
    }),
    implement(clearFaultsOperation, async ({ companyId, caller, params, timeoutMs }) => {
      const key = { companyId, keyId: keyOf(params), actor: callingActor(caller) };
      await replaceFaults(deps, { ...key, script: undefined, timeoutMs: timeoutMs() });
      return { json: '' };
    }),
  ];
}

import type { ServiceImpl } from '@connectrpc/connect';
import type { SandboxService } from '@partner/proto-contracts/gen/partner/sandbox/v1/sandbox_service_pb';
import {
  type FaultScript,
  faultScriptIn,
  NO_FAULTS,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import { actorOf } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { callerLimits } from '../rpc/caller-limits.js';
import { required } from '../rpc/required.js';
import { readFaults, replaceFaults } from './fault-scripts.js';

/** Implements the RPCs that exist in the sandbox only. Must not be served in production. */
export function createSandboxService(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Logger;
}): ServiceImpl<typeof SandboxService> {
  return {
    async getFaults(request, context) {
      const script = await readFaults(queryWithin(deps.database, callerLimits(request, context)), {
        companyId: required(request.companyId, 'company_id'),
        keyId: required(request.keyId, 'key_id'),
      });
      return { resourceJson: JSON.stringify(script ?? NO_FAULTS) };
    },

    async setFaults(request, context) {
      const script = readScript(required(request.scriptJson, 'script_json'));
      await replaceFaults(deps, {
        companyId: required(request.companyId, 'company_id'),
        keyId: required(request.keyId, 'key_id'),
        actor: actorOf(request),
        script,
        timeoutMs: context.timeoutMs(),
      });
      return { resourceJson: JSON.stringify(script) };
    },

    async clearFaults(request, context) {
      await replaceFaults(deps, {
        companyId: required(request.companyId, 'company_id'),
        keyId: required(request.keyId, 'key_id'),
        actor: actorOf(request),
        script: undefined,
        timeoutMs: context.timeoutMs(),
      });
      return {};
    },
  };
}

function readScript(text: string): FaultScript {
  const script = faultScriptIn.safeParse(jsonOf(text));
  if (!script.success) throw new ServiceError('invalid_argument', 'script_json: must be a fault script');
  return script.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

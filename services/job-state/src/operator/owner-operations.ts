import {
  createOwnerOperation,
  listOwnersOperation,
  resetOwnerSecondFactorOperation,
  unlinkOwnerProviderOperation,
  updateOwnerOperation,
} from '@partner/proto-contracts/internal/operators/owners';
import { type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingActor } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { createOwner, listOwners, resetSecondFactor, unlinkProvider, updateOwner } from './owners.js';

/** The operations with which operators manage the people of the companies. */
export function ownerOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
}): readonly Implementation[] {
  return [
    implementInternal(listOwnersOperation, ({ companyId, afterMembershipId, limit = 50 }, { timeoutMs }) =>
      listOwners(queryWithin(deps.database, { timeoutMs: timeoutMs() }), {
        ...{ companyId, afterMembershipId, limit },
      }),
    ),
    implementInternal(createOwnerOperation, ({ passwordHash, ...input }, { caller, timeoutMs }) =>
      createOwner(deps, { ...input, passwordHash, actor: callingActor(caller) }, { timeoutMs: timeoutMs() }),
    ),
    implementInternal(
      updateOwnerOperation,
      ({ membershipId, passwordHash, active, role }, { caller, timeoutMs }) =>
        updateOwner(
          deps,
          { membershipId, passwordHash, active, role, actor: callingActor(caller) },
          { timeoutMs: timeoutMs() },
        ),
    ),
    implementInternal(resetOwnerSecondFactorOperation, (input, { caller, timeoutMs }) =>
      resetSecondFactor(deps, { ...input, actor: callingActor(caller) }, { timeoutMs: timeoutMs() }),
    ),
    implementInternal(unlinkOwnerProviderOperation, (input, { caller, timeoutMs }) =>
      unlinkProvider(deps, { ...input, actor: callingActor(caller) }, { timeoutMs: timeoutMs() }),
    ),
  ];
}

import {
  type ApiKeyCreated,
  type ApiKeyPage,
  type ApiKeyRotated,
  KEY_LIMITS,
} from '@partner/proto-contracts/resources/api-key/api-key';
import {
  createApiKeyOperation,
  listApiKeysOperation,
  revokeApiKeyOperation,
  rotateApiKeyOperation,
} from '@partner/proto-contracts/resources/api-key/operations';
import type { InstallerPage } from '@partner/proto-contracts/resources/installer/installer';
import { listInstallersOperation } from '@partner/proto-contracts/resources/installer/operations';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import type { Environment } from '@partner/kernel/security/api-key';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingActor } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { listContractedInstallers } from './contracted-installers.js';
import { createKey } from './create-key.js';
import { shownKey } from './key-resource.js';
import { listKeys } from './list-keys.js';
import { revokeKey } from './revoke-key.js';
import { rotateKey } from './rotate-key.js';

/** The operations with which owners and operators manage the API keys of a company. */
export function apiKeyOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
  /** The environment of the created keys. */
  readonly environment: Environment;
}): readonly Implementation[] {
  return [
    implement(listApiKeysOperation, async ({ companyId, after, query: { limit }, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const { keys, nextBeforeId } = await listKeys(database, { companyId, beforeKeyId: after, limit });
      const now = deps.clock();
      const page = { keys: keys.map((key) => shownKey(key, now)), nextCursor: nextBeforeId ?? null };
      return { json: JSON.stringify(page satisfies ApiKeyPage) };
    }),
    implement(createApiKeyOperation, async ({ companyId, caller, body, timeoutMs }) => {
      const actor = callingActor(caller);
      const isOperator = caller.kind === 'operator';
      const request = { ...body, companyId, actor, isOperator };
      const { key, text } = await createKey(deps, request, { timeoutMs: timeoutMs() });
      const created = { key: shownKey(key, deps.clock()), apiKey: text };
      return { json: JSON.stringify(created satisfies ApiKeyCreated) };
    }),
    implement(rotateApiKeyOperation, async ({ companyId, caller, params, body, timeoutMs }) => {
      const overlapHours = body?.overlapHours ?? KEY_LIMITS.overlapHours.default;
      const request = { companyId, actor: callingActor(caller), keyId: params.id, overlapHours };
      const { key, text, previous } = await rotateKey(deps, request, { timeoutMs: timeoutMs() });
      const now = deps.clock();
      const rotated = { key: shownKey(key, now), apiKey: text, previous: shownKey(previous, now) };
      return { json: JSON.stringify(rotated satisfies ApiKeyRotated) };
    }),
    implement(revokeApiKeyOperation, async ({ companyId, caller, params, timeoutMs }) => {
      const request = { companyId, actor: callingActor(caller), keyId: params.id, timeoutMs: timeoutMs() };
      await revokeKey(deps, request);
      return { json: '' };
    }),
    implement(listInstallersOperation, async ({ companyId, after, query: { limit }, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const { installers, nextAfterId } = await listContractedInstallers(database, {
        companyId,
        afterCompanyId: after,
        limit,
      });
      const page = {
        installers: installers.map(({ id, name }) => ({ id, name })),
        nextCursor: nextAfterId ?? null,
      };
      return { json: JSON.stringify(page satisfies InstallerPage) };
    }),
  ];
}

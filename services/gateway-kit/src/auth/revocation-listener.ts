import { fromBinary } from '@bufbuild/protobuf';
import {
  type KeyRevoked,
  KeyRevokedSchema,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { ACCESS_BROADCAST } from '@partner/proto-contracts/topology';
import { startBroadcastConsumer } from '@partner/kernel/amqp/broadcast';
import type { AmqpConnection } from '@partner/kernel/amqp/connection';
import type { Consumer } from '@partner/kernel/amqp/consumer';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { ApiKeyAuthenticator } from './api-key-authentication.js';

/**
 * Drops each revoked key from an authenticator's cache when its revocation is broadcast. Drops all keys when a
 * broadcast may have been missed.
 */
export function startRevocationListener(deps: {
  readonly connection: AmqpConnection;
  readonly authenticator: Pick<ApiKeyAuthenticator, 'forget' | 'forgetAll'>;
  readonly logger: Logger;
}): Consumer {
  const { connection, authenticator, logger } = deps;
  return startBroadcastConsumer({
    connection,
    exchange: ACCESS_BROADCAST,
    logger,
    handle: (message) => applyRevocation(authenticator, message),
    onGap: () => authenticator.forgetAll(),
  });
}

/** Applies one broadcast message. An unreadable message may be a revocation, so it drops all keys. */
export function applyRevocation(
  authenticator: Pick<ApiKeyAuthenticator, 'forget' | 'forgetAll'>,
  message: { readonly type: string; readonly body: Uint8Array },
): void {
  if (message.type !== KeyRevokedSchema.typeName) return;
  const keyId = read(message.body)?.keyId;
  if (keyId === undefined) authenticator.forgetAll();
  else authenticator.forget(keyId);
}

function read(body: Uint8Array): KeyRevoked | undefined {
  try {
    return fromBinary(KeyRevokedSchema, body);
  } catch {
    return undefined;
  }
}

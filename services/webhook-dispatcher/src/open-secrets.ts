import { HEADERS_VERSION, openSecret, type SealingKeys } from '@partner/kernel/security/secret-sealing';
import {
  customHeaders,
  type CustomHeaders,
} from '@partner/proto-contracts/resources/subscription/custom-headers';
import type { DeliveryCommand } from './read-delivery-command.js';

export interface OpenedSecrets {
  readonly secret: string;
  readonly headers: CustomHeaders;
}

/** Opens the secret and the custom headers of a command. Throws if a key is missing or a value was changed. */
export function openSecrets(keys: SealingKeys, command: DeliveryCommand): OpenedSecrets {
  const { subscriptionId, secretVersion: version, sealedSecret, sealedHeaders } = command;
  const headers =
    sealedHeaders && openSecret(keys, { subscriptionId, version: HEADERS_VERSION }, sealedHeaders);
  return {
    secret: openSecret(keys, { subscriptionId, version }, sealedSecret),
    headers: headers === undefined ? {} : customHeaders.parse(JSON.parse(headers)),
  };
}

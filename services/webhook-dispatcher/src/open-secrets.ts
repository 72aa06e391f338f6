import {
  HEADERS_VERSION,
  openSecret,
  type SealingKeys,
  SHADOW_HEADERS_VERSION,
} from '@partner/kernel/secret-sealing';
import {
  customHeaders,
  type CustomHeaders,
  isSameHost,
} from '@partner/proto-contracts/resources/subscription/custom-headers';
import type { DeliveryCommand } from './read-delivery-command.js';

/** What a command holds sealed. */
export interface OpenedSecrets {
  readonly secret: string;
  readonly headers: CustomHeaders;
  /** The custom headers of the copy to the shadow; empty without a shadow. */
  readonly shadowHeaders: CustomHeaders;
}

/**
 * Opens the secret and the custom headers of a command. Throws if a key is missing or a value was changed.
 *
 * Values of custom headers are for the host of the URL: a shadow on another host gets only those that were given for it.
 */
export function openSecrets(keys: SealingKeys, command: DeliveryCommand): OpenedSecrets {
  const { subscriptionId, secretVersion: version, sealedSecret, url, shadow } = command;
  const open = (headersVersion: number, sealed: Uint8Array | undefined): CustomHeaders | undefined =>
    sealed &&
    customHeaders.parse(JSON.parse(openSecret(keys, { subscriptionId, version: headersVersion }, sealed)));
  const headers = open(HEADERS_VERSION, command.sealedHeaders) ?? {};
  const inherited = shadow !== undefined && isSameHost(url, shadow.url) ? headers : {};
  return {
    secret: openSecret(keys, { subscriptionId, version }, sealedSecret),
    headers,
    shadowHeaders: open(SHADOW_HEADERS_VERSION, shadow?.sealedHeaders) ?? inherited,
  };
}

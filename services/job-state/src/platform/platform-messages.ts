import { jobMessages } from './job-messages.js';
import type { PlatformMessageType, ReadMessage } from './message-type/platform-message-type.js';
import { companyChangedMessage } from './record-company-changed.js';
import { membershipChangedMessage } from './record-membership-changed.js';
import { salesMessages } from './sales/sales-messages.js';

/** Every message type that the platform sends, by its full protobuf name. */
export const PLATFORM_MESSAGE_TYPES: ReadonlyMap<string, PlatformMessageType> = new Map(
  [companyChangedMessage, membershipChangedMessage, ...jobMessages, ...salesMessages].map((type) => [
    type.schema.typeName,
    type,
  ]),
);

/** Parses a platform message by its type, the full protobuf name. */
export function readPlatformMessage(type: string, body: Uint8Array, now: Date): ReadMessage {
  return (
    PLATFORM_MESSAGE_TYPES.get(type)?.read(body, now) ?? {
      kind: 'malformed',
      reason: `unknown message type ${JSON.stringify(type.slice(0, 200))}`,
    }
  );
}

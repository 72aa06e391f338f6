import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { DeliverWebhookSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';

/** A `DeliverWebhook` with everything that an attempt needs. */
export interface DeliveryCommand {
  readonly deliveryId: string;
  readonly subscriptionId: string;
  readonly leaseId: string;
  readonly leaseExpiresAt: Date;
  /** 1 to 8. */
  readonly attempt: number;
  readonly url: string;
  readonly urlVersion: number;
  readonly eventId: string;
  readonly event: string;
  readonly body: Uint8Array;
  readonly secretVersion: number;
  readonly sealedSecret: Uint8Array;
}

const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** Decodes a command. A text says why the message can never be carried out. */
export function readDeliveryCommand(bytes: Uint8Array): DeliveryCommand | string {
  let message;
  try {
    message = fromBinary(DeliverWebhookSchema, bytes);
  } catch {
    return 'the message is not a DeliverWebhook';
  }
  const { deliveryId, subscriptionId, leaseId, leaseExpiresAt, attempt, url, urlVersion } = message;
  const { eventId, event, body, secretVersion, sealedSecret } = message;
  if (
    deliveryId === undefined ||
    subscriptionId === undefined ||
    leaseId === undefined ||
    leaseExpiresAt === undefined ||
    attempt === undefined ||
    url === undefined ||
    urlVersion === undefined ||
    eventId === undefined ||
    event === undefined ||
    body === undefined ||
    secretVersion === undefined ||
    sealedSecret === undefined
  ) {
    return `the DeliverWebhook lacks ${missingFields(message).join(', ')}`;
  }
  if (!HEADER_SAFE.test(eventId) || !HEADER_SAFE.test(event)) {
    return 'the event id or name can not stand in a header';
  }
  return {
    deliveryId,
    subscriptionId,
    leaseId,
    leaseExpiresAt: timestampDate(leaseExpiresAt),
    attempt,
    url,
    urlVersion,
    eventId,
    event,
    body,
    secretVersion,
    sealedSecret,
  };
}

function missingFields(message: object): readonly string[] {
  const present = new Map(Object.entries(message));
  return DeliverWebhookSchema.fields
    .filter((field) => present.get(field.localName) === undefined)
    .map((field) => field.name);
}

import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type DeliverWebhook,
  DeliverWebhookSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';

/** A `DeliverWebhook` with everything that an attempt needs. */
export interface DeliveryCommand {
  readonly deliveryId: string;
  readonly subscriptionId: string;
  readonly leaseId: string;
  /** Absent when the sender does not say it yet. */
  readonly leasedAt: Date | undefined;
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

/** A message that can never be carried out. */
export interface MalformedCommand {
  readonly reason: string;
  /** What an answer about it needs, when it says at least which delivery and lease it is for. */
  readonly answerable: AnswerableCommand | undefined;
}

/** What an answer says of its command. */
export interface AnswerableCommand extends Pick<
  DeliveryCommand,
  'deliveryId' | 'leaseId' | 'attempt' | 'urlVersion' | 'secretVersion'
> {
  readonly leaseExpiresAt: Date | undefined;
}

/** Decodes a command. */
export function readDeliveryCommand(
  bytes: Uint8Array,
): { readonly command: DeliveryCommand } | { readonly malformed: MalformedCommand } {
  let message;
  try {
    message = fromBinary(DeliverWebhookSchema, bytes);
  } catch {
    return { malformed: { reason: 'the message is not a DeliverWebhook', answerable: undefined } };
  }
  const malformed = (reason: string) => ({ malformed: { reason, answerable: answerableOf(message) } });
  const { deliveryId, subscriptionId, leaseId, leasedAt, leaseExpiresAt, attempt, url, urlVersion } = message;
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
    return malformed(`the DeliverWebhook lacks ${missingFields(message).join(', ')}`);
  }
  if (!HEADER_SAFE.test(eventId) || !HEADER_SAFE.test(event)) {
    return malformed('the event id or name can not stand in a header');
  }
  return {
    command: {
      deliveryId,
      subscriptionId,
      leaseId,
      leasedAt: leasedAt && timestampDate(leasedAt),
      leaseExpiresAt: timestampDate(leaseExpiresAt),
      attempt,
      url,
      urlVersion,
      eventId,
      event,
      body,
      secretVersion,
      sealedSecret,
    },
  };
}

function answerableOf(message: DeliverWebhook): AnswerableCommand | undefined {
  const { deliveryId, leaseId, leaseExpiresAt, attempt = 1, urlVersion = 0, secretVersion = 0 } = message;
  if (deliveryId === undefined || leaseId === undefined) return undefined;
  return {
    deliveryId,
    leaseId,
    leaseExpiresAt: leaseExpiresAt && timestampDate(leaseExpiresAt),
    attempt,
    urlVersion,
    secretVersion,
  };
}

function missingFields(message: object): readonly string[] {
  const present = new Map(Object.entries(message));
  return DeliverWebhookSchema.fields
    .filter((field) => field.localName !== 'leasedAt' && present.get(field.localName) === undefined)
    .map((field) => field.name);
}

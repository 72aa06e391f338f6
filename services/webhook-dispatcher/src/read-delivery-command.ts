import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type DeliverWebhook,
  DeliverWebhookSchema,
  DeliverWebhooksSchema,
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
  /** W3C trace context of the event. */
  readonly traceParent: string | undefined;
  /** The request that made the event. */
  readonly requestId: string | undefined;
}

/** Fields that a command may lack. */
const OPTIONAL_FIELDS: ReadonlySet<string> = new Set(['leasedAt', 'traceParent', 'requestId']);

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

/** One command of a message, if it is well. */
export type ReadCommand = { readonly command: DeliveryCommand } | { readonly malformed: MalformedCommand };

/** Decodes the commands of a `DeliverWebhooks` message; none when it is no such message or empty. */
export function readDeliveryCommands(bytes: Uint8Array): readonly ReadCommand[] {
  try {
    return fromBinary(DeliverWebhooksSchema, bytes).deliveries.map(readDeliveryCommand);
  } catch {
    return [];
  }
}

function readDeliveryCommand(message: DeliverWebhook): ReadCommand {
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
      traceParent: message.traceParent,
      requestId: message.requestId,
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
    .filter((field) => !OPTIONAL_FIELDS.has(field.localName) && present.get(field.localName) === undefined)
    .map((field) => field.name);
}

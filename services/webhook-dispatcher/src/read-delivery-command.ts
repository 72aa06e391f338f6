import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type DeliverWebhook,
  DeliverWebhookSchema,
  DeliverWebhooksSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';

/** A decoded `DeliverWebhook` command, with all inputs of an attempt. */
export interface DeliveryCommand {
  readonly deliveryId: string;
  readonly subscriptionId: string;
  readonly leaseId: string;
  /** Absent if the sender is a version that does not set it. */
  readonly leasedAt: Date | undefined;
  readonly leaseExpiresAt: Date;
  /** 1 to 8. */
  readonly attempt: number;
  readonly url: string;
  readonly urlVersion: number;
  readonly eventId: string;
  readonly event: string;
  readonly isTest: boolean;
  /** Number of the event among those of the subscription, a decimal text; undefined for a test. */
  readonly number: string | undefined;
  readonly body: Uint8Array;
  readonly secretVersion: number;
  readonly sealedSecret: Uint8Array;
  /** Undefined without custom headers. */
  readonly sealedHeaders: Uint8Array | undefined;
  /** W3C trace context of the event. */
  readonly traceParent: string | undefined;
  /** Id of the request that caused the event. */
  readonly requestId: string | undefined;
}

/** Fields that may be absent. */
const OPTIONAL_FIELDS: ReadonlySet<string> = new Set([
  'leasedAt',
  'traceParent',
  'requestId',
  'isTest',
  'number',
  'sealedHeaders',
]);

const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** A command that can never be executed. */
export interface MalformedCommand {
  readonly reason: string;
  /** Identifies the command in a result; absent if the command does not name its delivery and lease. */
  readonly reportable: ReportableCommand | undefined;
}

/** The fields of a command that its result repeats. */
export interface ReportableCommand extends Pick<
  DeliveryCommand,
  'deliveryId' | 'leaseId' | 'attempt' | 'urlVersion' | 'secretVersion'
> {
  readonly leaseExpiresAt: Date | undefined;
}

/** One command of a message, or why it is malformed. */
export type ReadCommand = { readonly command: DeliveryCommand } | { readonly malformed: MalformedCommand };

/** Decodes the commands of a `DeliverWebhooks` message; empty if the message is of another type or empty. */
export function readDeliveryCommands(bytes: Uint8Array): readonly ReadCommand[] {
  try {
    return fromBinary(DeliverWebhooksSchema, bytes).deliveries.map(readDeliveryCommand);
  } catch {
    return [];
  }
}

function readDeliveryCommand(message: DeliverWebhook): ReadCommand {
  const malformed = (reason: string) => ({ malformed: { reason, reportable: reportableOf(message) } });
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
  if (![eventId, event, subscriptionId].every((text) => HEADER_SAFE.test(text))) {
    return malformed('the event id or name, or the subscription id, cannot be sent in a header');
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
      isTest: message.isTest ?? false,
      number: message.number,
      body,
      secretVersion,
      sealedSecret,
      sealedHeaders: message.sealedHeaders,
      traceParent: message.traceParent,
      requestId: message.requestId,
    },
  };
}

function reportableOf(message: DeliverWebhook): ReportableCommand | undefined {
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

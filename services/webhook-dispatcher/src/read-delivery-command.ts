import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type DeliverWebhook,
  DeliverWebhooksSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';

/** Every version of the sender sets these. */
const REQUIRED = [
  ...['deliveryId', 'subscriptionId', 'leaseId', 'leaseExpiresAt', 'attempt', 'url', 'urlVersion'],
  ...['eventId', 'event', 'body', 'secretVersion', 'sealedSecret'],
] as const;
const SENT_IN_HEADERS = ['subscriptionId', 'eventId', 'event'] as const;
const HEADER_SAFE = /^[\x21-\x7e]+$/;

type Complete = DeliverWebhook & {
  readonly [Field in (typeof REQUIRED)[number]]: NonNullable<DeliverWebhook[Field]>;
};

export interface DeliveryCommand extends Omit<Complete, 'leasedAt' | 'leaseExpiresAt'> {
  /** Undefined if the sender is a version that does not set it. */
  readonly leasedAt: Date | undefined;
  readonly leaseExpiresAt: Date;
}

/** The fields of a command that its result repeats. */
export interface ReportableCommand extends Pick<
  DeliveryCommand,
  'deliveryId' | 'leaseId' | 'attempt' | 'urlVersion' | 'secretVersion'
> {
  readonly leaseExpiresAt: Date | undefined;
}

export interface MalformedCommand {
  readonly reason: string;
  /** Identifies the command in a result; absent if the command does not name its delivery and lease. */
  readonly reportable: ReportableCommand | undefined;
}

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
  const leasedAt = message.leasedAt && timestampDate(message.leasedAt);
  const leaseExpiresAt = message.leaseExpiresAt && timestampDate(message.leaseExpiresAt);
  const unsafe = SENT_IN_HEADERS.filter((field) => !HEADER_SAFE.test(message[field] ?? '-'));
  if (isComplete(message) && leaseExpiresAt !== undefined && unsafe.length === 0) {
    return { command: { ...message, leasedAt, leaseExpiresAt } };
  }
  const violations = [
    ...REQUIRED.filter((field) => message[field] === undefined).map((field) => `${field}: is missing`),
    ...unsafe.map((field) => `${field}: cannot be sent in a header`),
  ];
  const { deliveryId, leaseId, attempt = 1, urlVersion = 0, secretVersion = 0 } = message;
  return {
    malformed: {
      reason: `the DeliverWebhook is malformed: ${violations.join('; ')}`,
      reportable:
        deliveryId === undefined || leaseId === undefined
          ? undefined
          : { deliveryId, leaseId, leaseExpiresAt, attempt, urlVersion, secretVersion },
    },
  };
}

function isComplete(message: DeliverWebhook): message is Complete {
  return REQUIRED.every((field) => message[field] !== undefined);
}

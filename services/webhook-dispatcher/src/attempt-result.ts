import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AttemptOutcome,
  AttemptOutcomeSchema,
  type AttemptSchema,
  type DeliveryAttempted,
  DeliveryAttemptedSchema,
  type ExchangeTraceSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import type { ExchangeTrace } from './https-exchange.js';
import type { PostResult } from './https-sender.js';
import type { ReportableCommand } from './read-delivery-command.js';
import { retryAfterSeconds } from './retry-after.js';

const UNSENDABLE =
  'nothing was sent: the delivery could not be prepared because of an error on the side of this service';

interface Attempt {
  readonly command: ReportableCommand;
  readonly attemptId: string;
  readonly startedAt: Date;
}

export function resultOf(attempt: Attempt, result: PostResult, now: Date): DeliveryAttempted {
  const response = 'response' in result ? result.response : undefined;
  const ended = {
    durationMs: result.durationMs,
    outcome: enumValue(AttemptOutcomeSchema, result.outcome),
    ...(response !== undefined && {
      responseStatus: response.status,
      responseHeaders: { headers: [...response.headers] },
      responseBody: response.body,
    }),
    ...('error' in result && { error: result.error }),
    ...('remoteAddress' in result && { remoteAddress: result.remoteAddress }),
    exchange: describeExchange(result.trace),
  };
  return describe(attempt, ended, response && retryAfterSeconds({ ...response, now }));
}

export function resultOfUnsendable(attempt: Attempt): DeliveryAttempted {
  const { CONNECTION_FAILED: outcome } = AttemptOutcome;
  return describe(attempt, { outcome, durationMs: 0, error: UNSENDABLE });
}

function describe(
  { command, attemptId, startedAt }: Attempt,
  attempt: MessageInitShape<typeof AttemptSchema>,
  retryAfter?: number,
): DeliveryAttempted {
  const { deliveryId, leaseId, urlVersion, secretVersion } = command;
  const made = { deliveryId: attemptId, number: command.attempt, startedAt: timestampFromDate(startedAt) };
  return create(DeliveryAttemptedSchema, {
    ...{ deliveryId, leaseId, urlVersion },
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
    attempt: { ...made, secretVersion, ...attempt },
  });
}

function describeExchange({
  certificate,
  ...steps
}: ExchangeTrace): MessageInitShape<typeof ExchangeTraceSchema> {
  return {
    ...steps,
    addresses: [...(steps.addresses ?? [])],
    ...(certificate !== undefined && {
      certificateSubject: certificate.subject,
      certificateIssuer: certificate.issuer,
      ...(certificate.validFrom !== undefined && {
        certificateValidFrom: timestampFromDate(certificate.validFrom),
      }),
      certificateValidTo: timestampFromDate(certificate.validTo),
    }),
  };
}

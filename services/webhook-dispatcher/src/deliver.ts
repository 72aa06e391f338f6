import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type DeliveryAttempted,
  DeliveryAttemptedSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { COMMANDS, DELIVERY_RESULTS } from '@partner/proto-contracts/topology';
import type { ConsumeOutcome, IncomingMessage } from '@partner/runtime/amqp/consumer';
import { PublishError } from '@partner/runtime/amqp/publish-error';
import type { Publisher } from '@partner/runtime/amqp/publisher';
import type { Logger } from '@partner/runtime/logger';
import { openSecret, type SealingKeys } from '@partner/runtime/secret-sealing';
import { injectTrace, withSpan } from '@partner/runtime/telemetry/tracing';
import type { DeliveryMetrics } from './delivery-metrics.js';
import type { HttpsSender, PostResult } from './https-sender.js';
import type { LeaseMemory } from './lease-memory.js';
import { type DeliveryCommand, readDeliveryCommand } from './read-delivery-command.js';
import { retryAfterSeconds } from './retry-after.js';
import { serviceSignature, standardWebhooksSignature } from './sign.js';

/** What carrying out a `DeliverWebhook` needs. */
export interface DeliverDeps {
  readonly sender: Pick<HttpsSender, 'post'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly leases: LeaseMemory;
  readonly sealingKeys: SealingKeys;
  readonly clock: () => Date;
  /** Makes the id of one attempt, `dlv_…`. */
  readonly newAttemptId: () => string;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly metrics: DeliveryMetrics;
}

const USER_AGENT = 'partner-integration-service-webhooks/1.0';
const REPORT_PAUSE_MS = 500;

const OUTCOMES = {
  delivered: AttemptOutcome.DELIVERED,
  rejected: AttemptOutcome.REJECTED,
  timed_out: AttemptOutcome.TIMED_OUT,
  tls_failed: AttemptOutcome.TLS_FAILED,
  connection_failed: AttemptOutcome.CONNECTION_FAILED,
  endpoint_refused: AttemptOutcome.ENDPOINT_REFUSED,
} as const satisfies Record<PostResult['outcome'], AttemptOutcome>;

/**
 * Makes the handler of `DeliverWebhook`: sign, POST once, report the result, and only then acknowledge.
 *
 * What fails in between loses nothing: the delivery's lease in job-state ends and the delivery is due again. A command that
 * comes again to this process, under a lease whose attempt was made, is not POSTed again; its result is reported again. It
 * is the one attempt to job-state too, which knows it by the attempt's id. While the broker takes no results the command is
 * held and the report repeated, so that this process does not go on POSTing what it can not report; at the lease's end
 * that is given up, since the delivery is then attempted anew.
 */
export function createDeliver(deps: DeliverDeps): (message: IncomingMessage) => Promise<ConsumeOutcome> {
  const { leases, metrics } = deps;

  /**
   * By this machine's clock, while the lease was set by job-state's. If this one is ahead, an attempt is at worst dropped
   * and made under the next lease; if it is behind, at worst made under two.
   */
  function leaseHasEnded(command: DeliveryCommand): boolean {
    return deps.clock() > command.leaseExpiresAt;
  }

  async function makeAttempt(command: DeliveryCommand, secret: string): Promise<DeliveryAttempted> {
    const attemptId = deps.newAttemptId();
    const attributes = {
      'partner.delivery_id': command.deliveryId,
      'partner.attempt_id': attemptId,
      'partner.event': command.event,
    };
    return withSpan({ name: 'deliver webhook', kind: 'CLIENT', attributes }, async (span) => {
      const startedAt = deps.clock();
      metrics.attemptBegan();
      let result: PostResult | undefined;
      try {
        result = await deps.sender.post({
          url: command.url,
          headers: signedHeaders({ command, secret, attemptId, startedAt }),
          body: command.body,
        });
      } finally {
        metrics.attemptEnded(result);
      }
      span.setAttribute('partner.outcome', result.outcome);
      logAttempt(command, attemptId, result);
      return describeAttempt({ command, attemptId, startedAt, endedAt: deps.clock(), result });
    });
  }

  function logAttempt(command: DeliveryCommand, attemptId: string, result: PostResult): void {
    const answer = 'answer' in result ? result.answer : undefined;
    deps.logger.info(
      {
        deliveryId: command.deliveryId,
        attemptId,
        attempt: command.attempt,
        subscriptionId: command.subscriptionId,
        eventId: command.eventId,
        event: command.event,
        secretVersion: command.secretVersion,
        outcome: result.outcome,
        durationMs: result.durationMs,
        ...(answer !== undefined && { status: answer.status }),
        ...('cause' in result && { refusal: result.cause }),
        ...('error' in result && { failure: result.error }),
      },
      'delivery.attempted',
    );
  }

  async function report(command: DeliveryCommand, attempted: DeliveryAttempted): Promise<ConsumeOutcome> {
    const attemptId = attempted.attempt?.deliveryId ?? '';
    try {
      await deps.publisher.publish({
        exchange: COMMANDS,
        routingKey: DELIVERY_RESULTS.bindings[0].routingKey,
        messageId: attemptId,
        type: DeliveryAttemptedSchema.typeName,
        body: toBinary(DeliveryAttemptedSchema, attempted),
      });
    } catch (error) {
      if (!(error instanceof PublishError)) throw error;
      if (!leaseHasEnded(command)) return { kind: 'retry', afterMs: REPORT_PAUSE_MS };
      metrics.resultLost();
      deps.logger.error(
        { deliveryId: command.deliveryId, attemptId, kind: error.kind },
        'delivery.result_lost',
      );
      return { kind: 'done' };
    }
    leases.reported(command.leaseId);
    return { kind: 'done' };
  }

  return async (message) => {
    const command = readDeliveryCommand(message.body);
    if (typeof command === 'string') return { kind: 'dead', reason: command };

    const known = leases.recall(command.leaseId);
    if (known === 'reported') {
      metrics.commandDropped('already_reported');
      return { kind: 'done' };
    }
    if (known !== undefined) return report(command, await known);
    if (leaseHasEnded(command)) {
      metrics.commandDropped('lease_expired');
      return { kind: 'done' };
    }

    let secret: string;
    try {
      const owner = { subscriptionId: command.subscriptionId, version: command.secretVersion };
      secret = openSecret(deps.sealingKeys, owner, command.sealedSecret);
    } catch (error) {
      // No attempt is used up: the delivery is due again with each end of its lease until the key is there.
      metrics.commandDropped('secret_unreadable');
      deps.logger.error(
        { err: error, deliveryId: command.deliveryId, subscriptionId: command.subscriptionId },
        'delivery.secret_unreadable',
      );
      return { kind: 'done' };
    }

    const attempt = makeAttempt(command, secret);
    leases.began(command.leaseId, attempt);
    return report(command, await attempt);
  };
}

/** The headers of one attempt (spec: Delivery), without those that the connection sets. */
function signedHeaders(attempt: {
  readonly command: DeliveryCommand;
  readonly secret: string;
  readonly attemptId: string;
  readonly startedAt: Date;
}): Record<string, string> {
  const { command, secret } = attempt;
  const timestamp = Math.floor(attempt.startedAt.getTime() / 1_000);
  const signed = { secret, timestamp, eventId: command.eventId, body: command.body };
  const { traceparent } = injectTrace();
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-svc-event': command.event,
    'x-svc-delivery-id': attempt.attemptId,
    'x-svc-timestamp': String(timestamp),
    'x-svc-secret-version': String(command.secretVersion),
    'x-svc-signature': serviceSignature(signed),
    'webhook-id': command.eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardWebhooksSignature(signed),
    ...(traceparent !== undefined && { traceparent }),
  };
}

function describeAttempt(ended: {
  readonly command: DeliveryCommand;
  readonly attemptId: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly result: PostResult;
}): DeliveryAttempted {
  const { command, result } = ended;
  const answer = 'answer' in result ? result.answer : undefined;
  const retryAfter =
    answer === undefined
      ? undefined
      : retryAfterSeconds({ status: answer.status, retryAfter: answer.retryAfter, now: ended.endedAt });
  return create(DeliveryAttemptedSchema, {
    deliveryId: command.deliveryId,
    leaseId: command.leaseId,
    urlVersion: command.urlVersion,
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
    attempt: {
      deliveryId: ended.attemptId,
      number: command.attempt,
      startedAt: timestampFromDate(ended.startedAt),
      durationMs: result.durationMs,
      outcome: OUTCOMES[result.outcome],
      secretVersion: command.secretVersion,
      ...(answer !== undefined && { responseStatus: answer.status, responseBody: answer.body }),
      ...('error' in result && { error: result.error }),
      ...('remoteAddress' in result && { remoteAddress: result.remoteAddress }),
    },
  });
}

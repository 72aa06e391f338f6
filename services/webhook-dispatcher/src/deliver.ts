import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AttemptOutcome,
  AttemptOutcomeSchema,
  type AttemptSchema,
  DeliveriesAttemptedSchema,
  type DeliveryAttempted,
  DeliveryAttemptedSchema,
  type ExchangeTraceSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import { COMMANDS, DELIVERY_RESULTS } from '@partner/proto-contracts/topology';
import type { ConsumeOutcome, IncomingMessage } from '@partner/kernel/amqp/consumer';
import { PublishError } from '@partner/kernel/amqp/publish-error';
import type { Publisher } from '@partner/kernel/amqp/publisher';
import { batchWhileBusy } from '@partner/kernel/process/batch-while-busy';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { runWithRequestId } from '@partner/kernel/telemetry/request-context';
import type { SealingKeys } from '@partner/kernel/security/secret-sealing';
import { extractTrace, withSpan } from '@partner/kernel/telemetry/tracing';
import pLimit from 'p-limit';
import type { ClockWatch } from './clock-watch.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import type { ExchangeTrace } from './https-exchange.js';
import type { HttpsSender, PostResult } from './https-sender.js';
import type { LeaseMemory } from './lease-memory.js';
import {
  type ReportableCommand,
  type DeliveryCommand,
  type MalformedCommand,
  type ReadCommand,
  readDeliveryCommands,
} from './read-delivery-command.js';
import { type OpenedSecrets, openSecrets } from './open-secrets.js';
import { retryAfterSeconds } from './retry-after.js';
import { signedHeaders } from './signed-headers.js';

export interface DeliverDeps {
  readonly sender: Pick<HttpsSender, 'post'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly leases: LeaseMemory;
  /** Maximum attempts in flight. */
  readonly concurrency: number;
  /** Aborted when a shutdown begins, before the consumer stops. */
  readonly stopping: AbortSignal;
  readonly sealingKeys: SealingKeys;
  readonly clock: () => Date;
  readonly clockWatch: ClockWatch;
  /** Returns a new attempt id (`dlv_…`). */
  readonly newAttemptId: () => string;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly metrics: DeliveryMetrics;
}

const REPORT_PAUSE_MS = 500;
/** On shutdown the consumer cuts this delay short and requeues the command once its subscription is cancelled. */
const STOP_PAUSE_MS = 500;
/** Maximum results in one message. */
const RESULTS_AT_ONCE = 200;
/** A message waits for as many results as nearly fill the slots of one endpoint, but never long: their slots stay taken. */
const RESULTS_GATHERED = { items: 8, ms: 20 };
/** Minimum time left on a lease to start an attempt: the attempt's time limit, and a margin for its report. */
const ATTEMPT_MS = LIMITS.webhookTimeoutMs + 2_000;
const UNSENDABLE =
  'nothing was sent: the delivery could not be prepared; the fault is on the side of this service';

/** Outcome of one delivery of a command. `not_begun`: no attempt started, because this process is stopping. */
type DeliveryOutcome = ConsumeOutcome | { readonly kind: 'not_begun' };

/**
 * Creates the handler of `DeliverWebhooks`. It signs and POSTs each delivery once, reports the results, and
 * acknowledges the command once all are reported. Results that finish within 20 ms are reported in one message.
 *
 * A crash in between loses nothing: the lease in job-state expires and the delivery is due again. If a command is
 * redelivered under a lease whose attempt this process made, the result is reported again, without a second POST.
 * job-state recognizes it by the attempt's id. A command too late to finish within its lease is dropped, so no attempt
 * runs beyond its lease. A command that can never be executed is reported as a failed attempt, if it
 * names its delivery, and then dead-lettered.
 *
 * While the broker is unavailable, the report is retried and the command stays unacknowledged, so the dispatcher never
 * sends more than it can report. The retries end with the lease, because the delivery is then due again.
 *
 * On shutdown no attempt starts. Attempts in flight finish and are reported. A command with no attempt started is
 * requeued; its leases stay valid for the next replica. If only some deliveries of a command have started, the others
 * are dropped and become due when their leases expire: requeueing would also repeat the sent ones. At most about one
 * command is in that state, because slots are assigned in order of arrival.
 */
export function createDeliver(deps: DeliverDeps): (message: IncomingMessage) => Promise<ConsumeOutcome> {
  const { leases, metrics } = deps;
  const slot = pLimit(deps.concurrency);
  // Waiting deliveries get a slot at once: each settles without an attempt.
  deps.stopping.addEventListener('abort', () => {
    slot.concurrency = Infinity;
  });
  const publishResult = batchWhileBusy<DeliveryAttempted>({
    maxItems: RESULTS_AT_ONCE,
    run: publishResults,
    isOfAll: () => true,
    gather: RESULTS_GATHERED,
  });

  async function publishResults(results: readonly DeliveryAttempted[]): Promise<readonly undefined[]> {
    await deps.publisher.publish({
      exchange: COMMANDS,
      routingKey: DELIVERY_RESULTS.bindings[0].routingKey,
      messageId: results[0]?.attempt?.deliveryId ?? '',
      type: DeliveriesAttemptedSchema.typeName,
      body: toBinary(DeliveriesAttemptedSchema, create(DeliveriesAttemptedSchema, { results: [...results] })),
    });
    return results.map(() => undefined);
  }

  /**
   * Time left on a lease by this machine's clock, in ms; the database's clock sets the lease. If this clock is ahead,
   * commands look late by as much, up to all of them. If it is behind, attempts can run past their lease and be made
   * twice. The clock watch distinguishes both from queueing.
   */
  function msLeft(lease: { readonly leaseExpiresAt?: Date | undefined }): number {
    return (lease.leaseExpiresAt?.getTime() ?? 0) - deps.clock().getTime();
  }

  function dropLate(command: DeliveryCommand, redelivered: boolean): ConsumeOutcome {
    metrics.commandDropped('too_late');
    const { deliveryId, subscriptionId, attempt } = command;
    const overrunMs = ATTEMPT_MS - msLeft(command);
    deps.logger.warn({ deliveryId, subscriptionId, attempt, overrunMs, redelivered }, 'delivery.dropped');
    deps.clockWatch.cameTooLate(command);
    return { kind: 'done' };
  }

  async function makeAttempt(
    command: DeliveryCommand,
    { secret, headers }: OpenedSecrets,
  ): Promise<DeliveryAttempted> {
    const attemptId = deps.newAttemptId();
    const attributes = {
      'partner.delivery_id': command.deliveryId,
      'partner.attempt_id': attemptId,
      'partner.event': command.event,
    };
    const parent = extractTrace({ traceparent: command.traceParent });
    return withSpan({ name: 'deliver webhook', kind: 'CLIENT', parent, attributes }, async (span) => {
      const startedAt = deps.clock();
      metrics.attemptBegan();
      let result: PostResult | undefined;
      try {
        result = await deps.sender.post({
          url: command.url,
          headers: { ...headers, ...signedHeaders({ command, secret, attemptId, startedAt }) },
          body: command.body,
        });
      } finally {
        metrics.attemptEnded(result);
      }
      span.setAttribute('partner.outcome', result.outcome);
      if ('response' in result && result.response !== undefined) {
        span.setAttribute('http.response.status_code', result.response.status);
      }
      logAttempt(command, attemptId, result);
      return describeAttempt({ command, attemptId, startedAt }, result, deps.clock());
    });
  }

  function logAttempt(command: DeliveryCommand, attemptId: string, result: PostResult): void {
    const response = 'response' in result ? result.response : undefined;
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
        ...(response !== undefined && { status: response.status }),
        ...('cause' in result && { refusal: result.cause }),
        ...('error' in result && { failure: result.error }),
      },
      'delivery.attempted',
    );
  }

  async function report(command: ReportableCommand, attempted: DeliveryAttempted): Promise<ConsumeOutcome> {
    const attemptId = attempted.attempt?.deliveryId ?? '';
    try {
      await publishResult(attempted);
    } catch (error) {
      if (!(error instanceof PublishError)) throw error;
      if (msLeft(command) >= 0) return { kind: 'retry', afterMs: REPORT_PAUSE_MS };
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

  async function failMalformed({ reason, reportable }: MalformedCommand): Promise<ConsumeOutcome> {
    if (reportable !== undefined) {
      const known = leases.recall(reportable.leaseId);
      if (known !== 'reported') {
        const attempted =
          known ?? Promise.resolve(describeUnsendable(reportable, deps.newAttemptId(), deps.clock()));
        if (known === undefined) leases.began(reportable.leaseId, attempted);
        const reported = await report(reportable, await attempted);
        if (reported.kind === 'retry') return reported;
      }
    }
    metrics.commandDropped('malformed');
    return { kind: 'dead', reason };
  }

  async function carryOut(read: ReadCommand, redelivered: boolean): Promise<DeliveryOutcome> {
    if ('malformed' in read) return failMalformed(read.malformed);
    const { command } = read;
    const known = leases.recall(command.leaseId);
    if (known === 'reported') {
      metrics.commandDropped('already_reported');
      return { kind: 'done' };
    }
    if (known !== undefined) return report(command, await known);
    if (msLeft(command) < ATTEMPT_MS) return dropLate(command, redelivered);
    deps.clockWatch.cameInTime(command);
    if (deps.stopping.aborted) return { kind: 'not_begun' };

    let secrets: OpenedSecrets;
    try {
      secrets = openSecrets(deps.sealingKeys, command);
    } catch (error) {
      // No attempt is used up: the delivery is due again after each lease until the key is configured.
      metrics.commandDropped('secret_unreadable');
      deps.logger.error(
        { err: error, deliveryId: command.deliveryId, subscriptionId: command.subscriptionId },
        'delivery.secret_unreadable',
      );
      return { kind: 'done' };
    }

    const attempt = makeAttempt(command, secrets);
    leases.began(command.leaseId, attempt);
    const attempted = await attempt;
    return report(command, attempted);
  }

  function outcomeOfAll(outcomes: readonly DeliveryOutcome[]): ConsumeOutcome {
    const notBegun = outcomes.filter(({ kind }) => kind === 'not_begun');
    if (notBegun.length === outcomes.length) return { kind: 'retry', afterMs: STOP_PAUSE_MS };
    // If the message is retried for one delivery, the lease memory recognizes the reported ones.
    const retry = outcomes.find((outcome) => outcome.kind === 'retry');
    if (retry !== undefined) return retry;
    for (const _ of notBegun) metrics.commandDropped('stopping');
    return outcomes.find((outcome) => outcome.kind === 'dead') ?? { kind: 'done' };
  }

  return async (message) => {
    const commands = readDeliveryCommands(message.body);
    if (commands.length === 0) {
      metrics.commandDropped('malformed');
      return { kind: 'dead', reason: 'the message is not a DeliverWebhooks, or is empty' };
    }
    const outcomes = await Promise.all(
      commands.map((read) =>
        slot(() =>
          runWithRequestId('command' in read ? read.command.requestId : undefined, () =>
            carryOut(read, message.redelivered),
          ),
        ),
      ),
    );
    return outcomeOfAll(outcomes);
  };
}

function describeUnsendable(
  command: ReportableCommand,
  attemptId: string,
  startedAt: Date,
): DeliveryAttempted {
  const { CONNECTION_FAILED: outcome } = AttemptOutcome;
  return describe({ command, attemptId, startedAt }, { outcome, durationMs: 0, error: UNSENDABLE });
}

interface EndedAttempt {
  readonly command: ReportableCommand;
  readonly attemptId: string;
  readonly startedAt: Date;
}

/** The result of an attempt, which names its delivery, lease and secret. */
function describe(
  { command, attemptId, startedAt }: EndedAttempt,
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

function describeAttempt(attempt: EndedAttempt, result: PostResult, now: Date): DeliveryAttempted {
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

import { setTimeout as delay } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  DeliveriesAttemptedSchema,
  type DeliveryAttempted,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { COMMANDS, DELIVERY_RESULTS, WEBHOOK_DELIVERIES } from '@partner/proto-contracts/topology';
import type { ConsumeOutcome, IncomingMessage } from '@partner/kernel/amqp/consumer';
import { textHeaders } from '@partner/kernel/amqp/message-text';
import { PublishError } from '@partner/kernel/amqp/publish-error';
import type { Publisher } from '@partner/kernel/amqp/publisher';
import { batchWhileBusy } from '@partner/kernel/process/batch-while-busy';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { runWithRequestId } from '@partner/kernel/telemetry/request-context';
import type { SealingKeys } from '@partner/kernel/security/secret-sealing';
import { extractTrace, withSpan } from '@partner/kernel/telemetry/tracing';
import pLimit, { type LimitFunction } from 'p-limit';
import { resultOf, resultOfUnsendable } from './attempt-result.js';
import type { ClockWatch } from './clock-watch.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import type { HttpsSender, PostResult } from './https-sender.js';
import type { LeaseMemory } from './lease-memory.js';
import {
  type DeliveryCommand,
  type MalformedCommand,
  type ReadCommand,
  readDeliveryCommands,
  type ReportableCommand,
} from './read-delivery-command.js';
import { type OpenedSecrets, openSecrets, signedHeaders } from './signed-headers.js';

export interface DeliverDeps {
  readonly sender: Pick<HttpsSender, 'post'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly leases: LeaseMemory;
  readonly concurrency: number;
  /** Aborted when a shutdown begins, before the consumer stops. */
  readonly stopping: AbortSignal;
  readonly sealingKeys: SealingKeys;
  readonly clock: () => Date;
  readonly clockWatch: ClockWatch;
  readonly newAttemptId: () => string;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly metrics: DeliveryMetrics;
}

const REPORT_PAUSE_MS = 500;
/** How long a result is offered to a broker that is away: job-state ends no lease meanwhile. Below the broker's consumer timeout. */
const REPORT_MS = 15 * 60_000;
/** Tries of a report once the process stops, for 3 s. */
const LAST_REPORTS = 6;
/** On shutdown the consumer cuts this delay short and requeues the command once its subscription is cancelled. */
const STOP_PAUSE_MS = 500;
const RESULTS_AT_ONCE = 200;
/** A message waits for as many results as nearly fill the slots of one endpoint in job-state, but never long: they stay taken. */
const RESULTS_GATHERED = { items: 8, ms: 80 };
/** Minimum time left on a lease to start an attempt: the attempt's time limit, and a margin for its report. */
const ATTEMPT_MS = LIMITS.webhookTimeoutMs + 2_000;
/** Outcome of one delivery of a command. `not_begun`: no attempt started, because this process is stopping. */
type DeliveryOutcome = ConsumeOutcome | { readonly kind: 'not_begun' };

/** A finished attempt that job-state may not know. */
interface Attempted {
  readonly kind: 'attempted';
  readonly command: DeliveryCommand;
  readonly attempted: DeliveryAttempted;
}

interface Delivering extends DeliverDeps {
  /** Runs work in one of the slots, which bound the attempts at once. */
  readonly inSlot: LimitFunction;
  /** Publishes a result, together with others that are ready at nearly the same time. Rejects with a {@link PublishError}. */
  readonly publishResult: (result: DeliveryAttempted) => Promise<undefined>;
  /** Reports that go on, by lease. */
  readonly reports: Map<string, Promise<ConsumeOutcome>>;
}

/**
 * Creates the handler of `DeliverWebhooks`. It signs and POSTs each delivery once, reports the results, and
 * acknowledges the command once all are reported. Results that finish within 80 ms are reported in one message: no work waits for
 * them, and their slots are free meanwhile.
 *
 * A crash in between loses nothing: the lease in job-state expires and the delivery is due again. If a command is
 * redelivered under a lease whose attempt this process made, the result is reported again, without a second POST.
 * job-state recognizes it by the attempt's id. A redelivered command under an unknown lease is dropped: another process may have
 * sent it, and reports that if it lives. A command too late to finish within its lease is dropped, so no attempt
 * runs beyond its lease. A command that can never be executed is reported as a failed attempt, if it
 * names its delivery, and then dead-lettered.
 *
 * While the broker is unavailable, the process keeps the results of its attempts, for up to 15 minutes, and reports them once the
 * broker is back. For each connection that it loses these are those of at most `concurrency` commands.
 *
 * On shutdown no attempt starts. Attempts in flight finish and are reported. A command with no attempt started is
 * published again, as a new message; its leases stay valid for the next replica. If only some deliveries of a command have
 * started, the others are dropped and become due when their leases expire: the new message would also repeat the sent ones. At
 * most about one command is in that state, because slots are assigned in order of arrival.
 */
export function createDeliver(deps: DeliverDeps): (message: IncomingMessage) => Promise<ConsumeOutcome> {
  const inSlot = pLimit(deps.concurrency);
  // Waiting deliveries get a slot at once: each settles without an attempt.
  deps.stopping.addEventListener('abort', () => {
    inSlot.concurrency = Infinity;
  });
  const publishResult = batchWhileBusy<DeliveryAttempted>({
    maxItems: RESULTS_AT_ONCE,
    run: (results) => publishResults(deps.publisher, results),
    isOfAll: () => true,
    gather: RESULTS_GATHERED,
  });
  const state: Delivering = { ...deps, inSlot, publishResult, reports: new Map() };

  return async (message) => {
    const commands = readDeliveryCommands(message.body);
    if (commands.length === 0) {
      deps.metrics.commandDropped('malformed');
      return { kind: 'dead', reason: 'the message is not a DeliverWebhooks, or is empty' };
    }
    const outcomes = await Promise.all(
      commands.map((read) =>
        runWithRequestId('command' in read ? read.command.requestId : undefined, () =>
          carryOut(state, read, message.redelivered),
        ),
      ),
    );
    const isBegun = outcomes.some(({ kind }) => kind !== 'not_begun');
    return isBegun ? outcomeOfAll(state, outcomes) : passOn(deps.publisher, message);
  };
}

async function passOn(
  publisher: Pick<Publisher, 'publish'>,
  { messageId, type, body, headers }: IncomingMessage,
): Promise<ConsumeOutcome> {
  try {
    await publisher.publish({
      ...{ exchange: COMMANDS, routingKey: WEBHOOK_DELIVERIES.name, messageId, type, body },
      headers: textHeaders(headers),
    });
    return { kind: 'done' };
  } catch (error) {
    if (!(error instanceof PublishError)) throw error;
    // Perhaps it is in the queue: a second copy would be sent too.
    if (error.isPerhapsSent) return { kind: 'done' };
    return { kind: 'retry', afterMs: STOP_PAUSE_MS };
  }
}

async function publishResults(
  publisher: Pick<Publisher, 'publish'>,
  results: readonly DeliveryAttempted[],
): Promise<readonly undefined[]> {
  await publisher.publish({
    exchange: COMMANDS,
    routingKey: DELIVERY_RESULTS.bindings[0].routingKey,
    messageId: results[0]?.attempt?.deliveryId ?? '',
    type: DeliveriesAttemptedSchema.typeName,
    body: toBinary(DeliveriesAttemptedSchema, create(DeliveriesAttemptedSchema, { results: [...results] })),
  });
  return results.map(() => undefined);
}

function outcomeOfAll({ metrics }: Delivering, outcomes: readonly DeliveryOutcome[]): ConsumeOutcome {
  const notBegun = outcomes.filter(({ kind }) => kind === 'not_begun');
  // If the message is retried for one delivery, the lease memory recognizes the reported ones.
  const retry = outcomes.find((outcome) => outcome.kind === 'retry');
  if (retry !== undefined) return retry;
  for (const _ of notBegun) metrics.commandDropped('stopping');
  return outcomes.find((outcome) => outcome.kind === 'dead') ?? { kind: 'done' };
}

async function carryOut(
  state: Delivering,
  read: ReadCommand,
  redelivered: boolean,
): Promise<DeliveryOutcome> {
  if ('malformed' in read) return failMalformed(state, read.malformed);
  const made = await state.inSlot(() => attempt(state, read.command, redelivered));
  return made.kind === 'attempted' ? report(state, made.command, made.attempted) : made;
}

async function attempt(
  state: Delivering,
  command: DeliveryCommand,
  redelivered: boolean,
): Promise<DeliveryOutcome | Attempted> {
  const { leases, metrics } = state;
  const known = leases.recall(command.leaseId);
  if (known === 'reported') {
    metrics.commandDropped('already_reported');
    return { kind: 'done' };
  }
  if (known !== undefined) return { kind: 'attempted', command, attempted: await known };
  if (redelivered) return drop(state, command, 'redelivered');
  const overrunMs = ATTEMPT_MS - msLeft(state, command);
  if (overrunMs > 0) {
    state.clockWatch.cameTooLate(command);
    return drop(state, command, 'too_late', { overrunMs });
  }
  state.clockWatch.cameInTime(command);
  if (state.stopping.aborted) return { kind: 'not_begun' };

  let secrets: OpenedSecrets;
  try {
    secrets = openSecrets(state.sealingKeys, command);
  } catch (error) {
    // No attempt is used up: the delivery is due again after each lease until the key is configured.
    metrics.commandDropped('secret_unreadable');
    const { deliveryId, subscriptionId } = command;
    state.logger.error({ err: error, deliveryId, subscriptionId }, 'delivery.secret_unreadable');
    return { kind: 'done' };
  }

  const making = makeAttempt(state, command, secrets);
  leases.began(command.leaseId, making);
  return { kind: 'attempted', command, attempted: await making };
}

/**
 * Time left on a lease by this machine's clock, in ms; the database's clock sets the lease. If this clock is ahead,
 * commands look late by as much, up to all of them. If it is behind, attempts can run past their lease and be made
 * twice. The clock watch distinguishes both from queueing.
 */
function msLeft({ clock }: Delivering, lease: { readonly leaseExpiresAt?: Date | undefined }): number {
  return (lease.leaseExpiresAt?.getTime() ?? 0) - clock().getTime();
}

function drop(
  { logger, metrics }: Delivering,
  { deliveryId, subscriptionId, attempt }: DeliveryCommand,
  reason: 'redelivered' | 'too_late',
  details: { readonly overrunMs?: number } = {},
): ConsumeOutcome {
  metrics.commandDropped(reason);
  logger.warn({ deliveryId, subscriptionId, attempt, reason, ...details }, 'delivery.dropped');
  return { kind: 'done' };
}

async function makeAttempt(
  { clock, logger, metrics, newAttemptId, sender }: Delivering,
  command: DeliveryCommand,
  secrets: OpenedSecrets,
): Promise<DeliveryAttempted> {
  const attemptId = newAttemptId();
  const attributes = {
    'partner.delivery_id': command.deliveryId,
    'partner.attempt_id': attemptId,
    'partner.event': command.event,
  };
  const parent = extractTrace({ traceparent: command.traceParent });
  return withSpan({ name: 'deliver webhook', kind: 'CLIENT', parent, attributes }, async (span) => {
    const startedAt = clock();
    metrics.attemptBegan();
    let result: PostResult | undefined;
    try {
      const headers = signedHeaders({ command, secrets, attemptId, startedAt });
      result = await sender.post({ url: command.url, headers, body: command.body });
    } finally {
      metrics.attemptEnded(result);
    }
    span.setAttribute('partner.outcome', result.outcome);
    if ('response' in result && result.response !== undefined) {
      span.setAttribute('http.response.status_code', result.response.status);
    }
    logger.info(attemptLine(command, attemptId, result), 'delivery.attempted');
    return resultOf({ command, attemptId, startedAt }, result, clock());
  });
}

function attemptLine(command: DeliveryCommand, attemptId: string, result: PostResult) {
  const { deliveryId, attempt, subscriptionId, eventId, event, secretVersion } = command;
  const response = 'response' in result ? result.response : undefined;
  return {
    ...{ deliveryId, attemptId, attempt, subscriptionId, eventId, event, secretVersion },
    outcome: result.outcome,
    durationMs: result.durationMs,
    ...(response !== undefined && { status: response.status }),
    ...('cause' in result && { refusal: result.cause }),
    ...('error' in result && { failure: result.error }),
  };
}

/** Resolves once the broker has the result. Meanwhile the broker may be away, and the channel of the command lost. */
function report(
  state: Delivering,
  command: ReportableCommand,
  attempted: DeliveryAttempted,
): Promise<ConsumeOutcome> {
  const { reports } = state;
  const { leaseId } = command;
  const reporting =
    reports.get(leaseId) ?? offer(state, command, attempted).finally(() => reports.delete(leaseId));
  reports.set(leaseId, reporting);
  return reporting;
}

async function offer(
  state: Delivering,
  { leaseId, deliveryId }: ReportableCommand,
  attempted: DeliveryAttempted,
): Promise<ConsumeOutcome> {
  const { clock, leases, logger, metrics, stopping } = state;
  const endsAt = clock().getTime() + REPORT_MS;
  let triesAtStop = 0;
  for (;;) {
    try {
      await state.publishResult(attempted);
      leases.reported(leaseId);
      return { kind: 'done' };
    } catch (error) {
      if (!(error instanceof PublishError)) throw error;
      if (clock().getTime() > endsAt) {
        metrics.resultLost();
        const attemptId = attempted.attempt?.deliveryId ?? '';
        logger.error({ deliveryId, attemptId, kind: error.kind }, 'delivery.result_lost');
        return { kind: 'done' };
      }
      if (stopping.aborted) triesAtStop += 1;
      if (triesAtStop >= LAST_REPORTS) return { kind: 'retry', afterMs: STOP_PAUSE_MS };
      await delay(REPORT_PAUSE_MS);
    }
  }
}

async function failMalformed(
  state: Delivering,
  { reason, reportable }: MalformedCommand,
): Promise<ConsumeOutcome> {
  const { leases, newAttemptId, clock } = state;
  const known = reportable && leases.recall(reportable.leaseId);
  if (reportable !== undefined && known !== 'reported') {
    const unsendable = () =>
      resultOfUnsendable({ command: reportable, attemptId: newAttemptId(), startedAt: clock() });
    const attempted = known ?? Promise.resolve(unsendable());
    if (known === undefined) leases.began(reportable.leaseId, attempted);
    const reported = await report(state, reportable, await attempted);
    if (reported.kind === 'retry') return reported;
  }
  state.metrics.commandDropped('malformed');
  return { kind: 'dead', reason };
}

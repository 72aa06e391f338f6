import { ATTEMPT_OUTCOMES } from '@partner/proto-contracts/resources/attempt/attempt';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { REFUSAL_CAUSES } from './endpoint-guard.js';
import type { PostResult } from './https-sender.js';

const DROP_REASONS = [
  'too_late',
  'redelivered',
  'already_reported',
  'secret_unreadable',
  'malformed',
  'stopping',
] as const;

type DropReason = (typeof DROP_REASONS)[number];

export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>;

const SECONDS_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics for operators. Labels never hold ids or hosts. */
export function createDeliveryMetrics(registry: Registry) {
  const registers = [registry];
  const attempts = new Counter({
    name: 'partner_webhook_attempts_total',
    help: 'Finished attempts, by outcome; `refusal` is the cause of a refused endpoint',
    labelNames: ['outcome', 'refusal'],
    registers,
  });
  const seconds = new Histogram({
    name: 'partner_webhook_attempt_seconds',
    help: 'Time of an attempt from name resolution to the end of the response',
    labelNames: ['outcome'],
    buckets: SECONDS_BUCKETS,
    registers,
  });
  const inFlight = new Gauge({
    name: 'partner_webhook_attempts_in_flight',
    help: 'Attempts in flight',
    registers,
  });
  const dropped = new Counter({
    name: 'partner_webhook_commands_dropped_total',
    help: 'Dropped commands; the delivery is due again when its lease ends, a malformed one has failed',
    labelNames: ['reason'],
    registers,
  });
  const lost = new Counter({
    name: 'partner_webhook_results_lost_total',
    help: 'Attempts whose result the broker did not confirm within 15 minutes; the delivery is attempted again',
    registers,
  });
  const skewed = new Counter({
    name: 'partner_webhook_clock_skewed_total',
    help: 'Commands whose lease reveals a clock skew of this process: ahead of, or behind, the database',
    labelNames: ['direction'],
    registers,
  });
  // Start each series at 0: Prometheus sees an increase only in a series that already exists.
  for (const outcome of ATTEMPT_OUTCOMES) {
    if (outcome !== 'endpoint_refused') attempts.inc({ outcome, refusal: '' }, 0);
  }
  for (const refusal of REFUSAL_CAUSES) attempts.inc({ outcome: 'endpoint_refused', refusal }, 0);
  for (const reason of DROP_REASONS) dropped.inc({ reason }, 0);
  for (const direction of ['ahead', 'behind']) skewed.inc({ direction }, 0);

  return {
    attemptBegan: () => inFlight.inc(),
    attemptEnded(result?: PostResult): void {
      inFlight.dec();
      if (result === undefined) return;
      const refusal = result.outcome === 'endpoint_refused' ? result.cause : '';
      attempts.inc({ outcome: result.outcome, refusal });
      seconds.observe({ outcome: result.outcome }, result.durationMs / 1_000);
    },
    commandDropped: (reason: DropReason) => dropped.inc({ reason }),
    resultLost: () => lost.inc(),
    clockSkewed: (direction: 'ahead' | 'behind') => skewed.inc({ direction }),
  };
}

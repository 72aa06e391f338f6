import { Counter, Histogram, type Registry } from 'prom-client';
import { ATTEMPT_OUTCOMES } from '@partner/proto-contracts/resources/attempt/attempt';
import { companyClass, type CompanyClassName } from '@partner/proto-contracts/values/company-class';

export type AttemptMetrics = ReturnType<typeof createAttemptMetrics>;

/** From the latency of a healthy endpoint to the last retry after 127 minutes. */
const DELIVERY_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600, 9_000];

export function createAttemptMetrics(metrics: Registry) {
  const registers = [metrics];
  const attempts = new Counter({
    name: 'partner_webhook_attempts_recorded_total',
    help: 'Recorded attempts by outcome.',
    labelNames: ['company_class', 'outcome'] as const,
    registers,
  });
  const deadLetters = new Counter({
    name: 'partner_webhook_dead_letters_total',
    help: 'Deliveries whose last attempt failed.',
    labelNames: ['company_class'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'partner_webhook_delivery_seconds',
    help: 'Time from the commit of the event, or of the replay, until the successful attempt is recorded; by whether it was the first attempt.',
    labelNames: ['company_class', 'attempt'] as const,
    buckets: DELIVERY_BUCKETS,
    registers,
  });
  for (const company_class of companyClass.options.map((option) => option.toLowerCase())) {
    for (const outcome of ATTEMPT_OUTCOMES) attempts.inc({ company_class, outcome }, 0);
    deadLetters.inc({ company_class }, 0);
    for (const attempt of ['first', 'later'] as const) seconds.zero({ company_class, attempt });
  }
  return {
    attempted(ofClass: CompanyClassName, outcome: (typeof ATTEMPT_OUTCOMES)[number]): void {
      attempts.inc({ company_class: ofClass.toLowerCase(), outcome });
    },
    deadLettered(ofClass: CompanyClassName): void {
      deadLetters.inc({ company_class: ofClass.toLowerCase() });
    },
    delivered(ofClass: CompanyClassName, afterSeconds: number, tries: number): void {
      const attempt = tries === 1 ? 'first' : 'later';
      seconds.observe({ company_class: ofClass.toLowerCase(), attempt }, Math.max(0, afterSeconds));
    },
  };
}

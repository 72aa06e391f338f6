import type { z } from 'zod';
import type { attempt, attemptSummary } from './attempt.js';

/** The attempt that delivered {@link DELIVERY_EXAMPLE}. */
export const ATTEMPT_EXAMPLE = {
  deliveryId: 'dlv_01k3jd7s3bf9m2t6xz8ea0q4hv',
  number: 1,
  startedAt: '2026-09-03T12:31:07.498Z',
  durationMs: 187,
  outcome: 'delivered',
  responseStatus: 204,
  responseBody: null,
  error: null,
  remoteAddress: '203.0.113.20',
  secretVersion: 1,
  exchange: {
    dnsMs: 4,
    addresses: ['203.0.113.20'],
    connectMs: 31,
    tlsMs: 64,
    tlsProtocol: 'TLSv1.3',
    certificate: {
      subject: 'hooks.sunny.example',
      issuer: 'Example CA 1',
      validTo: '2026-11-20T08:00:00.000Z',
    },
    reusedConnection: false,
    firstByteMs: 83,
  },
} as const satisfies z.infer<typeof attempt>;

/** The same as lists show it. */
export const ATTEMPT_SUMMARY_EXAMPLE = {
  deliveryId: ATTEMPT_EXAMPLE.deliveryId,
  number: ATTEMPT_EXAMPLE.number,
  startedAt: ATTEMPT_EXAMPLE.startedAt,
  durationMs: ATTEMPT_EXAMPLE.durationMs,
  outcome: ATTEMPT_EXAMPLE.outcome,
  responseStatus: ATTEMPT_EXAMPLE.responseStatus,
  error: ATTEMPT_EXAMPLE.error,
} as const satisfies z.infer<typeof attemptSummary>;

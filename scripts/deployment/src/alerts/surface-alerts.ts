import type { ServiceName } from '@partner/local-stack/stack/services';
import { type Alert, fires, noData, quiet, warning } from './alert.js';

/** Alerts about the dependencies of a service with HTTP: job-state for every request, Redis for rate limits. */
export function surfaceAlerts(service: ServiceName): readonly Alert[] {
  const of = `partner_service="${service}"`;
  const labels = { partner_service: service };
  const calls = (outcome: string) =>
    `partner_rpc_client_seconds_count{${of},method="m",outcome="${outcome}"}`;
  return [
    warning('PartnerRpcUnavailable', '5m', {
      expr: [
        `sum by (partner_service) (increase(partner_rpc_client_seconds_count{${of},outcome="unavailable"}[5m]))`,
        `  / sum by (partner_service) (increase(partner_rpc_client_seconds_count{${of}}[5m])) > 0.02`,
        `and sum by (partner_service) (increase(partner_rpc_client_seconds_count{${of},outcome="unavailable"}[5m])) > 5`,
      ].join('\n'),
      summary: `${service} receives no responses from job-state`,
      description: `More than 2 % of the calls of ${service} have ended without a response for 5 minutes: too late, or not sent at all.`,
      cases: [
        fires(labels, 'every tenth call ends without a response', '20m', {
          [calls('ok')]: '0+90x30',
          [calls('unavailable')]: '0+10x30',
        }),
        quiet('job-state refuses calls for their content', '20m', {
          [calls('ok')]: '0+90x30',
          [calls('not_found')]: '0+10x30',
        }),
      ],
    }),
    warning('PartnerRateLimiterDegraded', '2m', {
      expr: `max by (partner_service) (partner_rate_limiter_degraded{${of}}) > 0\nor absent(partner_rate_limiter_degraded{${of}})`,
      summary: `${service} counts requests without Redis`,
      description: `A replica of ${service} has counted requests locally for 2 minutes, since Redis does not respond.`,
      cases: [
        fires(labels, 'one of two replicas does not reach Redis', '10m', {
          [`partner_rate_limiter_degraded{${of}}`]: ['0x30', '0x5 1x30'],
        }),
        noData(labels),
        quiet('Redis was restarted', '10m', { [`partner_rate_limiter_degraded{${of}}`]: '0x5 1x1 0x30' }),
      ],
    }),
  ];
}

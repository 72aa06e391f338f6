import type { ServiceName } from '@partner/local-stack/stack/services';
import { type Alert, critical, fires, noData, quiet, warning } from './alert.js';

/** Alerts of a service with HTTP, besides those of every service. */
export function surfaceAlerts(service: ServiceName): readonly Alert[] {
  return [...requestAlerts(service), ...dependencyAlerts(service)];
}

/** Alerts about failing or slow requests of callers. */
function requestAlerts(service: ServiceName): readonly Alert[] {
  const of = `partner_service="${service}"`;
  const labels = { partner_service: service };
  const requests = (status: string, instance = 'a') =>
    `partner_http_request_duration_seconds_count{${of},route="/x",method="GET",status_class="${status}",instance="${instance}"}`;
  const within = (le: string, of5xx = '2xx') =>
    `partner_http_request_duration_seconds_bucket{${of},route="/x",method="GET",status_class="${of5xx}",le="${le}"}`;
  return [
    critical('PartnerHttpErrors', '5m', {
      expr: [
        `sum by (partner_service) (increase(partner_http_request_duration_seconds_count{${of},status_class="5xx"}[5m]))`,
        `  / sum by (partner_service) (increase(partner_http_request_duration_seconds_count{${of}}[5m])) > 0.02`,
        `and sum by (partner_service) (increase(partner_http_request_duration_seconds_count{${of},status_class="5xx"}[5m])) > 5`,
      ].join('\n'),
      summary: `${service} fails requests`,
      description: `More than 2 % of the requests to ${service} have returned 5xx for 5 minutes.`,
      cases: [
        fires(labels, 'one request in ten fails, and the counters restart at 0 after a restart', '20m', {
          [requests('2xx')]: '0+90x10 0+90x20',
          [requests('5xx')]: '0+10x10 0+10x20',
          [requests('2xx', 'b')]: '0+90x30',
          [requests('5xx', 'b')]: '0+10x30',
        }),
        quiet('one in a hundred fails', '20m', {
          [requests('2xx')]: '0+990x30',
          [requests('5xx')]: '0+10x30',
        }),
        quiet('the only request of a quiet night fails', '13m', {
          [requests('2xx')]: '0x30',
          [requests('5xx')]: '0x10 1x20',
        }),
      ],
    }),
    warning('PartnerHttpSlow', '10m', {
      expr: [
        `sum by (partner_service) (increase(partner_http_request_duration_seconds_bucket{${of},le=~"1|1.0"}[10m]))`,
        `  / sum by (partner_service) (increase(partner_http_request_duration_seconds_bucket{${of},le="+Inf"}[10m])) < 0.95`,
        `and sum by (partner_service) (increase(partner_http_request_duration_seconds_bucket{${of},le="+Inf"}[10m])) > 20`,
      ].join('\n'),
      summary: `${service} responds slowly`,
      description: `More than 5 % of the requests to ${service} have taken longer than a second for 10 minutes.`,
      cases: [
        fires(labels, 'one request in ten takes longer', '30m', {
          [within('1')]: '0+90x40',
          [within('+Inf')]: '0+100x40',
        }),
        quiet('one in a hundred does', '30m', { [within('1')]: '0+99x40', [within('+Inf')]: '0+100x40' }),
      ],
    }),
  ];
}

/** The dependencies of a surface: job-state for every request, Redis for rate limits. */
function dependencyAlerts(service: ServiceName): readonly Alert[] {
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

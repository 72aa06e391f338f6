import type { ServiceName } from '@partner/local-stack/stack/services';
import { type Panel, type Questions, stat, timeline } from './dashboard.js';

/** The selection of a query, and the labels that split it. */
interface Selection {
  readonly by?: readonly string[];
  readonly where?: string;
}

/** Returns a quantile of a histogram over five minutes, split by labels. */
export function quantile(q: number, histogram: string, options: Selection = {}): string {
  const by = ['le', ...(options.by ?? [])].join(', ');
  return `histogram_quantile(${q}, sum by (${by}) (rate(${histogram}_bucket${braced(options.where)}[5m])))`;
}

/** Returns the median and the slowest of a histogram over five minutes. */
export function quantiles(histogram: string, options?: Selection) {
  return [0.5, 0.95, 0.99].map((q) => ({ expr: quantile(q, histogram, options), legend: `p${q * 100}` }));
}

/** Returns the rate of a counter per second, split by labels. */
export function perSecond(counter: string, options: Selection = {}): string {
  return `${sumBy(options.by)}(rate(${counter}${braced(options.where)}[5m]))`;
}

/** Returns the increase of a counter in a span of time. */
export function counted(counter: string, span: string, options: Selection = {}): string {
  return `${sumBy(options.by)}(increase(${counter}${braced(options.where)}[${span}]))`;
}

function sumBy(by: readonly string[] | undefined): string {
  return by === undefined ? 'sum' : `sum by (${by.join(', ')}) `;
}

function braced(where: string | undefined): string {
  return where === undefined ? '' : `{${where}}`;
}

export function processQuestion(service: ServiceName): Questions {
  const of = `partner_service="${service}"`;
  return { 'Are the services healthy?': [...presentHealth(of), ...healthOverTime(of)] };
}

function presentHealth(of: string): readonly Panel[] {
  return [
    stat('Ready replicas', 'short', {
      about: 'Replicas whose /readyz returns 200. None: PartnerServiceNotReady.',
      query: `sum(partner_service_ready{${of}})`,
      limits: { warn: 1, alarm: 1, isGoodWhenHigh: true },
    }),
    stat('Started', 'dateTimeFromNow', {
      about: 'Start of the youngest replica.',
      query: `max(process_start_time_seconds{${of}}) * 1000`,
    }),
    stat('Channels that are missing', 'short', {
      about: 'Channels to the broker that are wanted and not open.',
      query: `sum(partner_amqp_channels_wanted{${of}}) - sum(partner_amqp_channels_open{${of}})`,
      limits: { warn: 1 },
    }),
    stat('Blocked connections', 'short', {
      about: 'Connections that the broker does not read from, because it is short of memory or disk.',
      query: `sum(partner_amqp_connection_blocked{${of}})`,
      limits: { alarm: 1 },
    }),
  ];
}

function healthOverTime(of: string): readonly Panel[] {
  return [
    timeline('Conditions of being ready', 'short', {
      about: '1 where a condition is true at all replicas, by its name in /readyz.',
      query: `min by (check) (partner_service_readiness_check{${of}})`,
    }),
    timeline('Dependencies', 'short', {
      about:
        '1 where all replicas reach a dependency. A loss leaves them ready. At none: PartnerDependencyDown.',
      query: `min by (dependency) (partner_service_dependency_available{${of}})`,
    }),
    timeline('Event loop lag', 's', {
      about:
        'Delay of iterations of the event loop, at the slowest replica. Over 250 ms: PartnerEventLoopSlow.',
      query: [
        { expr: `max(nodejs_eventloop_lag_p50_seconds{${of}})`, legend: 'p50' },
        { expr: `max(nodejs_eventloop_lag_p99_seconds{${of}})`, legend: 'p99' },
      ],
      limits: { warn: 0.1, alarm: 0.25 },
    }),
    timeline('Processor', 'short', {
      about: 'Processors that each replica keeps busy.',
      query: { expr: `rate(process_cpu_seconds_total{${of}}[5m])`, legend: '{{instance}}' },
    }),
    timeline('Memory', 'bytes', {
      about: 'Resident memory of each replica.',
      query: { expr: `process_resident_memory_bytes{${of}}`, legend: '{{instance}}' },
    }),
    timeline('Broker: connections', 'short', {
      about: '1 while all replicas have the connection.',
      query: `min by (connection) (partner_amqp_connection_up{${of}})`,
    }),
    timeline('Broker: losses and failures', 'short', {
      about: 'Connections that were lost or failed, and channels that were reopened, in five minutes.',
      query: [
        { expr: counted('partner_amqp_connection_losses_total', '5m', { where: of }), legend: 'lost' },
        { expr: counted('partner_amqp_connect_failures_total', '5m', { where: of }), legend: 'not made' },
        {
          expr: counted('partner_amqp_channel_rebuilds_total', '5m', { where: of, by: ['channel'] }),
          legend: 'channel {{channel}} reopened',
        },
      ],
    }),
  ];
}

export function messagePanels(service: ServiceName): readonly Panel[] {
  const of = `partner_service="${service}"`;
  return [
    timeline('Confirms of the broker (p95)', 's', {
      about: 'From publish to confirm, by exchange.',
      query: quantile(0.95, 'partner_publish_confirm_seconds', { where: of, by: ['exchange'] }),
      limits: { warn: 0.5, alarm: 2 },
    }),
    timeline('Messages that were not published', 'short', {
      about: 'Messages a second that do not count as published, by exchange and kind. They are retried.',
      query: perSecond('partner_publish_failures_total', { where: of, by: ['exchange', 'kind'] }),
    }),
    timeline('Messages by outcome', 'short', {
      about:
        'Consumed messages a second by queue and outcome; dead ones are in the queue’s dead-letter queue.',
      query: perSecond('partner_consumer_outcomes_total', { where: of, by: ['queue', 'outcome'] }),
    }),
    timeline('Time of a message (p95)', 's', {
      about: 'Time in the handler, by queue.',
      query: quantile(0.95, 'partner_consumer_seconds', { where: of, by: ['queue'] }),
    }),
  ];
}

export function callPanels(service: ServiceName): readonly Panel[] {
  const of = `partner_service="${service}"`;
  return [
    timeline('Calls by method (p95)', 's', {
      about: 'Time of calls over the broker, failed ones included.',
      query: quantile(0.95, 'partner_rpc_client_seconds', { where: of, by: ['method'] }),
      limits: { warn: 0.5, alarm: 2 },
    }),
    timeline('Calls without a response', 'short', {
      about:
        'Calls a second whose deadline passed, or that were not sent because the broker is down. PartnerRpcUnavailable.',
      query: [
        {
          expr: perSecond('partner_rpc_client_timeouts_total', { where: of, by: ['method'] }),
          legend: 'too late: {{method}}',
        },
        {
          expr: perSecond('partner_rpc_client_seconds_count', { where: `${of},outcome="unavailable"` }),
          legend: 'no response, in all',
        },
      ],
    }),
    timeline('Calls in flight', 'short', {
      about: 'Calls that wait for a response; 200 at most for each replica and queue.',
      query: `sum by (queue) (partner_rpc_client_in_flight{${of}})`,
      limits: { warn: 100, alarm: 200 },
    }),
  ];
}

export function httpQuestions(service: ServiceName): Questions {
  return {
    'Is a partner missing something?': failurePanels(service),
    'Are we fast?': durationPanels(service),
  };
}

function failurePanels(service: ServiceName): readonly Panel[] {
  const of = `partner_service="${service}"`;
  const count = 'partner_http_request_duration_seconds_count';
  return [
    stat('Failed requests', 'percentunit', {
      about:
        'Share of requests of the last 5 minutes that returned 5xx. Many use up the error budget: PartnerBudgetBurnsFast.',
      query: `(${counted(count, '5m', { where: `${of},status_class="5xx"` })} or vector(0)) / ${counted(count, '5m', { where: of })}`,
      limits: { warn: 0.005, alarm: 0.02 },
    }),
    stat('Refused for a limit', 'short', {
      about: 'Requests of the last hour that received 429.',
      query: counted('partner_rate_limit_decisions_total', '1h', { where: `${of},outcome="refused"` }),
    }),
    stat('Counting without Redis', 'short', {
      about: 'Replicas that count requests locally. PartnerRateLimiterDegraded.',
      query: `sum(partner_rate_limiter_degraded{${of}})`,
      limits: { warn: 1 },
    }),
    stat('Given up by clients', 'short', {
      about: 'Requests of the last hour whose client left before the response was sent.',
      query: counted(count, '1h', { where: `${of},status_class="aborted"` }),
    }),
    timeline('Requests by status', 'reqps', {
      about: 'Requests a second.',
      query: perSecond(count, { where: of, by: ['status_class'] }),
    }),
    timeline('Success by class of company', 'percentunit', {
      about: 'Share of requests that did not return 5xx, by the class of the calling company.',
      query: `1 - ((${perSecond('partner_http_company_class_request_duration_seconds_count', { where: `${of},status_class="5xx"`, by: ['company_class'] })}) or 0 * ${perSecond('partner_http_company_class_request_duration_seconds_count', { where: of, by: ['company_class'] })}) / ${perSecond('partner_http_company_class_request_duration_seconds_count', { where: of, by: ['company_class'] })}`,
      limits: { warn: 0.99, alarm: 0.98, isGoodWhenHigh: true },
    }),
  ];
}

function durationPanels(service: ServiceName): readonly Panel[] {
  const of = `partner_service="${service}"`;
  return [
    timeline('Requests (p50, p95, p99)', 's', {
      about: 'From the first byte of a request to the last of its response; streams are excluded.',
      query: quantiles('partner_http_request_duration_seconds', { where: of }),
      limits: { warn: 0.5, alarm: 1 },
    }),
    timeline('By class of company (p95)', 's', {
      about: 'As on the left, by the class of the calling company.',
      query: quantile(0.95, 'partner_http_company_class_request_duration_seconds', {
        where: of,
        by: ['company_class'],
      }),
      limits: { warn: 0.5, alarm: 1 },
    }),
    timeline('By endpoint (p95)', 's', {
      about: 'By path pattern and method.',
      query: quantile(0.95, 'partner_http_request_duration_seconds', {
        where: of,
        by: ['method', 'route'],
      }),
    }),
    ...callPanels(service),
  ];
}

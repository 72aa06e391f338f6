import type { ServiceName } from '@partner/local-stack/stack/services';
import type { Panel, Question } from './dashboard.js';

/** A quantile of a histogram over five minutes, split by labels. */
export function quantile(
  q: number,
  histogram: string,
  options: { readonly by?: readonly string[]; readonly where?: string } = {},
): string {
  const by = ['le', ...(options.by ?? [])].join(', ');
  return `histogram_quantile(${q}, sum by (${by}) (rate(${histogram}_bucket${braced(options.where)}[5m])))`;
}

/** How often a counter counts in a second, split by labels. */
export function perSecond(
  counter: string,
  options: { readonly by?: readonly string[]; readonly where?: string } = {},
): string {
  return `${sumBy(options.by)}(rate(${counter}${braced(options.where)}[5m]))`;
}

/** How much a counter has counted in a span of time. */
export function counted(
  counter: string,
  span: string,
  options: { readonly by?: readonly string[]; readonly where?: string } = {},
): string {
  return `${sumBy(options.by)}(increase(${counter}${braced(options.where)}[${span}]))`;
}

function sumBy(by: readonly string[] | undefined): string {
  return by === undefined ? 'sum' : `sum by (${by.join(', ')}) `;
}

function braced(where: string | undefined): string {
  return where === undefined ? '' : `{${where}}`;
}

/** The panels that every service has of its process and its broker. */
export function processQuestion(service: ServiceName): Question {
  const of = `partner_service="${service}"`;
  return { question: 'Are the services healthy?', panels: [...presentHealth(of), ...healthOverTime(of)] };
}

/** Replicas and broker connections as they are now. */
function presentHealth(of: string): readonly Panel[] {
  return [
    {
      kind: 'stat',
      title: 'Ready replicas',
      about: 'Replicas whose /readyz returns 200. None: PartnerServiceNotReady.',
      unit: 'short',
      queries: [{ expr: `sum(partner_service_ready{${of}})` }],
      warnAt: 1,
      alarmAt: 1,
      isGoodWhenHigh: true,
    },
    {
      kind: 'stat',
      title: 'Started',
      about: 'When the youngest replica was started.',
      unit: 'dateTimeFromNow',
      queries: [{ expr: `max(process_start_time_seconds{${of}}) * 1000` }],
    },
    {
      kind: 'stat',
      title: 'Channels that are missing',
      about: 'Channels to the broker that are wanted and not open.',
      unit: 'short',
      queries: [
        { expr: `sum(partner_amqp_channels_wanted{${of}}) - sum(partner_amqp_channels_open{${of}})` },
      ],
      warnAt: 1,
    },
    {
      kind: 'stat',
      title: 'Blocked connections',
      about: 'Connections that the broker reads nothing from, since it is short of memory or disk.',
      unit: 'short',
      queries: [{ expr: `sum(partner_amqp_connection_blocked{${of}})` }],
      alarmAt: 1,
    },
  ];
}

/** Readiness, resources and broker connections of the replicas over time. */
function healthOverTime(of: string): readonly Panel[] {
  return [
    {
      kind: 'timeline',
      title: 'Conditions of being ready',
      about: '1 where a condition holds at all replicas, by its name in /readyz.',
      unit: 'short',
      queries: [{ expr: `min by (check) (partner_service_readiness_check{${of}})`, legend: '{{check}}' }],
    },
    {
      kind: 'timeline',
      title: 'Dependencies',
      about:
        '1 where all replicas reach a dependency. A loss leaves them ready. At none: PartnerDependencyDown.',
      unit: 'short',
      queries: [
        {
          expr: `min by (dependency) (partner_service_dependency_available{${of}})`,
          legend: '{{dependency}}',
        },
      ],
    },
    {
      kind: 'timeline',
      title: 'Event loop lag',
      about:
        'How late iterations of the event loop start, at the slowest replica. Over 250 ms: PartnerEventLoopSlow.',
      unit: 's',
      queries: [
        { expr: `max(nodejs_eventloop_lag_p50_seconds{${of}})`, legend: 'p50' },
        { expr: `max(nodejs_eventloop_lag_p99_seconds{${of}})`, legend: 'p99' },
      ],
      warnAt: 0.1,
      alarmAt: 0.25,
    },
    {
      kind: 'timeline',
      title: 'Processor',
      about: 'Processors that each replica keeps busy.',
      unit: 'short',
      queries: [{ expr: `rate(process_cpu_seconds_total{${of}}[5m])`, legend: '{{instance}}' }],
    },
    {
      kind: 'timeline',
      title: 'Memory',
      about: 'Resident memory of each replica.',
      unit: 'bytes',
      queries: [{ expr: `process_resident_memory_bytes{${of}}`, legend: '{{instance}}' }],
    },
    {
      kind: 'timeline',
      title: 'Broker: connections',
      about: '1 while all replicas have the connection.',
      unit: 'short',
      queries: [
        { expr: `min by (connection) (partner_amqp_connection_up{${of}})`, legend: '{{connection}}' },
      ],
    },
    {
      kind: 'timeline',
      title: 'Broker: losses and failures',
      about: 'Connections that were lost or not made, and channels that were made again, in five minutes.',
      unit: 'short',
      queries: [
        { expr: counted('partner_amqp_connection_losses_total', '5m', { where: of }), legend: 'lost' },
        { expr: counted('partner_amqp_connect_failures_total', '5m', { where: of }), legend: 'not made' },
        {
          expr: counted('partner_amqp_channel_rebuilds_total', '5m', { where: of, by: ['channel'] }),
          legend: 'channel {{channel}} made again',
        },
      ],
    },
  ];
}

/** What a service does with the broker beside calls: it publishes and consumes. */
export function messagePanels(service: ServiceName): readonly Panel[] {
  const of = `partner_service="${service}"`;
  return [
    {
      kind: 'timeline',
      title: 'Confirms of the broker (p95)',
      about: 'From publish to confirm, by exchange.',
      unit: 's',
      queries: [
        {
          expr: quantile(0.95, 'partner_publish_confirm_seconds', { where: of, by: ['exchange'] }),
          legend: '{{exchange}}',
        },
      ],
      warnAt: 0.5,
      alarmAt: 2,
    },
    {
      kind: 'timeline',
      title: 'What could not be published',
      about: 'Messages a second that do not count as published, by exchange and kind. They are retried.',
      unit: 'short',
      queries: [
        {
          expr: perSecond('partner_publish_failures_total', { where: of, by: ['exchange', 'kind'] }),
          legend: '{{exchange}} {{kind}}',
        },
      ],
    },
    {
      kind: 'timeline',
      title: 'Messages by outcome',
      about:
        'Consumed messages a second by queue and what became of them; dead ones are in the queue’s dead-letter queue.',
      unit: 'short',
      queries: [
        {
          expr: perSecond('partner_consumer_outcomes_total', { where: of, by: ['queue', 'outcome'] }),
          legend: '{{queue}} {{outcome}}',
        },
      ],
    },
    {
      kind: 'timeline',
      title: 'Time of a message (p95)',
      about: 'Time in the handler, by queue.',
      unit: 's',
      queries: [
        {
          expr: quantile(0.95, 'partner_consumer_seconds', { where: of, by: ['queue'] }),
          legend: '{{queue}}',
        },
      ],
    },
  ];
}

/** What a service that calls job-state feels of it. */
export function callPanels(service: ServiceName): readonly Panel[] {
  const of = `partner_service="${service}"`;
  return [
    {
      kind: 'timeline',
      title: 'Calls by method (p95)',
      about: 'Time of calls over the broker, failed ones included.',
      unit: 's',
      queries: [
        {
          expr: quantile(0.95, 'partner_rpc_client_seconds', { where: of, by: ['method'] }),
          legend: '{{method}}',
        },
      ],
      warnAt: 0.5,
      alarmAt: 2,
    },
    {
      kind: 'timeline',
      title: 'Calls without a response',
      about:
        'Calls a second whose deadline passed, or that were not sent since the broker is away. PartnerRpcUnavailable.',
      unit: 'short',
      queries: [
        {
          expr: perSecond('partner_rpc_client_timeouts_total', { where: of, by: ['method'] }),
          legend: 'too late: {{method}}',
        },
        {
          expr: perSecond('partner_rpc_client_seconds_count', { where: `${of},outcome="unavailable"` }),
          legend: 'no response, in all',
        },
      ],
    },
    {
      kind: 'timeline',
      title: 'Calls in flight',
      about: 'Calls that wait for a response; 200 at most for each replica and queue.',
      unit: 'short',
      queries: [{ expr: `sum by (queue) (partner_rpc_client_in_flight{${of}})`, legend: '{{queue}}' }],
      warnAt: 100,
      alarmAt: 200,
    },
  ];
}

/** What callers of a service feel over HTTP. */
export function httpQuestions(service: ServiceName): readonly Question[] {
  return [failureQuestion(service), durationQuestion(service)];
}

/** Requests that failed, were refused or were given up. */
function failureQuestion(service: ServiceName): Question {
  const of = `partner_service="${service}"`;
  const count = 'partner_http_request_duration_seconds_count';
  return {
    question: 'Is a partner missing something?',
    panels: [
      {
        kind: 'stat',
        title: 'Failed requests',
        about: 'Share of requests of the last 5 minutes that returned 5xx. Over 2 %: PartnerHttpErrors.',
        unit: 'percentunit',
        queries: [
          {
            expr: `(${counted(count, '5m', { where: `${of},status_class="5xx"` })} or vector(0)) / ${counted(count, '5m', { where: of })}`,
          },
        ],
        warnAt: 0.005,
        alarmAt: 0.02,
      },
      {
        kind: 'stat',
        title: 'Refused for a limit',
        about: 'Requests of the last hour that got 429.',
        unit: 'short',
        queries: [
          {
            expr: counted('partner_rate_limit_decisions_total', '1h', { where: `${of},outcome="refused"` }),
          },
        ],
      },
      {
        kind: 'stat',
        title: 'Counting without Redis',
        about: 'Replicas that count requests for themselves. PartnerRateLimiterDegraded.',
        unit: 'short',
        queries: [{ expr: `sum(partner_rate_limiter_degraded{${of}})` }],
        warnAt: 1,
      },
      {
        kind: 'stat',
        title: 'Given up by clients',
        about: 'Requests of the last hour whose client left before the response was sent.',
        unit: 'short',
        queries: [{ expr: counted(count, '1h', { where: `${of},status_class="aborted"` }) }],
      },
      {
        kind: 'timeline',
        title: 'Requests by status',
        about: 'Requests a second.',
        unit: 'reqps',
        queries: [
          { expr: perSecond(count, { where: of, by: ['status_class'] }), legend: '{{status_class}}' },
        ],
      },
      {
        kind: 'timeline',
        title: 'Success by class of company',
        about: 'Share of requests that did not return 5xx, by the class of the calling company.',
        unit: 'percentunit',
        queries: [
          {
            expr: `1 - ((${perSecond('partner_http_company_class_request_duration_seconds_count', { where: `${of},status_class="5xx"`, by: ['company_class'] })}) or 0 * ${perSecond('partner_http_company_class_request_duration_seconds_count', { where: of, by: ['company_class'] })}) / ${perSecond('partner_http_company_class_request_duration_seconds_count', { where: of, by: ['company_class'] })}`,
            legend: '{{company_class}}',
          },
        ],
        isGoodWhenHigh: true,
        warnAt: 0.99,
        alarmAt: 0.98,
      },
    ],
  };
}

/** How long requests take, and the calls to job-state that they wait for. */
function durationQuestion(service: ServiceName): Question {
  const of = `partner_service="${service}"`;
  return {
    question: 'Are we fast?',
    panels: [
      {
        kind: 'timeline',
        title: 'Requests (p50, p95, p99)',
        about: 'From the first byte of a request to the last of its response; streams are left out.',
        unit: 's',
        queries: [0.5, 0.95, 0.99].map((q) => ({
          expr: quantile(q, 'partner_http_request_duration_seconds', { where: of }),
          legend: `p${q * 100}`,
        })),
        warnAt: 0.5,
        alarmAt: 1,
      },
      {
        kind: 'timeline',
        title: 'By class of company (p95)',
        about: 'As on the left, by the class of the company that asked.',
        unit: 's',
        queries: [
          {
            expr: quantile(0.95, 'partner_http_company_class_request_duration_seconds', {
              where: of,
              by: ['company_class'],
            }),
            legend: '{{company_class}}',
          },
        ],
        warnAt: 0.5,
        alarmAt: 1,
      },
      {
        kind: 'timeline',
        title: 'By endpoint (p95)',
        about: 'By path pattern and method.',
        unit: 's',
        queries: [
          {
            expr: quantile(0.95, 'partner_http_request_duration_seconds', {
              where: of,
              by: ['method', 'route'],
            }),
            legend: '{{method}} {{route}}',
          },
        ],
      },
      ...callPanels(service),
    ],
  };
}

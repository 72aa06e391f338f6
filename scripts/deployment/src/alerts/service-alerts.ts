import type { ServiceName } from '@partner/local-stack/stack/services';
import { type Alert, noData } from './alert.js';

/** What every service can suffer from: each chart has these for its own. */
export function serviceAlerts(service: ServiceName): readonly Alert[] {
  return [
    ...availabilityAlerts(service),
    ...processAlerts(service),
    ...brokerAlerts(service),
    ...channelAlerts(service),
  ];
}

/** The label of a service in expressions and in alerts, and the names of its series in test cases. */
function metricsOf(service: ServiceName) {
  const of = `partner_service="${service}"`;
  return {
    of,
    labels: { partner_service: service },
    series: (name: string, more: string) => `${name}{${of},${more}}`,
  };
}

/** Whether replicas run and are ready. */
function availabilityAlerts(service: ServiceName): readonly Alert[] {
  const { of, labels, series } = metricsOf(service);
  return [
    {
      name: 'PartnerServiceDown',
      severity: 'critical',
      expr: `absent(process_start_time_seconds{${of}})`,
      for: '2m',
      summary: `No replica of ${service} is there`,
      description: `Prometheus reads metrics of no replica of ${service}.`,
      cases: [
        noData(labels),
        {
          when: 'one of two replicas is there',
          series: { [series('process_start_time_seconds', 'instance="b"')]: '1000x30' },
          at: '20m',
          firing: [],
        },
      ],
    },
    {
      name: 'PartnerServiceNotReady',
      severity: 'critical',
      expr: `max by (partner_service) (partner_service_ready{${of}}) < 1\nor absent(partner_service_ready{${of}})`,
      for: '2m',
      summary: `No replica of ${service} is ready`,
      description: `Replicas of ${service} run, but none has started, reached its dependencies and accepts work.`,
      cases: [
        {
          when: 'both replicas stop and do not come back',
          series: {
            [series('partner_service_ready', 'instance="a"')]: '1x5 0x30',
            [series('partner_service_ready', 'instance="b"')]: '1x5 0x30',
          },
          at: '10m',
          firing: [labels],
        },
        noData(labels),
        {
          when: 'one replica is ready',
          series: {
            [series('partner_service_ready', 'instance="a"')]: '1x30',
            [series('partner_service_ready', 'instance="b"')]: '0x30',
          },
          at: '20m',
          firing: [],
        },
      ],
    },
    {
      name: 'PartnerDependencyDown',
      severity: 'critical',
      expr: `max by (partner_service, dependency) (partner_service_dependency_available{${of}}) < 1\nor absent(partner_service_dependency_available{${of}})`,
      for: '2m',
      summary: `No replica of ${service} reaches a dependency`,
      description: `The dependency "{{ $labels.dependency }}" is available to no replica of ${service}.`,
      cases: [
        {
          when: 'both replicas lose the broker',
          series: {
            [series('partner_service_dependency_available', 'dependency="d",instance="a"')]: '1x5 0x30',
            [series('partner_service_dependency_available', 'dependency="d",instance="b"')]: '1x5 0x30',
          },
          at: '10m',
          firing: [{ ...labels, dependency: 'd' }],
        },
        noData(labels),
        {
          when: 'one replica reaches it',
          series: {
            [series('partner_service_dependency_available', 'dependency="d",instance="a"')]: '1x30',
            [series('partner_service_dependency_available', 'dependency="d",instance="b"')]: '0x30',
          },
          at: '20m',
          firing: [],
        },
      ],
    },
    {
      name: 'PartnerReplicaCutOff',
      severity: 'warning',
      expr: `min by (partner_service, dependency) (partner_service_dependency_available{${of}}) < 1`,
      for: '10m',
      summary: `A replica of ${service} does not reach a dependency`,
      description: `A replica of ${service} has not reached "{{ $labels.dependency }}" for 10 minutes. It is ready and gets requests all the same.`,
      cases: [
        {
          when: 'the node of one of two replicas is cut off',
          series: {
            [series('partner_service_dependency_available', 'dependency="d",instance="a"')]: '1x30',
            [series('partner_service_dependency_available', 'dependency="d",instance="b"')]: '1x5 0x30',
          },
          at: '20m',
          firing: [{ ...labels, dependency: 'd' }],
        },
        {
          when: 'the broker restarts',
          series: { [series('partner_service_dependency_available', 'dependency="d"')]: '1x5 0x3 1x20' },
          at: '20m',
          firing: [],
        },
      ],
    },
    {
      name: 'PartnerReplicaNotReady',
      severity: 'warning',
      expr: `min by (partner_service) (partner_service_ready{${of}}) < 1`,
      for: '10m',
      summary: `A replica of ${service} is not ready for long`,
      description: `A replica of ${service} has not become ready in 10 minutes; the others do its work.`,
      cases: [
        {
          when: 'one of two replicas hangs in its start',
          series: {
            [series('partner_service_ready', 'instance="a"')]: '1x30',
            [series('partner_service_ready', 'instance="b"')]: '0x30',
          },
          at: '20m',
          firing: [labels],
        },
        {
          when: 'a rollout takes three minutes',
          series: { [series('partner_service_ready', 'instance="b"')]: '1x5 0x3 1x20' },
          at: '20m',
          firing: [],
        },
      ],
    },
  ];
}

/** Whether the processes of the replicas are healthy. */
function processAlerts(service: ServiceName): readonly Alert[] {
  const { of, labels, series } = metricsOf(service);
  return [
    {
      name: 'PartnerServiceRestarts',
      severity: 'warning',
      expr: `sum by (partner_service) (changes(process_start_time_seconds{${of}}[30m])) >= 3`,
      for: '0m',
      summary: `${service} starts again and again`,
      description: `Replicas of ${service} have been started again at least three times in 30 minutes.`,
      cases: [
        {
          when: 'a replica crashes every five minutes',
          series: { [series('process_start_time_seconds', 'instance="a"')]: '100x5 400x5 700x5 1000x10' },
          at: '20m',
          firing: [labels],
        },
        {
          when: 'each of two replicas was started again once',
          series: {
            [series('process_start_time_seconds', 'instance="a"')]: '100x5 400x20',
            [series('process_start_time_seconds', 'instance="b"')]: '100x9 700x20',
          },
          at: '20m',
          firing: [],
        },
      ],
    },
    {
      name: 'PartnerEventLoopSlow',
      severity: 'warning',
      expr: `max by (partner_service) (nodejs_eventloop_lag_p99_seconds{${of}}) > 0.25\nor absent(nodejs_eventloop_lag_p99_seconds{${of}})`,
      for: '5m',
      summary: `The event loop of ${service} is slow`,
      description: `One in a hundred iterations of the event loop of a replica of ${service} starts more than 250 ms late.`,
      cases: [
        {
          when: 'one of two replicas is busy',
          series: {
            [series('nodejs_eventloop_lag_p99_seconds', 'instance="a"')]: '0.02x30',
            [series('nodejs_eventloop_lag_p99_seconds', 'instance="b"')]: '0.4x30',
          },
          at: '10m',
          firing: [labels],
        },
        noData(labels),
        {
          when: 'a start takes a moment',
          series: { [series('nodejs_eventloop_lag_p99_seconds', 'instance="a"')]: '0.9x2 0.02x30' },
          at: '10m',
          firing: [],
        },
      ],
    },
  ];
}

/** Whether the replicas reach the broker, and it reads from them. */
function brokerAlerts(service: ServiceName): readonly Alert[] {
  const { of, labels, series } = metricsOf(service);
  return [
    {
      name: 'PartnerBrokerConnectionDown',
      severity: 'warning',
      expr: `min by (partner_service, connection) (partner_amqp_connection_up{${of}}) < 1\nor absent(partner_amqp_connection_up{${of}})`,
      for: '3m',
      summary: `${service} does not reach the broker`,
      description: `A replica of ${service} has had no connection "{{ $labels.connection }}" to the broker for 3 minutes.`,
      cases: [
        {
          when: 'one of two replicas is cut off',
          series: {
            [series('partner_amqp_connection_up', 'connection="c",instance="a"')]: '1x30',
            [series('partner_amqp_connection_up', 'connection="c",instance="b"')]: '1x5 0x30',
          },
          at: '15m',
          firing: [{ ...labels, connection: 'c' }],
        },
        noData(labels),
        {
          when: 'the broker was started again',
          series: { [series('partner_amqp_connection_up', 'connection="c"')]: '1x5 0x2 1x30' },
          at: '15m',
          firing: [],
        },
      ],
    },
    {
      name: 'PartnerBrokerBlocked',
      severity: 'critical',
      expr: `max by (partner_service, connection) (partner_amqp_connection_blocked{${of}}) > 0\nor absent(partner_amqp_connection_blocked{${of}})`,
      for: '1m',
      summary: `The broker takes nothing from ${service}`,
      description: `The broker is short of memory or disk and reads nothing from the connection "{{ $labels.connection }}" of ${service}.`,
      cases: [
        {
          when: 'the disk of the broker is full',
          series: { [series('partner_amqp_connection_blocked', 'connection="c"')]: '0x5 1x30' },
          at: '10m',
          firing: [{ ...labels, connection: 'c' }],
        },
        noData(labels),
        {
          when: 'it is well',
          series: { [series('partner_amqp_connection_blocked', 'connection="c"')]: '0x30' },
          at: '10m',
          firing: [],
        },
      ],
    },
  ];
}

/** Whether the channels of the broker connections are open. */
function channelAlerts(service: ServiceName): readonly Alert[] {
  const { of, labels, series } = metricsOf(service);
  return [
    {
      name: 'PartnerChannelsMissing',
      severity: 'warning',
      expr: `max by (partner_service, connection) (partner_amqp_channels_wanted{${of}} - partner_amqp_channels_open{${of}}) > 0\nor absent(partner_amqp_channels_open{${of}})`,
      for: '5m',
      summary: `A channel of ${service} cannot be opened`,
      description: `A channel of the connection "{{ $labels.connection }}" of ${service} has not come up in 5 minutes.`,
      cases: [
        {
          when: 'a queue was declared otherwise by someone else',
          series: {
            [series('partner_amqp_channels_wanted', 'connection="c"')]: '4x30',
            [series('partner_amqp_channels_open', 'connection="c"')]: '3x30',
          },
          at: '10m',
          firing: [{ ...labels, connection: 'c' }],
        },
        noData(labels),
        {
          when: 'all are open',
          series: {
            [series('partner_amqp_channels_wanted', 'connection="c"')]: '4x30',
            [series('partner_amqp_channels_open', 'connection="c"')]: '4x5 3x2 4x30',
          },
          at: '10m',
          firing: [],
        },
      ],
    },
  ];
}

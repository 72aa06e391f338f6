import type { ServiceName } from '@partner/local-stack/stack/services';
import { type Alert, critical, fires, noData, quiet, warning } from './alert.js';

/** Alerts of every service; each chart contains them for its service. */
export function serviceAlerts(service: ServiceName): readonly Alert[] {
  return [...availabilityAlerts(service), ...processAlerts(service), ...brokerAlerts(service)];
}

function availabilityAlerts(service: ServiceName): readonly Alert[] {
  const of = `partner_service="${service}"`;
  const labels = { partner_service: service };
  const started = `process_start_time_seconds{${of}}`;
  const ready = `partner_service_ready{${of}}`;
  const dependency = `partner_service_dependency_available{${of},dependency="d"}`;
  return [
    critical('PartnerServiceDown', '2m', {
      expr: `absent(${started})`,
      summary: `No replica of ${service} runs`,
      description: `Prometheus reads metrics of no replica of ${service}.`,
      cases: [noData(labels), quiet('one of two replicas runs', '20m', { [started]: '1000x30' })],
    }),
    critical('PartnerServiceNotReady', '2m', {
      expr: `max by (partner_service) (${ready}) < 1\nor absent(${ready})`,
      summary: `No replica of ${service} is ready`,
      description: `Replicas of ${service} run, but none has started, reached its dependencies and accepts work.`,
      cases: [
        fires(labels, 'both replicas stop and do not come back', '10m', {
          [ready]: ['1x5 0x30', '1x5 0x30'],
        }),
        noData(labels),
        quiet('one replica is ready', '20m', { [ready]: ['1x30', '0x30'] }),
      ],
    }),
    critical('PartnerDependencyDown', '2m', {
      expr: `max by (partner_service, dependency) (partner_service_dependency_available{${of}}) < 1\nor absent(partner_service_dependency_available{${of}})`,
      summary: `No replica of ${service} reaches a dependency`,
      description: `The dependency "{{ $labels.dependency }}" is available to no replica of ${service}.`,
      cases: [
        fires({ ...labels, dependency: 'd' }, 'both replicas lose the broker', '10m', {
          [dependency]: ['1x5 0x30', '1x5 0x30'],
        }),
        noData(labels),
        quiet('one replica reaches it', '20m', { [dependency]: ['1x30', '0x30'] }),
      ],
    }),
    warning('PartnerReplicaCutOff', '10m', {
      expr: `min by (partner_service, dependency) (partner_service_dependency_available{${of}}) < 1`,
      summary: `A replica of ${service} does not reach a dependency`,
      description: `A replica of ${service} has not reached "{{ $labels.dependency }}" for 10 minutes. It stays ready and receives requests.`,
      cases: [
        fires({ ...labels, dependency: 'd' }, 'the node of one of two replicas is cut off', '20m', {
          [dependency]: ['1x30', '1x5 0x30'],
        }),
        quiet('the broker restarts', '20m', { [dependency]: '1x5 0x3 1x20' }),
      ],
    }),
    warning('PartnerReplicaNotReady', '10m', {
      expr: `min by (partner_service) (${ready}) < 1`,
      summary: `A replica of ${service} has long been unready`,
      description: `A replica of ${service} has not become ready in 10 minutes; the others handle its requests.`,
      cases: [
        fires(labels, 'one of two replicas hangs in its start', '20m', { [ready]: ['1x30', '0x30'] }),
        quiet('a rollout takes three minutes', '20m', { [ready]: '1x5 0x3 1x20' }),
      ],
    }),
  ];
}

function processAlerts(service: ServiceName): readonly Alert[] {
  const of = `partner_service="${service}"`;
  const labels = { partner_service: service };
  const started = `process_start_time_seconds{${of}}`;
  const lag = `nodejs_eventloop_lag_p99_seconds{${of}}`;
  return [
    warning('PartnerServiceRestarts', '0m', {
      expr: `sum by (partner_service) (changes(${started}[30m])) >= 3`,
      summary: `${service} restarts repeatedly`,
      description: `Replicas of ${service} have been restarted at least three times in 30 minutes.`,
      cases: [
        fires(labels, 'a replica crashes every five minutes', '20m', {
          [started]: '100x5 400x5 700x5 1000x10',
        }),
        quiet('each of two replicas was restarted once', '20m', {
          [started]: ['100x5 400x20', '100x9 700x20'],
        }),
      ],
    }),
    warning('PartnerEventLoopSlow', '5m', {
      expr: `max by (partner_service) (${lag}) > 0.25\nor absent(${lag})`,
      summary: `The event loop of ${service} is slow`,
      description: `One in a hundred iterations of the event loop of a replica of ${service} starts more than 250 ms late.`,
      cases: [
        fires(labels, 'one of two replicas is busy', '10m', { [lag]: ['0.02x30', '0.4x30'] }),
        noData(labels),
        quiet('a start takes a moment', '10m', { [lag]: '0.9x2 0.02x30' }),
      ],
    }),
  ];
}

/** Alerts about the broker: replicas reach it, it reads from them, and their channels are open. */
function brokerAlerts(service: ServiceName): readonly Alert[] {
  const of = `partner_service="${service}"`;
  const labels = { partner_service: service };
  const up = `partner_amqp_connection_up{${of},connection="c"}`;
  const blocked = `partner_amqp_connection_blocked{${of},connection="c"}`;
  return [
    warning('PartnerBrokerConnectionDown', '3m', {
      expr: `min by (partner_service, connection) (partner_amqp_connection_up{${of}}) < 1\nor absent(partner_amqp_connection_up{${of}})`,
      summary: `${service} does not reach the broker`,
      description: `A replica of ${service} has had no connection "{{ $labels.connection }}" to the broker for 3 minutes.`,
      cases: [
        fires({ ...labels, connection: 'c' }, 'one of two replicas is cut off', '15m', {
          [up]: ['1x30', '1x5 0x30'],
        }),
        noData(labels),
        quiet('the broker was restarted', '15m', { [up]: '1x5 0x2 1x30' }),
      ],
    }),
    critical('PartnerBrokerBlocked', '1m', {
      expr: `max by (partner_service, connection) (partner_amqp_connection_blocked{${of}}) > 0\nor absent(partner_amqp_connection_blocked{${of}})`,
      summary: `The broker accepts nothing from ${service}`,
      description: `The broker is short of memory or disk and reads nothing from the connection "{{ $labels.connection }}" of ${service}.`,
      cases: [
        fires({ ...labels, connection: 'c' }, 'the disk of the broker is full', '10m', {
          [blocked]: '0x5 1x30',
        }),
        noData(labels),
        quiet('it is well', '10m', { [blocked]: '0x30' }),
      ],
    }),
    warning('PartnerChannelsMissing', '5m', {
      expr: `max by (partner_service, connection) (partner_amqp_channels_wanted{${of}} - partner_amqp_channels_open{${of}}) > 0\nor absent(partner_amqp_channels_open{${of}})`,
      summary: `A channel of ${service} cannot be opened`,
      description: `A channel of the connection "{{ $labels.connection }}" of ${service} has not opened within 5 minutes.`,
      cases: [
        fires(
          { ...labels, connection: 'c' },
          'another program has declared a queue with other arguments',
          '10m',
          {
            [`partner_amqp_channels_wanted{${of},connection="c"}`]: '4x30',
            [`partner_amqp_channels_open{${of},connection="c"}`]: '3x30',
          },
        ),
        noData(labels),
        quiet('all are open', '10m', {
          [`partner_amqp_channels_wanted{${of},connection="c"}`]: '4x30',
          [`partner_amqp_channels_open{${of},connection="c"}`]: '4x5 3x2 4x30',
        }),
      ],
    }),
  ];
}

import { type Alert, critical, fires, noData, quiet, UNKNOWN, warning } from './alert.js';

/** Messages that wait: in the outbox, in queues, or for the job or company that they refer to. job-state inspects all queues. */
export const MESSAGE_ALERTS: readonly Alert[] = [
  critical('PartnerOutboxLate', '2m', {
    expr: 'max(partner_outbox_oldest_age_seconds) > 30\nor absent(partner_outbox_oldest_age_seconds >= 0)',
    summary: 'The platform receives no messages',
    description:
      'A message to the platform or the gateways has waited for the broker for more than 30 s, or the age is unknown.',
    cases: [
      fires({}, 'the broker confirms nothing', '15m', { partner_outbox_oldest_age_seconds: '0x5 0+60x30' }),
      noData(),
      fires({}, 'no replica reaches the database', '15m', {
        partner_outbox_oldest_age_seconds: [UNKNOWN, UNKNOWN],
      }),
      quiet('messages are sent at once', '15m', { partner_outbox_oldest_age_seconds: '0x5 1x30' }),
    ],
  }),
  warning('PartnerDeadLetterQueue', '2m', {
    expr: 'max by (queue) (partner_dead_letter_queue_messages) > 0\nor absent(partner_dead_letter_queue_messages >= 0)',
    summary: 'A message was given up',
    description:
      'There are messages in the dead-letter queue {{ $labels.queue }} without a handler, or their number is unknown.',
    cases: [
      fires({ queue: 'q.dead' }, 'a message of the platform was malformed; both replicas report it', '15m', {
        'partner_dead_letter_queue_messages{queue="q.dead"}': ['0x5 1x30', '0x5 1x30'],
        'partner_dead_letter_queue_messages{queue="r.dead",instance="a"}': '0x35',
      }),
      noData(),
      fires({}, 'the broker is down', '15m', {
        'partner_dead_letter_queue_messages{queue="q.dead"}': UNKNOWN,
      }),
      quiet('all are empty', '15m', { 'partner_dead_letter_queue_messages{queue="q.dead"}': '0x30' }),
    ],
  }),
  warning('PartnerQueueBacklog', '10m', {
    expr: 'max by (queue) (partner_queue_messages) > 1000\nor absent(partner_queue_messages >= 0)',
    summary: 'A queue is not read fast enough',
    description: 'More than 1,000 messages have waited in the queue {{ $labels.queue }} for 10 minutes.',
    cases: [
      fires({ queue: 'platform.partner-events' }, 'the platform does not read its queue', '30m', {
        'partner_queue_messages{queue="platform.partner-events"}': '0+300x40',
        'partner_queue_messages{queue="job-state.delivery-results"}': '3x40',
      }),
      noData(),
      quiet('a burst is processed', '20m', {
        'partner_queue_messages{queue="webhook-dispatcher.deliveries"}': '0x5 4000x4 10x30',
      }),
    ],
  }),
  critical('PartnerQueueWithoutConsumer', '2m', {
    expr: 'max by (queue) (partner_queue_consumers{queue!="platform.partner-events"}) < 1\nor absent(partner_queue_consumers >= 0)',
    summary: 'A queue has no consumer',
    description: 'The queue {{ $labels.queue }} has had no consumer for 2 minutes.',
    cases: [
      fires({ queue: 'webhook-dispatcher.deliveries' }, 'the dispatcher does not run', '15m', {
        'partner_queue_consumers{queue="webhook-dispatcher.deliveries"}': '2x5 0x30',
        'partner_queue_consumers{queue="job-state.installer-rpc"}': '2x40',
      }),
      noData(),
      quiet('the platform does not listen', '15m', {
        'partner_queue_consumers{queue="webhook-dispatcher.deliveries"}': '2x5 1x30',
        'partner_queue_consumers{queue="platform.partner-events"}': '0x40',
      }),
    ],
  }),
  warning('PartnerPlatformMessagesWait', '5m', {
    expr: 'max(partner_platform_waiting_oldest_age_seconds) > 3600\nor absent(partner_platform_waiting_oldest_age_seconds >= 0)',
    summary: 'A message of the platform waits for its job or company',
    description:
      'A message of the platform has waited for its job or company for more than an hour; after 24 h it is given up.',
    cases: [
      fires({}, 'the message that creates a job never arrived', '80m', {
        partner_platform_waiting_oldest_age_seconds: '0+60x90',
      }),
      noData(),
      quiet('messages arrive in the wrong order', '80m', {
        partner_platform_waiting_oldest_age_seconds: '0x20 30x10 0x90',
      }),
    ],
  }),
];

import { type Alert, noData, UNKNOWN } from './alert.js';

/** Messages that wait: in the outbox, in queues, or for the job or company they need. job-state inspects all queues. */
export const MESSAGE_ALERTS: readonly Alert[] = [
  {
    name: 'PartnerOutboxLate',
    severity: 'critical',
    expr: 'max(partner_outbox_oldest_age_seconds) > 30\nor absent(partner_outbox_oldest_age_seconds >= 0)',
    for: '2m',
    summary: 'The platform receives nothing from us',
    description:
      'A message to the platform or the gateways has waited for the broker for more than 30 s, or the age is not known.',
    cases: [
      {
        when: 'the broker confirms nothing',
        series: { partner_outbox_oldest_age_seconds: '0x5 0+60x30' },
        at: '15m',
        firing: [{}],
      },
      noData(),
      {
        when: 'the database is away for all replicas',
        series: {
          'partner_outbox_oldest_age_seconds{instance="a"}': UNKNOWN,
          'partner_outbox_oldest_age_seconds{instance="b"}': UNKNOWN,
        },
        at: '15m',
        firing: [{}],
      },
      {
        when: 'messages go out at once',
        series: { partner_outbox_oldest_age_seconds: '0x5 1x30' },
        at: '15m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerDeadLetterQueue',
    severity: 'warning',
    expr: 'max by (queue) (partner_dead_letter_queue_messages) > 0\nor absent(partner_dead_letter_queue_messages >= 0)',
    for: '2m',
    summary: 'A message was given up',
    description:
      'There are messages in the dead-letter queue {{ $labels.queue }} without a handler, or their number is not known.',
    cases: [
      {
        when: 'a message of the platform could not be read; both replicas look',
        series: {
          'partner_dead_letter_queue_messages{queue="q.dead",instance="a"}': '0x5 1x30',
          'partner_dead_letter_queue_messages{queue="q.dead",instance="b"}': '0x5 1x30',
          'partner_dead_letter_queue_messages{queue="r.dead",instance="a"}': '0x35',
        },
        at: '15m',
        firing: [{ queue: 'q.dead' }],
      },
      noData(),
      {
        when: 'the broker is away',
        series: { 'partner_dead_letter_queue_messages{queue="q.dead"}': UNKNOWN },
        at: '15m',
        firing: [{}],
      },
      {
        when: 'all are empty',
        series: { 'partner_dead_letter_queue_messages{queue="q.dead"}': '0x30' },
        at: '15m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerQueueBacklog',
    severity: 'warning',
    expr: 'max by (queue) (partner_queue_messages) > 1000\nor absent(partner_queue_messages >= 0)',
    for: '10m',
    summary: 'A queue is not read fast enough',
    description: 'More than 1,000 messages have waited in the queue {{ $labels.queue }} for 10 minutes.',
    cases: [
      {
        when: 'the platform does not read its queue',
        series: {
          'partner_queue_messages{queue="platform.partner-events"}': '0+300x40',
          'partner_queue_messages{queue="job-state.delivery-results"}': '3x40',
        },
        at: '30m',
        firing: [{ queue: 'platform.partner-events' }],
      },
      noData(),
      {
        when: 'a burst is worked off',
        series: { 'partner_queue_messages{queue="webhook-dispatcher.deliveries"}': '0x5 4000x4 10x30' },
        at: '20m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerQueueWithoutConsumer',
    severity: 'critical',
    expr: 'max by (queue) (partner_queue_consumers{queue!="platform.partner-events"}) < 1\nor absent(partner_queue_consumers >= 0)',
    for: '2m',
    summary: 'A queue has no consumer',
    description: 'The queue {{ $labels.queue }} has had no consumer for 2 minutes.',
    cases: [
      {
        when: 'the dispatcher is gone',
        series: {
          'partner_queue_consumers{queue="webhook-dispatcher.deliveries"}': '2x5 0x30',
          'partner_queue_consumers{queue="job-state.installer-rpc"}': '2x40',
        },
        at: '15m',
        firing: [{ queue: 'webhook-dispatcher.deliveries' }],
      },
      noData(),
      {
        when: 'the platform does not listen',
        series: {
          'partner_queue_consumers{queue="webhook-dispatcher.deliveries"}': '2x5 1x30',
          'partner_queue_consumers{queue="platform.partner-events"}': '0x40',
        },
        at: '15m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerPlatformMessagesWait',
    severity: 'warning',
    expr: 'max(partner_platform_waiting_oldest_age_seconds) > 3600\nor absent(partner_platform_waiting_oldest_age_seconds >= 0)',
    for: '5m',
    summary: 'A message of the platform waits for what it builds on',
    description:
      'A message of the platform has waited for its job or company for more than an hour; after 24 h it is given up.',
    cases: [
      {
        when: 'the message that creates a job never came',
        series: { partner_platform_waiting_oldest_age_seconds: '0+60x90' },
        at: '80m',
        firing: [{}],
      },
      noData(),
      {
        when: 'messages come in the wrong order',
        series: { partner_platform_waiting_oldest_age_seconds: '0x20 30x10 0x90' },
        at: '80m',
        firing: [],
      },
    ],
  },
];

import type { Dashboard } from './dashboard.js';
import { counted, messagePanels, perSecond, processQuestion, quantile } from './panels.js';

/** The dispatcher: attempts, and the way out. */
export const WEBHOOK_DISPATCHER: Dashboard = {
  uid: 'partner-webhook-dispatcher',
  title: 'Partner: webhook-dispatcher',
  about: 'Signs and POSTs: what becomes of attempts, and whether our own way out is open.',
  questions: [
    {
      question: 'Is a partner missing something?',
      panels: [
        {
          kind: 'stat',
          title: 'Attempts that succeed',
          about: 'Of the last 10 minutes.',
          unit: 'percentunit',
          queries: [
            {
              expr: `${counted('partner_webhook_attempts_total', '10m', { where: 'outcome="delivered"' })} / ${counted('partner_webhook_attempts_total', '10m')}`,
            },
          ],
          isGoodWhenHigh: true,
          warnAt: 0.9,
          alarmAt: 0.5,
        },
        {
          kind: 'stat',
          title: 'Results that were lost in 24 h',
          about: 'These subscribers got an event again. PartnerResultsLost.',
          unit: 'short',
          queries: [{ expr: counted('partner_webhook_results_lost_total', '24h') }],
          warnAt: 1,
        },
        {
          kind: 'stat',
          title: 'Secrets that cannot be opened, 1 h',
          about: 'Nothing is delivered to these subscriptions. PartnerSecretsUnreadable.',
          unit: 'short',
          queries: [
            {
              expr: `${counted('partner_webhook_commands_dropped_total', '1h', { where: 'reason="secret_unreadable"' })} or vector(0)`,
            },
          ],
          alarmAt: 1,
        },
        {
          kind: 'stat',
          title: 'Clock is off, 1 h',
          about: 'Commands whose lease shows that the clock of a replica is off. PartnerClockSkewed.',
          unit: 'short',
          queries: [{ expr: `${counted('partner_webhook_clock_skewed_total', '1h')} or vector(0)` }],
          alarmAt: 1,
        },
        {
          kind: 'timeline',
          title: 'Attempts by outcome',
          about: 'A second. Many that reach nothing at once: PartnerWayOutBroken.',
          unit: 'ops',
          queries: [
            { expr: perSecond('partner_webhook_attempts_total', { by: ['outcome'] }), legend: '{{outcome}}' },
          ],
        },
        {
          kind: 'timeline',
          title: 'Endpoints that the guard refused',
          about: 'Attempts a second, by reason. lookup_failed: their name does not resolve.',
          unit: 'ops',
          queries: [
            {
              expr: perSecond('partner_webhook_attempts_total', { by: ['refusal'], where: 'refusal!=""' }),
              legend: '{{refusal}}',
            },
          ],
        },
        {
          kind: 'timeline',
          title: 'Commands that were not carried out',
          about: 'In 5 minutes, by why.',
          unit: 'short',
          queries: [
            {
              expr: counted('partner_webhook_commands_dropped_total', '5m', { by: ['reason'] }),
              legend: '{{reason}}',
            },
          ],
        },
        {
          kind: 'timeline',
          title: 'Commands in the queue',
          about: 'That no replica has taken yet.',
          unit: 'short',
          queries: [{ expr: 'max(partner_queue_messages{queue="webhook-dispatcher.deliveries"})' }],
        },
      ],
    },
    {
      question: 'Are we fast?',
      panels: [
        {
          kind: 'timeline',
          title: 'Time of an attempt',
          about: 'From the lookup of the name to the end of the response: mostly the endpoints’ own time.',
          unit: 's',
          queries: [0.5, 0.95, 0.99].map((q) => ({
            expr: quantile(q, 'partner_webhook_attempt_seconds'),
            legend: `p${q * 100}`,
          })),
        },
        {
          kind: 'timeline',
          title: 'Attempts in flight',
          about: 'By replica; DELIVERY_CONCURRENCY (500) at most.',
          unit: 'short',
          queries: [{ expr: 'partner_webhook_attempts_in_flight', legend: '{{instance}}' }],
          warnAt: 400,
          alarmAt: 500,
        },
        ...messagePanels('webhook-dispatcher'),
      ],
    },
    processQuestion('webhook-dispatcher'),
  ],
};

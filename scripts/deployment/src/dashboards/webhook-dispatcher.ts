import { type Dashboard, stat, timeline } from './dashboard.js';
import { counted, messagePanels, perSecond, processQuestion, quantiles } from './panels.js';

export const WEBHOOK_DISPATCHER: Dashboard = {
  uid: 'partner-webhook-dispatcher',
  title: 'Partner: webhook-dispatcher',
  about: 'Signs and POSTs: outcomes of attempts, and whether the outbound network works.',
  questions: {
    'Is a partner missing something?': [
      stat('Attempts that succeed', 'percentunit', {
        about: 'Of the last 10 minutes.',
        query: `${counted('partner_webhook_attempts_total', '10m', { where: 'outcome="delivered"' })} / ${counted('partner_webhook_attempts_total', '10m')}`,
        limits: { warn: 0.9, alarm: 0.5, isGoodWhenHigh: true },
      }),
      stat('Results that were lost in 24 h', 'short', {
        about: 'These subscribers received an event again. PartnerResultsLost.',
        query: counted('partner_webhook_results_lost_total', '24h'),
        limits: { warn: 1 },
      }),
      stat('Secrets that cannot be opened, 1 h', 'short', {
        about: 'Nothing is delivered to these subscriptions. PartnerSecretsUnreadable.',
        query: `${counted('partner_webhook_commands_dropped_total', '1h', { where: 'reason="secret_unreadable"' })} or vector(0)`,
        limits: { alarm: 1 },
      }),
      stat('Clock is off, 1 h', 'short', {
        about: 'Commands whose lease shows that the clock of a replica is off. PartnerClockSkewed.',
        query: `${counted('partner_webhook_clock_skewed_total', '1h')} or vector(0)`,
        limits: { alarm: 1 },
      }),
      timeline('Attempts by outcome', 'ops', {
        about: 'A second. Many that reach no endpoint at once: PartnerWayOutBroken.',
        query: perSecond('partner_webhook_attempts_total', { by: ['outcome'] }),
      }),
      timeline('Endpoints that the guard refused', 'ops', {
        about: 'Attempts a second, by reason. lookup_failed: their name does not resolve.',
        query: perSecond('partner_webhook_attempts_total', { by: ['refusal'], where: 'refusal!=""' }),
      }),
      timeline('Commands that were not executed', 'short', {
        about: 'In 5 minutes, by reason.',
        query: counted('partner_webhook_commands_dropped_total', '5m', { by: ['reason'] }),
      }),
      timeline('Commands in the queue', 'short', {
        about: 'That no replica has received yet.',
        query: 'max(partner_queue_messages{queue="webhook-dispatcher.deliveries"})',
      }),
    ],
    'Are we fast?': [
      timeline('Time of an attempt', 's', {
        about: 'From the lookup of the name to the end of the response: mostly the time of the endpoints.',
        query: quantiles('partner_webhook_attempt_seconds'),
      }),
      timeline('Attempts in flight', 'short', {
        about: 'By replica; DELIVERY_CONCURRENCY (500) at most.',
        query: { expr: 'partner_webhook_attempts_in_flight', legend: '{{instance}}' },
        limits: { warn: 400, alarm: 500 },
      }),
      ...messagePanels('webhook-dispatcher'),
    ],
    ...processQuestion('webhook-dispatcher'),
  },
};

import { expect, test } from '@jest/globals';
import { EVENT_CATALOGUE, isEventName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { webhookExample } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { summarizeEvent } from './summarize-event.js';

test('the summary of each event names what changed', () => {
  const summaries = Object.keys(EVENT_CATALOGUE)
    .filter(isEventName)
    .map(webhookExample)
    .map((envelope): readonly [string, string | null] => [
      envelope.event,
      summarizeEvent(envelope.event, Buffer.from(JSON.stringify(envelope))),
    ]);
  expect(Object.fromEntries(summaries)).toEqual({
    'quote.sent': '18499.00 USD',
    'quote.viewed': null,
    'quote.accepted': '18499.00 USD',
    'project.stage_changed': 'DESIGN → PERMITTING',
    'appointment.booked': null,
    'deposit.paid': '2500.00 USD',
    'deposit.refunded': '2500.00 USD',
    'invoice.issued': '18499.00 USD',
    'rebate.status_changed': 'SUBMITTED → APPROVED',
    'project.completed': null,
    'install.job_assigned': 'ASSIGNED',
    'install.job_unassigned': null,
    'install.job_cancelled': 'ACKNOWLEDGED → CANCELLED',
    'install.schedule_changed': 'TENTATIVE → CONFIRMED',
    'install.readiness_changed': 'Not ready: MATERIAL_MISSING',
    'install.document_available': 'PERMIT',
    'install.status_changed': 'ACKNOWLEDGED → EN_ROUTE',
    'install.completion_received': null,
    'install.scope_acknowledgement_required': '2 → 3',
    'install.test': null,
    'journal.deposit_recorded': '2500.00 USD',
    'journal.invoice_recorded': '18499.00 USD',
    'journal.payout_recorded': '6200.00 USD',
    'journal.adjustment_recorded': '-150.00 USD',
    'webhook.endpoint_failing': 'hooks.example.com',
    'webhook.endpoint_recovered': 'hooks.example.com',
    'webhook.deliveries_dead_lettered': '12 to hooks.example.com',
    'webhook.secret_expiring': 'hooks.example.com',
    'webhook.certificate_expiring': 'hooks.example.com',
    'api_key.expiring': '…q7Zr',
  });
});

test.each([
  [
    { previousStatus: 'ON_SITE', status: 'BLOCKED', blockerCode: 'SITE_ACCESS' },
    'ON_SITE → BLOCKED: SITE_ACCESS',
  ],
  [{ previousStatus: null, status: 'SUBMITTED' }, 'SUBMITTED'],
  [{ previousStatus: 'CONFIRMED', schedule: { status: 'CONFIRMED' } }, 'CONFIRMED'],
  [{ ready: true, blockerCodes: [] }, 'Ready'],
  [{ ready: false, blockerCodes: [] }, 'Not ready'],
  [{ amount: { amountMinor: 500, currency: 'JPY' } }, '500 JPY'],
  [{ status: { of: 'another version' } }, null],
])('the summary of %j is %s', (data, summary) => {
  expect(summarizeEvent('install.status_changed', Buffer.from(JSON.stringify({ data })))).toBe(summary);
});

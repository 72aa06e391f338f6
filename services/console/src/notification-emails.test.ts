import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type EmailOutcome,
  leaseNotificationEmailsOperation,
  leaseSecurityNoticesOperation,
  type NotificationEmail,
  reportNotificationEmailOperation,
  reportSecurityNoticeOperation,
  type SecurityNotice,
} from '@partner/proto-contracts/internal/notifications/notification-emails';
import { NOTIFICATIONS } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { webhookExample } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { invariant } from '@partner/kernel/process/invariant';
import { SECURITY_NOTICE_KINDS } from '@partner/proto-contracts/resources/security-notice/security-notice';
import { createMailer } from '@partner/kernel/mail/mail';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { type MailServer, startMailServer } from '@partner/test-kit/start-mail-server';
import { Registry } from 'prom-client';
import { createNotificationEmails } from './notifications/start-notification-emails.js';

let mail: MailServer;
/** The security notices that job-state leases next. */
let notices: SecurityNotice[];
/** The emails that job-state leases next. */
let due: NotificationEmail[];
let reported: EmailOutcome[];
let logged: unknown[];
let sendDue: ReturnType<typeof createNotificationEmails>;

beforeEach(async () => {
  mail = await startMailServer();
  [notices, due, reported, logged] = [[], [], [], []];
  const mailer = createMailer({ SMTP_URL: mail.url, MAIL_FROM: 'partner-api@service.example' });
  invariant(mailer, 'there is a mail server');
  const log = (...line: unknown[]) => void logged.push(line);
  sendDue = createNotificationEmails({
    operations: inProcessOperations({
      implementations: [
        implementInternal(leaseNotificationEmailsOperation, async () => ({ emails: due.splice(0) })),
        implementInternal(leaseSecurityNoticesOperation, async () => ({ notices: notices.splice(0) })),
        ...[reportSecurityNoticeOperation, reportNotificationEmailOperation].map((operation) =>
          implementInternal(operation, async ({ outcome }) => {
            reported.push(outcome);
            return {};
          }),
        ),
      ],
      callers: ['service'],
    }),
    mailer,
    publicBaseUrl: 'https://partner.example',
    rpcTimeoutMs: 60_000,
    logger: { info: log, warn: log },
    metrics: new Registry(),
  });
});

afterEach(() => mail.stop());

const email = (to: string, bodies: readonly object[], total = bodies.length) => ({
  leaseId: 'lease',
  membershipId: 'mem_olive',
  email: to,
  companyName: 'Roofs and Sons',
  emails: 'immediately',
  eventBodies: bodies.map((body) => JSON.stringify(body)),
  total,
});
const FAILING = webhookExample('webhook.endpoint_failing');

const notice = (kind: string, details: object, more: object = {}) => ({
  ...{ leaseId: 'lease', email: 'dana@roofs.example', companyName: 'Roofs and Sons', kind },
  ...{ detailsJson: JSON.stringify(details), count: 1 },
  firstAt: '2026-11-26T10:00:00.000Z',
  lastAt: '2026-11-26T10:40:00.000Z',
  ...more,
});

describe('a notification email', () => {
  test('lists each notification with its page, and says how to turn the emails off [NOTIFY-9, NOTIFY-10]', async () => {
    due = [
      email(
        'olive@roofs.example',
        NOTIFICATIONS.map((name) => webhookExample(name)),
        60,
      ),
    ];
    await sendDue();
    expect(reported).toEqual(['sent']);
    const [received] = mail.received;
    expect(received?.to).toEqual(['olive@roofs.example']);
    const message = (received?.message ?? '').replaceAll('\r\n', '\n').replaceAll('=E2=80=A6', '…');
    const page = `https://partner.example/console/webhooks/${FAILING.resource.id}`;
    for (const line of [
      `The webhook "Dispatch board" (hooks.example.com) is failing: its last 5 attempts failed. Deliveries are retried automatically.\n${page}`,
      'The webhook "Dispatch board" (hooks.example.com) had been failing since 2026-09-03 11:02 UTC and accepts deliveries again.',
      '12 deliveries of the webhook "Dispatch board" (hooks.example.com) were given up from 2026-09-03 11:44 UTC to 2026-09-03 12:30 UTC.',
      'Version 1 of the signing secret of the webhook "Dispatch board" (hooks.example.com) expires on 2026-09-04 00:31 UTC.',
      'sends to expires on 2026-09-17 12:00 UTC.',
      'expires on 2026-09-04 12:31 UTC.\nhttps://partner.example/console/api-keys',
      '54 more: https://partner.example/console/',
      'at most one of these emails an hour. Get fewer, or turn them off:\nhttps://partner.example/console/notifications',
    ]) {
      expect(message).toContain(line);
    }
    expect(JSON.stringify(logged)).not.toContain('olive@roofs.example');
  });

  test('is named after a single notification, also of an event that is newer than the console [NOTIFY-9]', async () => {
    const newer = { ...FAILING, event: 'webhook.renamed', data: {} };
    const longer = { ...FAILING, data: { ...FAILING.data, description: 'two\r\nlines', added: true } };
    due = [email('a@roofs.example', [newer]), email('b@roofs.example', [longer])];
    await sendDue();
    expect(mail.received.map(({ message }) => /^Subject: (.*)\r$/m.exec(message)?.[1])).toEqual([
      'Notification: webhook.renamed',
      'Webhook to hooks.example.com is failing',
    ]);
    expect(mail.received[1]?.message).toContain('"two lines" (hooks.example.com)');
  });

  test('that the server refuses does not stop the others, and an outage ends the batch until it is over [NOTIFY-11, NOTIFY-13]', async () => {
    mail.refuse('gone@roofs.example');
    notices = [notice('owner_added', {}, { email: 'gone@roofs.example' }), notice('owner_added', {})];
    due = [email('gone@roofs.example', [FAILING]), email('olive@roofs.example', [FAILING])];
    await sendDue();
    expect(reported.splice(0)).toEqual(['refused', 'sent', 'refused', 'sent']);
    await mail.stop();
    due = [email('olive@roofs.example', [FAILING]), email('sam@roofs.example', [FAILING])];
    expect(await sendDue()).toBe('idle');
    expect(reported.splice(0)).toEqual(['failed']);
    mail = await startMailServer(Number(new URL(mail.url).port));
    due = [email('olive@roofs.example', [FAILING])];
    await sendDue();
    expect(reported).toEqual(['sent']);
    expect(mail.received).toHaveLength(1);
  });
});

describe('a security notice', () => {
  const textOf = (message = '') => message.replaceAll('=\r\n', '').replaceAll('\r\n', '\n');

  test('says what happened, when, from where and what to do, whatever its kind [NOTIFY-12, NOTIFY-13]', async () => {
    const origin = { remoteAddress: '203.0.113.7', userAgent: 'Browser/1.0' };
    notices = [
      ...SECURITY_NOTICE_KINDS.map((kind) => notice(kind, origin)),
      notice('second_factor_wrong', origin, { count: 4 }),
      notice('owner_added', { by: 'Olive', displayName: 'Paul\n\nClick here' }),
      notice('of_a_later_version', {}),
    ];
    await sendDue();
    const texts = mail.received.map(({ message }) => textOf(message));
    expect(reported).toEqual(texts.map(() => 'sent'));
    expect(texts).toHaveLength(SECURITY_NOTICE_KINDS.length + 3);
    for (const text of texts.slice(0, -2)) {
      expect(text).toContain('From: 203.0.113.7\nBrowser: Browser/1.0\n');
      expect(text).toMatch(/\nIf (?:this wasn't you|you didn't expect this)/);
    }
    expect(texts[0]).toContain('When: 2026-11-26 10:40 UTC');
    expect(texts.at(-3)).toContain('4 times, from 2026-11-26 10:00 UTC to 2026-11-26 10:40 UTC');
    expect(texts.at(-2)).toContain('"Paul Click here" is now an owner');
    expect(texts.at(-2)).toContain('By: Olive');
    expect(texts.at(-1)).toContain('of_a_later_version');
  });

  test('of proposed webhooks has the differences and leads to their page [CONFIG-9]', async () => {
    const plan = 'change "Board"\n  ordered: false -> true';
    notices = [notice('webhooks_proposed', { proposalId: 'wpr_1', plan, source: 'main' })];
    await sendDue();
    const text = textOf(mail.received[0]?.message);
    expect(text).toContain(`from main:\n\n${plan}\n`);
    expect(text).toContain('\nhttps://partner.example/console/webhooks/proposals/wpr_1\n');
  });
});

import {
  type EmailOutcome,
  leaseNotificationEmailsOperation,
  leaseSecurityNoticesOperation,
  reportNotificationEmailOperation,
  reportSecurityNoticeOperation,
} from '@partner/proto-contracts/internal/notifications/notification-emails';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { type Mail, MailError, type Mailer } from '@partner/kernel/mail/mail';
import { setTimeout } from 'node:timers/promises';
import { Counter } from 'prom-client';
import type { ConsoleDeps } from '../console-deps.js';
import { notificationMail } from './notification-mail.js';
import { securityNoticeMail } from './security-notice-mail.js';

/** Emails under a lease at once: even at 8 s for each, they are sent within the lease. */
const LEASED_AT_ONCE = 20;

/** Time between two batches that find nothing more to send. */
const INTERVAL_MS = 15_000;

type NotificationEmailsDeps = Pick<
  ConsoleDeps,
  'operations' | 'publicBaseUrl' | 'rpcTimeoutMs' | 'metrics'
> & {
  readonly mailer: Mailer;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
};

/**
 * Creates the function that sends a batch of the notification emails and security notices that job-state leases. Notices come first.
 * It resolves to `more` while there may be others.
 *
 * Each email is reported after the mail server has accepted it. A process that ends in between sends it again, so none is
 * lost. An email that the server refuses for good does not stop the others; any other failure ends the batch, and its emails
 * are due again after their lease.
 */
export function createNotificationEmails(deps: NotificationEmailsDeps) {
  const { operations, mailer, publicBaseUrl, logger } = deps;
  const call = { timeoutMs: deps.rpcTimeoutMs };
  const due = { limit: LEASED_AT_ONCE };
  const sent = new Counter({
    name: 'partner_notification_emails_total',
    help: 'Notification emails and security notices by outcome: sent, refused for good, failed.',
    labelNames: ['outcome'],
    registers: [deps.metrics],
  });

  async function send(of: object, mailOf: () => Mail): Promise<EmailOutcome> {
    try {
      await mailer.send(mailOf());
      logger.info(of, 'notification_email.sent');
      sent.inc({ outcome: 'sent' });
      return 'sent';
    } catch (error) {
      logger.warn({ err: error, ...of }, 'notification_email.not_sent');
      const isOfAll = error instanceof MailError && !error.isOfRecipient;
      const outcome = isOfAll ? 'failed' : 'refused';
      sent.inc({ outcome });
      return outcome;
    }
  }

  return async (): Promise<'more' | 'idle'> => {
    const { notices } = await operations.callInternal(leaseSecurityNoticesOperation, due, call);
    for (const notice of notices) {
      const { kind, count, leaseId } = notice;
      const outcome = await send({ kind, count }, () => securityNoticeMail(notice, publicBaseUrl));
      await operations.callInternal(reportSecurityNoticeOperation, { leaseId, outcome }, call);
      if (outcome === 'failed') return 'idle';
    }
    if (notices.length === LEASED_AT_ONCE) return 'more';
    const { emails } = await operations.callInternal(leaseNotificationEmailsOperation, due, call);
    for (const email of emails) {
      const { leaseId, membershipId, total } = email;
      const of = { membershipId, notifications: total };
      const outcome = await send(of, () => notificationMail(email, publicBaseUrl));
      const report = { leaseId, membershipId, outcome };
      await operations.callInternal(reportNotificationEmailOperation, report, call);
      if (outcome === 'failed') return 'idle';
    }
    return emails.length === LEASED_AT_ONCE ? 'more' : 'idle';
  };
}

/** Sends due notification emails at intervals until it is stopped; `stop` waits for the batch in flight. */
export function startNotificationEmails(deps: NotificationEmailsDeps): {
  readonly stop: () => Promise<void>;
} {
  const sendDue = createNotificationEmails(deps);
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const next = await sendDue().catch((error: unknown) => {
        deps.logger.warn({ err: error }, 'notification_emails.failing');
        return 'idle' as const;
      });
      if (next === 'idle') await setTimeout(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  const ended = run();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

import {
  type EmailOutcome,
  leaseNotificationEmailsOperation,
  leaseSecurityNoticesOperation,
  type NotificationEmail,
  reportNotificationEmailOperation,
  reportSecurityNoticeOperation,
  type SecurityNotice,
} from '@partner/proto-contracts/internal/notifications/notification-emails';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { type Mail, MailError, type Mailer } from '@partner/kernel/process/mail';
import { Counter, type Registry } from 'prom-client';
import { notificationMail } from './notification-mail.js';
import { securityNoticeMail } from './security-notice-mail.js';

/** Emails under a lease at once: even at 8 s for each, they are sent within the lease. */
const LEASED_AT_ONCE = 20;

/** Dependencies of the sender of notification emails. */
export interface NotificationEmailsDeps {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly mailer: Mailer;
  readonly publicBaseUrl: string;
  readonly rpcTimeoutMs: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Registry;
}

/** Sends the emails that are due; see {@link createNotificationEmails}. */
export interface NotificationEmails {
  /** Sends a batch. Returns `more` while there may be others. */
  sendDue(): Promise<'more' | 'idle'>;
}

/**
 * Creates the sender of the notification emails and security notices that job-state leases. Notices come first.
 *
 * Each email is reported after the mail server has accepted it. A process that ends in between sends it again, so none is
 * lost. An email that the server refuses for good does not stop the others; any other failure ends the batch, and its emails
 * are due again after their lease.
 */
export function createNotificationEmails(deps: NotificationEmailsDeps): NotificationEmails {
  const { operations, mailer, publicBaseUrl, logger } = deps;
  const call = { timeoutMs: deps.rpcTimeoutMs };
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

  function digestOf({ email: to, companyName, emails, eventBodies, total }: NotificationEmail): Mail {
    return notificationMail({ to, companyName, publicBaseUrl, emails, eventBodies, total });
  }

  function noticeOf({ email: to, firstAt, lastAt, ...notice }: SecurityNotice): Mail {
    const times = { firstAt: new Date(firstAt), lastAt: new Date(lastAt) };
    return securityNoticeMail({ ...notice, ...times, to, publicBaseUrl });
  }

  async function sendNotices(): Promise<'more' | 'idle' | 'failed'> {
    const due = { limit: LEASED_AT_ONCE };
    const { notices } = await operations.callInternal(leaseSecurityNoticesOperation, due, call);
    for (const notice of notices) {
      const { kind, count, leaseId } = notice;
      const outcome = await send({ kind, count }, () => noticeOf(notice));
      await operations.callInternal(reportSecurityNoticeOperation, { leaseId, outcome }, call);
      if (outcome === 'failed') return 'failed';
    }
    return notices.length === LEASED_AT_ONCE ? 'more' : 'idle';
  }

  async function sendDigests(): Promise<'more' | 'idle'> {
    const due = { limit: LEASED_AT_ONCE };
    const { emails } = await operations.callInternal(leaseNotificationEmailsOperation, due, call);
    for (const email of emails) {
      const { leaseId, membershipId, total } = email;
      const outcome = await send({ membershipId, notifications: total }, () => digestOf(email));
      const report = { leaseId, membershipId, outcome };
      await operations.callInternal(reportNotificationEmailOperation, report, call);
      if (outcome === 'failed') return 'idle';
    }
    return emails.length === LEASED_AT_ONCE ? 'more' : 'idle';
  }

  return {
    async sendDue() {
      const noticed = await sendNotices();
      if (noticed !== 'idle') return noticed === 'more' ? 'more' : 'idle';
      return sendDigests();
    },
  };
}

/** Sends due notification emails after each interval until it is stopped; `stop` waits for the batch in flight. */
export function startNotificationEmails(
  options: NotificationEmailsDeps & {
    /** Milliseconds between two batches. */
    readonly intervalMs: number;
  },
): { readonly stop: () => Promise<void> } {
  const emails = createNotificationEmails(options);
  let isStopped = false;
  let endPause: () => void = () => undefined;

  async function run(): Promise<void> {
    while (!isStopped) {
      const next = await emails.sendDue().catch((error: unknown) => {
        options.logger.warn({ err: error }, 'notification_emails.failing');
        return 'idle' as const;
      });
      if (next === 'idle') await pause();
    }
  }

  async function pause(): Promise<void> {
    if (isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, options.intervalMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const ended = run();
  return {
    async stop() {
      isStopped = true;
      endPause();
      await ended;
    },
  };
}

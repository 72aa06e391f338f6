import path from 'node:path';
import {
  claimAnnouncementOperation,
  listAnnouncementRecipientsOperation,
  listAnnouncementsOperation,
  recordAnnouncementOperation,
  releaseAnnouncementOperation,
} from '@partner/proto-contracts/internal/operators/announcements';
import { MailError } from '@partner/kernel/mail/mail';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, readPages, topCommand, subcommand } from '../command-context.js';
import { EXIT_CODES, OperatorError, wrongUsage } from '../exit-codes.js';
import { columns } from '../output.js';

const COLUMNS = columns('announcement, company: companyId, email, sent: sentAt, by: operator');

export function announcementsCommand(context: CommandContext) {
  const group = topCommand(
    'announcements',
    'announcements: entries of the changelog, mailed to technical contacts',
    'list',
  );

  subcommand(
    group,
    'send',
    'mail an entry to each confirmed technical contact that has not received it (SMTP_URL, MAIL_FROM)',
    '2026-08-26',
  )
    .argument('<date>', 'of the entry in CHANGELOG.md, e.g. 2026-08-26')
    .action(async (announcement) => {
      const changelog = await context.read(path.join(PROJECT_ROOT, 'CHANGELOG.md'));
      const entry = readAnnouncement(changelog, announcement);
      const mailer = context.mailer();
      if (mailer === undefined)
        throw wrongUsage('SMTP_URL and MAIL_FROM must name the mail server and the sender');
      const docs = new URL('/docs', context.publicBaseUrl()).href;
      const { call } = await context.session();
      const { entries: recipients } = await readPages(1_000_000, async (afterCompanyId, limit) => {
        const query = { announcement, limit, afterCompanyId };
        const page = await call(listAnnouncementRecipientsOperation, query);
        const next = page.hasMore ? page.recipients.at(-1)?.companyId : undefined;
        return { entries: page.recipients, next };
      });
      const sendTo = async ({ companyId, companyName, email }: (typeof recipients)[number]) => {
        const sent = { announcement, companyId, email };
        const { claimed } = await call(claimAnnouncementOperation, sent);
        if (!claimed) return 'claimed by another run; run again in 5 minutes';
        try {
          await mailer.send({
            to: email,
            subject: `Partner API: changes of ${announcement}`,
            text: `${entry}\n\n--\nAPI reference: ${docs}\n${whyMailed(companyName)}\n`,
          });
        } catch (error) {
          // A refused address does not affect the others; any other failure of the server would affect all.
          if (!(error instanceof MailError)) throw error;
          await call(releaseAnnouncementOperation, sent);
          if (!error.isOfRecipient) throw new OperatorError('unavailable', error.message);
          return error.message;
        }
        // Recorded after sending: a run that ends in between causes one repeat after 5 minutes, never an omission.
        await call(recordAnnouncementOperation, sent);
        return 'sent';
      };
      const rows = [];
      for (const recipient of recipients) {
        context.signal.throwIfAborted();
        const result = await sendTo(recipient);
        if (result !== 'sent') context.setExitCode(EXIT_CODES.failed);
        rows.push({ companyId: recipient.companyId, email: recipient.email, result });
      }
      context.output.rows('recipients', rows, columns('company: companyId, email, result'));
    });

  subcommand(
    group,
    'list',
    'show which announcement was sent to whom and when, newest first',
    '--date 2026-08-26',
  )
    .option('--date <date>', 'only this announcement')
    .option('--limit <count>', 'maximum number', wholeNumber(1, 100_000), 100)
    .action(async ({ date, limit }) => {
      const { entries, hasMore } = await readPages(limit, async (beforeId, size) => {
        const page = await context.call(listAnnouncementsOperation, {
          limit: size,
          announcement: date,
          beforeId,
        });
        const next = page.hasMore ? page.announcements.at(-1)?.id : undefined;
        return { entries: page.announcements, next };
      });
      context.output.rows('announcements', entries, COLUMNS, { hasMore });
    });

  return group;
}

function readAnnouncement(changelog: string, date: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const entry = sections.find((section) => section.startsWith(`${date}\n`));
  if (entry !== undefined) return entry.slice(date.length).trim();
  const dates = sections.flatMap((section) => /^\d{4}-\d{2}-\d{2}(?=\n)/.exec(section) ?? []);
  throw new OperatorError(
    'notFound',
    `the changelog has no entry of ${date}; it has those of ${dates.join(', ')}`,
  );
}

const whyMailed = (companyName: string) =>
  `You get this email as the technical contact of ${companyName}. An owner can set another address at the console.`;

import type { SecurityNotice } from '@partner/proto-contracts/internal/notifications/notification-emails';
import {
  type SecurityNoticeKind,
  SECURITY_NOTICE_KINDS,
  securityNoticeDetails,
} from '@partner/proto-contracts/resources/security-notice/security-notice';
import type { Mail } from '@partner/kernel/mail/mail';
import { z } from 'zod';

type Details = z.output<typeof securityNoticeDetails>;

interface Words {
  readonly subject: string;
  /** What happened, without the time. */
  readonly sentence: string;
  /** What to do if it was not the person, or not wanted. */
  readonly advice: string;
}

const kinds = z.enum(SECURITY_NOTICE_KINDS);

/**
 * Creates the email for a security notice: what happened, when, from where, and what to do. It has no link with a token. A kind that
 * this version does not know is named.
 */
export function securityNoticeMail(notice: SecurityNotice, publicBaseUrl: string): Mail {
  const details = securityNoticeDetails.parse(JSON.parse(notice.detailsJson));
  const console = `${publicBaseUrl.replace(/\/$/, '')}/console`;
  const kind = kinds.safeParse(notice.kind);
  const company = oneLine(notice.companyName);
  const { subject, sentence, advice } = kind.success
    ? WORDS[kind.data](details, company, console)
    : {
        subject: 'A change in the partner console',
        sentence: `This changed in the partner console of ${company}: ${notice.kind}.`,
        advice: `If you didn't expect this, check the audit log:\n\n${console}/audit`,
      };
  const { count } = notice;
  const [firstAt, lastAt] = [toMinute(notice.firstAt), toMinute(notice.lastAt)];
  const facts = {
    When: count === 1 ? lastAt : `${count} times, from ${firstAt} to ${lastAt}`,
    By: details.by,
    From: details.remoteAddress,
    Browser: details.userAgent,
  };
  const lines = Object.entries(facts).flatMap(([name, fact]) =>
    fact === undefined ? [] : [`${name}: ${oneLine(fact)}`],
  );
  return { to: notice.email, subject, text: `${sentence}\n\n${lines.join('\n')}\n\n${advice}\n` };
}

const TAKEN = (console: string) =>
  `If this wasn't you, someone knows your password. Set a new one now, which ends all sessions, and ask another owner of your company to reset your two-factor authentication on the People page:\n\n${console}/forgot-password`;

const WORDS: Readonly<
  Record<SecurityNoticeKind, (details: Details, company: string, console: string) => Words>
> = {
  password_changed: ({ by }, company, console) => ({
    subject: 'Your password was changed',
    sentence: `Your password for the partner console of ${company} was changed. All your other sessions have ended.`,
    advice:
      by === undefined
        ? `If this wasn't you, set a new password now, which ends all sessions:\n\n${console}/forgot-password`
        : `If you didn't ask for this, set a new password now, and tell an owner of your company:\n\n${console}/forgot-password`,
  }),
  provider_linked: ({ issuer }, company) => ({
    subject: 'You can now sign in with your identity provider',
    sentence: `You signed in to the partner console of ${company} with an identity provider for the first time${issuer === undefined ? '' : `: ${oneLine(issuer)}`}. From now on, you can sign in to the console with that account.`,
    advice: "If this wasn't you, tell an owner of your company.",
  }),
  second_factor_enabled: (_details, company, console) => ({
    subject: 'Two-factor authentication was enabled',
    sentence: `Two-factor authentication was enabled for your account in the partner console of ${company}. Your other sessions have ended.`,
    advice: TAKEN(console),
  }),
  second_factor_disabled: ({ by }, company, console) => ({
    subject: 'Two-factor authentication was disabled',
    sentence: `Two-factor authentication was disabled for your account in the partner console of ${company}. Signing in no longer requires a code.`,
    advice:
      by === undefined
        ? TAKEN(console)
        : `Your sessions have ended. Sign in and set it up again:\n\n${console}/account\n\nIf you didn't ask for this, tell an owner of your company.`,
  }),
  second_factor_wrong: (_details, company, console) => ({
    subject: 'A wrong sign-in code was entered for your account',
    sentence: `Someone entered the right password for your account in the partner console of ${company}, then a wrong two-factor code.`,
    advice: `If this wasn't you, someone knows your password, and only the code kept them out. Set a new password now:\n\n${console}/forgot-password`,
  }),
  recovery_code_used: ({ left }, company, console) => ({
    subject: 'A recovery code for your account was used',
    sentence: `A recovery code for your account in the partner console of ${company} was used instead of your authenticator app.${left === undefined ? '' : ` Codes left: ${left}.`}`,
    advice: TAKEN(console),
  }),
  recovery_codes_replaced: (_details, company, console) => ({
    subject: 'Your recovery codes were replaced',
    sentence: `New recovery codes were created for your account in the partner console of ${company}. The earlier ones no longer work.`,
    advice: TAKEN(console),
  }),
  owner_added: ({ displayName }, company, console) => ({
    subject: 'The partner console has a new owner',
    sentence: `${displayName === undefined ? 'A person' : `"${oneLine(displayName)}"`} is now an owner in the partner console of ${company}, and can manage its webhooks, API keys and people.`,
    advice: `If you didn't expect this, remove them on the People page and check the audit log:\n\n${console}/people`,
  }),
  technical_contact_replaced: (_details, company) => ({
    subject: 'You are no longer the technical contact',
    sentence: `Another address is now the technical contact of ${company} for the partner API. You no longer receive announcements of breaking changes.`,
    advice: `If you didn't expect this, tell an owner of ${company}.`,
  }),
  webhooks_proposed: ({ proposalId = '', plan = '', source }, company, console) => ({
    subject: 'Changes of your webhooks wait for you',
    sentence: `An API key of ${company} proposes these changes of its webhooks${source === undefined ? '' : `, from ${oneLine(source)}`}:\n\n${plan}\n\nNothing changes until an owner confirms them.`,
    advice: `Review them, then confirm or reject them:\n\n${console}/webhooks/proposals/${proposalId}\n\nIf you didn't expect this, reject them, and revoke the API key.`,
  }),
};

/** One line, whatever an owner wrote. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** An instant of the API for readers: `2026-11-26 10:40 UTC`. */
export const toMinute = (text: string) => `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;

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
        advice: `If you did not expect it, check the audit trail:\n\n${console}/audit`,
      };
  const { count, firstAt, lastAt } = notice;
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
  `If it was not you, someone knows your password. Set a new one at once, which ends all sessions, and ask another owner of your company to reset your two-factor authentication (page People):\n\n${console}/forgot-password`;

const WORDS: Readonly<
  Record<SecurityNoticeKind, (details: Details, company: string, console: string) => Words>
> = {
  password_changed: ({ by }, company, console) => ({
    subject: 'Your password was changed',
    sentence: `The password of your account in the partner console of ${company} was changed. All other sessions of the account have ended.`,
    advice:
      by === undefined
        ? `If it was not you, set a new password at once, which ends all sessions:\n\n${console}/forgot-password`
        : `If you did not ask for it, set a new password at once, and tell an owner of your company:\n\n${console}/forgot-password`,
  }),
  provider_linked: ({ issuer }, company) => ({
    subject: 'You can now sign in with your identity provider',
    sentence: `You signed in to the partner console of ${company} with an identity provider for the first time${issuer === undefined ? '' : `: ${oneLine(issuer)}`}. From now on your account there opens the console.`,
    advice: 'If it was not you, tell an owner of your company.',
  }),
  second_factor_enabled: (_details, company, console) => ({
    subject: 'Two-factor authentication was enabled',
    sentence: `Two-factor authentication was enabled for your account in the partner console of ${company}. Your other sessions have ended.`,
    advice: TAKEN(console),
  }),
  second_factor_disabled: ({ by }, company, console) => ({
    subject: 'Two-factor authentication was disabled',
    sentence: `The two-factor authentication of your account in the partner console of ${company} was disabled. Sign-in asks for no code now.`,
    advice:
      by === undefined
        ? TAKEN(console)
        : `Your sessions have ended. Sign in and set it up again:\n\n${console}/account\n\nIf you did not ask for it, tell an owner of your company.`,
  }),
  second_factor_wrong: (_details, company, console) => ({
    subject: 'A wrong sign-in code was entered for your account',
    sentence: `Someone entered the right password of your account in the partner console of ${company}, and then a wrong code of your two-factor authentication.`,
    advice: `If it was not you, someone knows your password, and only the code has kept them out. Set a new password at once:\n\n${console}/forgot-password`,
  }),
  recovery_code_used: ({ left }, company, console) => ({
    subject: 'A recovery code of your account was used',
    sentence: `A recovery code of your account in the partner console of ${company} was used in place of your authenticator app.${left === undefined ? '' : ` Codes left: ${left}.`}`,
    advice: TAKEN(console),
  }),
  recovery_codes_replaced: (_details, company, console) => ({
    subject: 'Your recovery codes were replaced',
    sentence: `New recovery codes were created for your account in the partner console of ${company}. The former ones no longer work.`,
    advice: TAKEN(console),
  }),
  owner_added: ({ displayName }, company, console) => ({
    subject: 'There is a new owner in the partner console',
    sentence: `${displayName === undefined ? 'A person' : `"${oneLine(displayName)}"`} is now an owner of ${company} in the partner console, and can manage its webhooks, API keys and people.`,
    advice: `If you did not expect it, remove the person on the page People, and check the audit trail:\n\n${console}/people`,
  }),
  technical_contact_replaced: (_details, company) => ({
    subject: 'You are no longer the technical contact',
    sentence: `Another address is now the technical contact of ${company} at the partner integration service. Announcements of breaking changes no longer go to you.`,
    advice: `If you did not expect it, tell an owner of ${company}.`,
  }),
};

/** One line, whatever an owner wrote. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

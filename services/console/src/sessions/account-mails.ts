import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Mailer } from '@partner/kernel/mail';
import type { BackgroundWork } from '../background-work.js';

/** Dependencies of the emails about the own account. */
export interface NotifyDeps {
  /** Absent: no mail server is configured. */
  readonly mailer?: Mailer | undefined;
  readonly background: Pick<BackgroundWork, 'start'>;
  readonly publicBaseUrl: string;
  readonly clock: () => Date;
}

/** Mails an owner in the background that the password has changed; the email may be lost. */
export function notifyOfNewPassword(
  { mailer, background, publicBaseUrl, clock }: NotifyDeps,
  owner: {
    readonly membershipId: string;
    readonly companyName: string;
    readonly email: string | undefined;
  },
): void {
  const { membershipId, companyName, email: to } = owner;
  if (mailer === undefined || to === undefined) return;
  const text = `The password of your account in the partner console of ${companyName} was changed at ${formatDateTime(clock())}.
All other sessions of the account have ended.

If you did not change it, set a new password at once:

${publicBaseUrl.replace(/\/$/, '')}/console/forgot-password
`;
  background.start(membershipId, 'password_changed.mail', () =>
    mailer.send({ to, subject: 'Your password was changed', text }),
  );
}

/** Mails an owner in the background that the account can now be opened with the identity provider; the email may be lost. */
export function notifyOfLink(
  { mailer, background, clock }: NotifyDeps,
  { membershipId, companyName }: { readonly membershipId: string; readonly companyName: string },
  { email: to, providerName }: { readonly email: string | undefined; readonly providerName: string },
): void {
  if (mailer === undefined || to === undefined) return;
  const text = `You signed in to the partner console of ${companyName} with ${providerName} for the first time at ${formatDateTime(clock())}.
From now on your account at ${providerName} opens the console.

If it was not you, tell an owner of your company.
`;
  background.start(membershipId, 'provider_linked.mail', () =>
    mailer.send({ to, subject: `You can now sign in with ${providerName}`, text }),
  );
}

import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Mailer } from '@partner/kernel/mail';
import type { BackgroundWork } from '../background-work.js';

/** Dependencies of the email about a new password. */
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

import { createPasswordLinkOperation } from '@partner/proto-contracts/internal/access/passwords';
import { requestPasswordLinkOperation } from '@partner/proto-contracts/resources/password/operations';
import { PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Mailer } from '@partner/kernel/process/mail';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { BackgroundWork } from '../background-work.js';
import type { LoginAttempts } from '../sessions/login-attempts.js';
import type { DeviceCookie } from '../sessions/device-cookie.js';
import { createPasswordLink } from '../sessions/password-link.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `POST /partner-api/password/links`: mails a link to the person with an email address. Everything that depends on the address
 * happens after the response, so neither the response nor its time reveals whether there is an account. For the same reason the
 * limit of an address is silent. A browser in which the person has signed in before has its own limit, which no other client uses up.
 */
export function requestPasswordLink(deps: {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly attempts: Pick<LoginAttempts, 'countLinkOf' | 'countEmail'>;
  readonly deviceCookie: Pick<DeviceCookie, 'read'>;
  readonly background: Pick<BackgroundWork, 'start'>;
  /** Absent: no mail server is configured. */
  readonly mailer?: Mailer | undefined;
  readonly publicBaseUrl: string;
  readonly rpcTimeoutMs: number;
  readonly logger: Pick<Logger, 'warn'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(requestPasswordLinkOperation, async ({ body, remoteAddress, header }) => {
    const { mailer } = deps;
    if (mailer === undefined) {
      throw new ServiceError(
        'not_found',
        'this service has no mail server; ask its operator to set your password',
      );
    }
    const network = clientNetwork(remoteAddress);
    const device = deps.deviceCookie.read(header('cookie'));
    await deps.attempts.countLinkOf(device === undefined ? network : `device ${device.id}`);
    const { link, tokenSha256 } = createPasswordLink(deps.publicBaseUrl);
    const mailLink = async (to: { readonly onlyMembershipId?: string }): Promise<boolean> => {
      const { email } = await deps.operations.callInternal(
        createPasswordLinkOperation,
        { email: body.email, tokenSha256, ...to },
        { timeoutMs: deps.rpcTimeoutMs },
      );
      if (email !== undefined) await mailer.send(passwordLinkMail(email, link));
      return email !== undefined;
    };
    deps.background.start(network, 'password_link.mail', async () => {
      if (device !== undefined && (await mailLink({ onlyMembershipId: device.membershipId }))) return;
      if ((await deps.attempts.countEmail('password-link', body.email)).waitMs === 0) await mailLink({});
      else deps.logger.warn({ remoteAddress }, 'password_link.limited');
    });
    return { status: 202 };
  });
}

function passwordLinkMail(to: string, link: string) {
  return {
    to,
    subject: 'Set a new password',
    text: `Someone asked for a new password of your account in the partner console.

Open this link within ${PASSWORD_LINKS.minutes} minutes to set one:

${link}

If it was not you, do nothing: your password stays as it is.
`,
  };
}

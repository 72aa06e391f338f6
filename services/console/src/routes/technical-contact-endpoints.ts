import {
  requestTechnicalContactOperation,
  useTechnicalContactTokenOperation,
} from '@partner/proto-contracts/internal/access/technical-contact';
import {
  confirmTechnicalContactOperation,
  setTechnicalContactOperation,
} from '@partner/proto-contracts/resources/technical-contact/operations';
import { TECHNICAL_CONTACT_LIMITS } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { MailError } from '@partner/kernel/mail/mail';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createTechnicalContactLink } from '@partner/kernel/mail/technical-contact-link';
import { tokenSha256 } from '@partner/kernel/security/token-sha256';
import { ownerCall } from '../acting-owner.js';
import type { ConsoleDeps } from '../console-deps.js';
import { isLoopbackHttp } from '../config.js';
import { countUse } from '../refusals.js';
import { countOwnersEmail } from '../sessions/login-attempts.js';
import type { OwnerSession } from '../sessions/session-store.js';
import { refuseLink } from './mailed-links.js';

export function technicalContactEndpoints(deps: ConsoleDeps): readonly AnyEndpoint<OwnerSession>[] {
  const { limiter, operations, mailer, publicBaseUrl } = deps;
  const { emailsPerMinute, confirmationsPerMinute } = TECHNICAL_CONTACT_LIMITS;
  return [
    // The link is mailed before the address is stored as pending, so that an address whose link could not be mailed replaces no other.
    serveOperation(setTechnicalContactOperation, async (request) => {
      const { companyId, companyName } = request.principal;
      const { email } = request.body;
      const what = 'confirmation emails are sent for a company';
      await countUse(limiter, `technical-contact:${companyId}`, emailsPerMinute, what);
      if (mailer !== undefined) await countOwnersEmail(deps.attempts, 'technical-contact', email);
      const created = createTechnicalContactLink({ publicBaseUrl, companyName, email });
      await mailer?.send(created.mail).catch(refuseEmail);
      const toConfirm = { email, tokenSha256: created.tokenSha256 };
      const call = ownerCall(request);
      const contact = await operations.callInternal(requestTechnicalContactOperation, toConfirm, call);
      // Only on a developer's machine: the link is a secret.
      if (mailer === undefined && isLoopbackHttp(publicBaseUrl)) {
        deps.logger.warn({ link: created.link }, 'technical_contact.not_mailed');
      }
      return { status: 200, json: { ...contact, emailSent: mailer !== undefined } };
    }),
    // Public: the token is the proof.
    serveOperation(confirmTechnicalContactOperation, async ({ body, remoteAddress, call }) => {
      const key = `technical-contact-links:${clientNetwork(remoteAddress)}`;
      await countUse(limiter, key, confirmationsPerMinute, 'links can be tried');
      await operations
        .callInternal(useTechnicalContactTokenOperation, { tokenSha256: tokenSha256(body.token) }, call)
        .catch(refuseLink('ask an owner of your company for a new one'));
      return { status: 204 };
    }),
  ];
}

function refuseEmail(cause: unknown): never {
  const mayArrive = cause instanceof MailError && cause.mayArrive;
  throw new ServiceError(
    'unavailable',
    mayArrive
      ? 'the mail server did not respond, and nothing has changed; if the email still arrives, its link does not work; send the request again'
      : 'the mail server did not accept the email, and nothing has changed; send the request again',
    { cause },
  );
}

import { requestTechnicalContactOperation } from '@partner/proto-contracts/internal/access/technical-contact';
import { setTechnicalContactOperation } from '@partner/proto-contracts/resources/technical-contact/operations';
import {
  TECHNICAL_CONTACT_LIMITS,
  type technicalContactRequested,
} from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { type Mail, MailError, type Mailer } from '@partner/kernel/process/mail';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createTechnicalContactLink } from '@partner/kernel/process/technical-contact-link';
import type { z } from 'zod';
import { ownerCaller } from '../acting-owner.js';
import { isLoopbackHttp } from '../loopback-http.js';
import { countEmail } from '../sessions/count-email.js';
import type { LoginAttempts } from '../sessions/login-attempts.js';
import type { OwnerSession } from '../sessions/session-store.js';
import { counted } from '@partner/proto-contracts/api/counted';

/**
 * `PUT /partner-api/technical-contact`: mails a link to the address, then stores the address as pending. In this order,
 * so that an address whose link could not be mailed replaces no other.
 */
export function setTechnicalContact(deps: {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
  readonly attempts: Pick<LoginAttempts, 'countEmail'>;
  /** Absent: no mail server is configured. */
  readonly mailer?: Mailer | undefined;
  readonly publicBaseUrl: string;
  readonly logger: Pick<Logger, 'warn'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(setTechnicalContactOperation, async (request) => {
    const { companyId, companyName } = request.principal;
    const { email } = request.body;
    await takeEmail(deps.limiter, companyId);
    if (deps.mailer !== undefined) await countEmail(deps.attempts, 'technical-contact', email);
    const { publicBaseUrl } = deps;
    const { link, tokenSha256, mail } = createTechnicalContactLink({ publicBaseUrl, companyName, email });
    if (deps.mailer !== undefined) await send(deps.mailer, mail);
    const contact = await deps.operations.callInternal(
      requestTechnicalContactOperation,
      { email, tokenSha256 },
      { ...request.call, caller: ownerCaller(request) },
    );
    // Only on a developer's machine: the link is a secret.
    if (deps.mailer === undefined && isLoopbackHttp(publicBaseUrl)) {
      deps.logger.warn({ link }, 'technical_contact.not_mailed');
    }
    const json: z.input<typeof technicalContactRequested> = {
      ...contact,
      emailSent: deps.mailer !== undefined,
    };
    return { status: 200, json };
  });
}

async function takeEmail(limiter: Pick<RateLimiter, 'take'>, companyId: string): Promise<void> {
  const { emailsPerMinute } = TECHNICAL_CONTACT_LIMITS;
  const { accepted, retryAfterSeconds } = await limiter.take(
    `technical-contact:${companyId}`,
    emailsPerMinute,
  );
  if (accepted) return;
  throw new ServiceError(
    'rate_limited',
    `at most ${emailsPerMinute} confirmation emails are sent for a company in 60 seconds; retry after ${counted(retryAfterSeconds, 'second')}`,
    { retryAfterSeconds },
  );
}

async function send(mailer: Mailer, mail: Mail): Promise<void> {
  try {
    await mailer.send(mail);
  } catch (cause) {
    const mayArrive = cause instanceof MailError && cause.mayArrive;
    throw new ServiceError(
      'unavailable',
      mayArrive
        ? 'the mail server did not respond, and nothing has changed; if the email still arrives, its link does not work; send the request again'
        : 'the mail server did not take the email, and nothing has changed; send the request again',
      { cause },
    );
  }
}

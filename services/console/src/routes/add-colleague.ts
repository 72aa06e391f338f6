import { inviteColleagueOperation } from '@partner/proto-contracts/internal/access/invite-colleague';
import { COLLEAGUE_LIMITS } from '@partner/proto-contracts/resources/colleague/colleague';
import { addColleagueOperation } from '@partner/proto-contracts/resources/colleague/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Mailer } from '@partner/kernel/process/mail';
import { ServiceError } from '@partner/kernel/process/service-error';
import { ownerCaller } from '../acting-owner.js';
import { countEmail } from '../sessions/count-email.js';
import type { LoginAttempts } from '../sessions/login-attempts.js';
import { createPasswordLink } from '../sessions/password-link.js';
import type { OwnerSession } from '../sessions/session-store.js';
import { counted } from '@partner/proto-contracts/api/counted';

/**
 * `POST /partner-api/colleagues`: adds a person, then mails the invitation. If the email fails, a repeat mails a new one, because
 * the person has no password yet.
 */
export function addColleague(deps: {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
  readonly attempts: Pick<LoginAttempts, 'countEmail'>;
  /** Absent: no mail server is configured. */
  readonly mailer?: Mailer | undefined;
  readonly publicBaseUrl: string;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(addColleagueOperation, async (request) => {
    const { mailer } = deps;
    if (mailer === undefined) {
      throw new ServiceError(
        'not_found',
        'this service has no mail server; ask its operator to add the person',
      );
    }
    await takeInvitation(deps.limiter, request.principal.companyId);
    const counted = await countEmail(deps.attempts, 'invitation', request.body.email);
    const { link, tokenSha256 } = createPasswordLink(deps.publicBaseUrl);
    const toAdd = { ...request.body, tokenSha256 };
    const call = { ...request.call, caller: ownerCaller(request) };
    const added = await deps.operations
      .callInternal(inviteColleagueOperation, toAdd, call)
      .catch(async (error: unknown) => {
        // Nothing was mailed. A count that cannot be removed stays until its span ends.
        await Promise.allSettled([counted.forget()]);
        throw error;
      });
    await mailer.send(invitation(request.body.email, link, request.principal)).catch((cause: unknown) => {
      throw new ServiceError(
        'unavailable',
        'the person is added, but the mail server did not take the invitation; send the request again',
        { cause },
      );
    });
    return { status: 201, json: added };
  });
}

async function takeInvitation(limiter: Pick<RateLimiter, 'take'>, companyId: string): Promise<void> {
  const { invitationsPerMinute } = COLLEAGUE_LIMITS;
  const { accepted, retryAfterSeconds } = await limiter.take(
    `invitations:${companyId}`,
    invitationsPerMinute,
  );
  if (accepted) return;
  throw new ServiceError(
    'rate_limited',
    `at most ${invitationsPerMinute} invitations are mailed for a company in 60 seconds; retry after ${counted(retryAfterSeconds, 'second')}`,
    { retryAfterSeconds },
  );
}

function invitation(
  to: string,
  link: string,
  { displayName, companyName }: Pick<OwnerSession, 'displayName' | 'companyName'>,
) {
  return {
    to,
    subject: 'Your access to the partner console',
    text: `${displayName} has given you access to the partner console of ${companyName}.

Open this link within ${COLLEAGUE_LIMITS.invitationHours / 24} days to set your password:

${link}

If you don't know why you get this email, do nothing.
`,
  };
}

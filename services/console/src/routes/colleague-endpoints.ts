import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { inviteColleagueOperation } from '@partner/proto-contracts/internal/access/invite-colleague';
import { COLLEAGUE_LIMITS } from '@partner/proto-contracts/resources/colleague/colleague';
import {
  addColleagueOperation,
  removeColleagueOperation,
  resetColleagueSecondFactorOperation,
  setColleagueRoleOperation,
} from '@partner/proto-contracts/resources/colleague/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { callFor, type Forwarding, responseTo } from '@partner/gateway-kit/operations/forward-operation';
import { ServiceError } from '@partner/kernel/process/service-error';
import { ownerCall } from '../acting-owner.js';
import type { ConsoleDeps } from '../console-deps.js';
import { countUse } from '../refusals.js';
import { countOwnersEmail } from '../sessions/login-attempts.js';
import { endSessionsOf, type OwnerSession } from '../sessions/session-store.js';
import { createPasswordLink, requireMailer } from './mailed-links.js';

/** Changes of a colleague's access. Each ends the colleague's sessions at once; without Redis they end within a minute. */
const CHANGES: readonly AnyOperation[] = [
  setColleagueRoleOperation,
  removeColleagueOperation,
  resetColleagueSecondFactorOperation,
];

export function colleagueEndpoints(
  deps: ConsoleDeps,
  forwarding: Forwarding<OwnerSession>,
): readonly AnyEndpoint<OwnerSession>[] {
  return [
    addColleague(deps),
    ...CHANGES.map((operation) =>
      serveOperation<OwnerSession, unknown, unknown>(operation, async (request) => {
        const reply = await callFor(operation, request, forwarding);
        await endSessionsOf(deps.sessions, request.params['id'] ?? '');
        return responseTo(operation, request, reply);
      }),
    ),
  ];
}

/** Adds a person, then mails the invitation. If the email fails, a repeat mails a new one, because the person has no password yet. */
function addColleague(deps: ConsoleDeps): AnyEndpoint<OwnerSession> {
  return serveOperation(addColleagueOperation, async (request) => {
    const mailer = requireMailer(deps, 'add the person');
    const { principal, body } = request;
    await countUse(
      deps.limiter,
      `invitations:${principal.companyId}`,
      COLLEAGUE_LIMITS.invitationsPerMinute,
      'invitations are mailed for a company',
    );
    const counted = await countOwnersEmail(deps.attempts, 'invitation', body.email);
    const { link, tokenSha256 } = createPasswordLink(deps);
    const added = await deps.operations
      .callInternal(inviteColleagueOperation, { ...body, tokenSha256 }, ownerCall(request))
      .catch(async (error: unknown) => {
        // Nothing was mailed. A count that cannot be removed stays until its span ends.
        await Promise.allSettled([counted.forget()]);
        throw error;
      });
    await mailer.send(invitation(body.email, link, principal)).catch((cause: unknown) => {
      throw new ServiceError(
        'unavailable',
        'the person is added, but the mail server did not accept the invitation; send the request again',
        { cause },
      );
    });
    return { status: 201, json: added };
  });
}

function invitation(to: string, link: string, { displayName, companyName }: OwnerSession) {
  return {
    to,
    subject: 'Your access to the partner console',
    text: `${displayName} has given you access to the partner console of ${companyName}.

Open this link within ${COLLEAGUE_LIMITS.invitationHours / 24} days to set your password:

${link}

If you didn't expect this email, ignore it.
`,
  };
}

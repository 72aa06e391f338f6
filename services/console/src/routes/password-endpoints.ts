import {
  createPasswordLinkOperation,
  findPasswordLinkOperation,
  replacePasswordOperation,
  usePasswordTokenOperation,
} from '@partner/proto-contracts/internal/access/passwords';
import { findPersonOperation } from '@partner/proto-contracts/internal/access/sign-in';
import {
  changePasswordOperation,
  readPasswordLinkOperation,
  requestPasswordLinkOperation,
  usePasswordLinkOperation,
} from '@partner/proto-contracts/resources/password/operations';
import { PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import { type AnyEndpoint, type EndpointRequest, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { tokenSha256 } from '@partner/kernel/security/token-sha256';
import { clientOriginOf, ownerCall } from '../acting-owner.js';
import type { ConsoleDeps } from '../console-deps.js';
import { countUse } from '../refusals.js';
import { confirmPassword } from '../sessions/confirm-password.js';
import { checkNewPassword } from '../sessions/new-password-rule.js';
import { endSessionsOf, type OwnerSession } from '../sessions/session-store.js';
import { createPasswordLink, refuseLink, requireMailer } from './mailed-links.js';
import { serializeSession } from './session-endpoints.js';

type LinkRequest = Pick<
  EndpointRequest<unknown, unknown, { readonly token: string }>,
  'body' | 'call' | 'remoteAddress'
>;

export function passwordEndpoints(deps: ConsoleDeps): readonly AnyEndpoint<OwnerSession>[] {
  return [changePassword(deps), requestPasswordLink(deps), readPasswordLink(deps), usePasswordLink(deps)];
}

/**
 * Changes the password of a session's owner, and continues with a new session. All other sessions of the
 * owner end: at once, or within a minute if Redis fails in between or a login with the former password is in flight.
 */
function changePassword(deps: ConsoleDeps): AnyEndpoint<OwnerSession> {
  return serveOperation(changePasswordOperation, async (request) => {
    const { principal: former, body, call, remoteAddress } = request;
    const { companyId, membershipId, passwordVersion: formerPasswordVersion } = former;
    await confirmPassword(deps, request, body.currentPassword);
    const asked = { companyId, membershipId, withPasswordHash: true };
    const { person } = await deps.operations.callInternal(findPersonOperation, asked, call);
    checkNewPassword(body.newPassword, { ...former, email: person?.email });
    const passwordHash = await deps.hashPassword(clientNetwork(remoteAddress), body.newPassword);
    const { passwordVersion } = await deps.operations.callInternal(
      replacePasswordOperation,
      { formerPasswordVersion, passwordHash },
      ownerCall(request),
    );
    const origin = clientOriginOf(request);
    const { token, session } = await deps.sessions.create({ ...former, passwordVersion }, origin);
    await endSessionsOf(deps.sessions, membershipId, session.id);
    await deps.trail.note({ change: 'started', session, origin }, call);
    return {
      status: 200,
      json: serializeSession(session),
      headers: { 'set-cookie': deps.cookie.set(token) },
    };
  });
}

/**
 * Mails a link to the person with an email address. Everything that depends on the address
 * happens after the response, so neither the response nor its time reveals whether there is an account. For the same reason the
 * limit of an address is silent. A browser in which the person has signed in before has its own limit, which no other client uses up.
 */
function requestPasswordLink(deps: ConsoleDeps): AnyEndpoint<OwnerSession> {
  return serveOperation(requestPasswordLinkOperation, async ({ body, remoteAddress, header }) => {
    const mailer = requireMailer(deps, 'set your password');
    const network = clientNetwork(remoteAddress);
    const device = deps.deviceCookie.read(header('cookie'));
    await deps.attempts.countLinkOf(device === undefined ? network : `device ${device.id}`);
    const created = createPasswordLink(deps);
    const mailLink = async (to: { readonly onlyMembershipId?: string }): Promise<boolean> => {
      const { email } = await deps.operations.callInternal(
        createPasswordLinkOperation,
        { email: body.email, tokenSha256: created.tokenSha256, ...to },
        { timeoutMs: deps.rpcTimeoutMs },
      );
      if (email !== undefined) await mailer.send(passwordLinkMail(email, created.link));
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
    text: `Someone asked for a new password for your account in the partner console.

Open this link within ${PASSWORD_LINKS.minutes} minutes to set one:

${link}

If this wasn't you, ignore this email. Your password stays the same.
`,
  };
}

/** Reads whom a link is for. Public: the token is the proof. */
function readPasswordLink(deps: ConsoleDeps): AnyEndpoint<OwnerSession> {
  return serveOperation(readPasswordLinkOperation, async (request) => {
    const { displayName, companyName, email } = await findLink(deps, request);
    return { status: 200, json: { displayName, companyName, email } };
  });
}

/** Finds the person of a link, and counts the try. */
async function findLink(deps: ConsoleDeps, request: LinkRequest) {
  const key = `password-links:${clientNetwork(request.remoteAddress)}`;
  await countUse(deps.limiter, key, PASSWORD_LINKS.usesPerMinute, 'links can be tried');
  const token = { tokenSha256: tokenSha256(request.body.token) };
  const person = await deps.operations
    .callInternal(findPasswordLinkOperation, token, request.call)
    .catch(refuse);
  return { ...person, ...token };
}

const refuse = refuseLink('request a new one');

/**
 * Sets a password with the token of a mailed link, and ends all sessions of the person.
 * Public: the token is the proof. It starts no session, so a second factor stays necessary.
 */
function usePasswordLink(deps: ConsoleDeps): AnyEndpoint<OwnerSession> {
  return serveOperation(usePasswordLinkOperation, async (request) => {
    const { body, remoteAddress, call } = request;
    const person = await findLink(deps, request);
    checkNewPassword(body.newPassword, person);
    const passwordHash = await deps.hashPassword(clientNetwork(remoteAddress), body.newPassword);
    const used = { tokenSha256: person.tokenSha256, passwordHash, ...clientOriginOf(request) };
    await deps.operations.callInternal(usePasswordTokenOperation, used, call).catch(refuse);
    await endSessionsOf(deps.sessions, person.membershipId);
    return { status: 204 };
  });
}

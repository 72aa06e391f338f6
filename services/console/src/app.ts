import { LIMITS } from '@partner/proto-contracts/api/limits';
import { COUNTED_AS } from '@partner/proto-contracts/api/refusals';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { listApiKeysOperation } from '@partner/proto-contracts/resources/api-key/operations';
import { listInstallersOperation } from '@partner/proto-contracts/resources/installer/operations';
import { listAuditEntriesOperation } from '@partner/proto-contracts/resources/audit-entry/operations';
import { listReplaysOperation } from '@partner/proto-contracts/resources/bulk-replay/operations';
import {
  listCompanyDeliveriesOperation,
  listDeliveriesOperation,
} from '@partner/proto-contracts/resources/delivery/operations';
import { listEventsOperation } from '@partner/proto-contracts/resources/event/operations';
import type { AnyEndpoint } from '@partner/gateway-kit/http/endpoint';
import { surfaceEndpoints } from '@partner/gateway-kit/operations/forward-operation';
import type { CursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import { createHttpApp } from '@partner/gateway-kit/http/http-app';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Mailer } from '@partner/kernel/process/mail';
import type { RequestListener } from 'node:http';
import { Counter, type Registry } from 'prom-client';
import { ownerCaller } from './acting-owner.js';
import { createClientEndpoints } from './docs/client-packages.js';
import { createDocsEndpoints } from './docs/docs-endpoints.js';
import { addColleague } from './routes/add-colleague.js';
import { beginProviderConfirmation } from './routes/begin-provider-confirmation.js';
import { beginProviderSignIn } from './routes/begin-provider-sign-in.js';
import type { ChangeStreams } from './live/change-streams.js';
import type { BackgroundWork } from './background-work.js';
import { changeColleague } from './routes/change-colleague.js';
import { changePassword } from './routes/change-password.js';
import { changeSecondFactor } from './routes/change-second-factor.js';
import { checkUrl } from './routes/check-url.js';
import { completeProviderConfirmation } from './routes/complete-provider-confirmation.js';
import { completeProviderSignIn } from './routes/complete-provider-sign-in.js';
import { confirmSession } from './routes/confirm-session.js';
import { confirmTechnicalContact } from './routes/confirm-technical-contact.js';
import { createSession } from './routes/create-session.js';
import { createWebhook } from './routes/create-webhook.js';
import { deleteSession } from './routes/delete-session.js';
import { endSession } from './routes/end-session.js';
import { getServiceStatus } from './routes/get-service-status.js';
import { getSession } from './routes/get-session.js';
import { getSignInMethods } from './routes/get-sign-in-methods.js';
import { listPage } from './routes/list-page.js';
import { listSessions } from './routes/list-sessions.js';
import { listWebhookEvents } from './routes/list-webhook-events.js';
import { notificationSettings } from './routes/notification-settings.js';
import { requestPasswordLink } from './routes/request-password-link.js';
import { setTechnicalContact } from './routes/set-technical-contact.js';
import { streamChanges } from './routes/stream-changes.js';
import { usePasswordLink } from './routes/use-password-link.js';
import { createSameOriginCheck } from './same-origin.js';
import { authenticateSession } from './sessions/authenticate-session.js';
import { confirmedEndpoint } from './sessions/confirmed-endpoint.js';
import type { DeviceCookie } from './sessions/device-cookie.js';
import type { LoginAttempts } from './sessions/login-attempts.js';
import { checkRole } from './sessions/role.js';
import type { IdentityProvider } from './sessions/identity-provider.js';
import type { ProviderRequests } from './sessions/provider-requests.js';
import { createProviderCookie, createSessionCookie, type SessionCookie } from './sessions/session-cookie.js';
import type { OwnerSession, SessionStore } from './sessions/session-store.js';
import { createSessionTrail, type SessionTrail } from './sessions/session-trail.js';
import type { HashPassword, VerifyPassword } from './sessions/verify-password.js';
import { createWebEndpoints, type WebAppDeps } from './web/web-endpoints.js';

/** Requests with no valid session to operations that need one, which one client address may make in a minute before it gets 429. */
const FAILED_AUTHENTICATIONS_PER_MINUTE = 300;

/** A cursor of one list of deliveries also reads the others. */
const DELIVERIES = { list: 'deliveries', prefix: 'dlv' } as const;

/** Dependencies of the console's API. */
export interface ConsoleAppDeps {
  readonly operations: OperationClient;
  /** The operations of the sandbox have no path in production. */
  readonly isSandbox: boolean;
  readonly sessions: SessionStore;
  readonly cursorSigner: CursorSigner;
  readonly attempts: LoginAttempts;
  readonly deviceCookie: DeviceCookie;
  readonly verifyPassword: VerifyPassword;
  readonly hashPassword: HashPassword;
  readonly background: BackgroundWork;
  readonly limiter: RateLimiter;
  /** Absent: no mail server is configured. */
  readonly mailer?: Mailer | undefined;
  /** Absent: none is configured. */
  readonly identityProvider?: IdentityProvider | undefined;
  readonly providerRequests: ProviderRequests;
  readonly changeStreams: ChangeStreams;
  readonly webApp: Omit<WebAppDeps, 'cookie' | 'sendsMail' | 'providerName'>;
  readonly publicBaseUrl: string;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly clock: () => Date;
  readonly rpcTimeoutMs: number;
  readonly trustedProxyHops: number;
}

/** Dependencies of the endpoints. */
type EndpointDeps = Pick<
  ConsoleAppDeps,
  | 'attempts'
  | 'background'
  | 'changeStreams'
  | 'clock'
  | 'cursorSigner'
  | 'deviceCookie'
  | 'hashPassword'
  | 'identityProvider'
  | 'isSandbox'
  | 'limiter'
  | 'logger'
  | 'mailer'
  | 'operations'
  | 'providerRequests'
  | 'publicBaseUrl'
  | 'rpcTimeoutMs'
  | 'sessions'
  | 'verifyPassword'
> & {
  readonly cookie: SessionCookie;
  readonly providerCookie: SessionCookie;
  readonly trail: SessionTrail;
  readonly logins: Counter<'outcome'>;
};

/** Returns the endpoints of the owners' API: one for each operation of the console. */
export function consoleEndpoints(deps: EndpointDeps): readonly AnyEndpoint<OwnerSession>[] {
  const forwarding = { operations: deps.operations, callerOf: ownerCaller };
  const kit = { ...deps, forwarding };
  const own = [
    createSession(deps),
    getSession(),
    deleteSession(deps),
    confirmSession(deps),
    beginProviderSignIn(deps),
    completeProviderSignIn(deps),
    beginProviderConfirmation(deps),
    completeProviderConfirmation(deps),
    getSignInMethods(deps),
    changePassword(deps),
    requestPasswordLink(deps),
    usePasswordLink(deps),
    listSessions(deps),
    endSession(deps),
    ...changeSecondFactor(deps),
    addColleague(deps),
    ...changeColleague(kit),
    checkUrl(kit),
    streamChanges(deps),
    createWebhook(kit),
    listWebhookEvents(),
    listPage(listCompanyDeliveriesOperation, DELIVERIES, kit),
    listPage(listDeliveriesOperation, DELIVERIES, kit),
    listPage(listReplaysOperation, { list: 'replays', prefix: 'rpl' }, kit),
    listPage(listEventsOperation, { list: 'events', prefix: 'evt' }, kit),
    listPage(listApiKeysOperation, { list: 'api-keys', prefix: 'key' }, kit),
    listPage(listInstallersOperation, { list: 'installers', prefix: 'cmp' }, kit),
    listPage(listAuditEntriesOperation, { list: 'audit-entries', prefix: 'aud' }, kit),
    ...notificationSettings(kit),
    setTechnicalContact(deps),
    confirmTechnicalContact(deps),
    getServiceStatus(deps),
  ];
  const operations = CONSOLE_OPERATIONS.filter(({ sandboxOnly }) => sandboxOnly !== true || deps.isSandbox);
  return surfaceEndpoints(operations, own, forwarding);
}

/**
 * Creates the owners' API (spec: Console). Every request acts for the company of its session only. The reference of all
 * APIs and the pages of the owners' web app are public.
 */
export function createConsoleApp(deps: ConsoleAppDeps): RequestListener {
  const cookie = createSessionCookie(deps.publicBaseUrl);
  const logins = new Counter({
    name: 'partner_console_logins_total',
    help: 'Logins by outcome: signed_in, wrong, not_owner, second_factor_required, second_factor_wrong, provider_refused, limited.',
    labelNames: ['outcome'],
    registers: [deps.metrics],
  });
  const providerCookie = createProviderCookie(deps.publicBaseUrl);
  const kit = { ...deps, cookie, providerCookie, logins, trail: createSessionTrail(deps) };

  return createHttpApp<OwnerSession>({
    endpoints: [
      ...consoleEndpoints(kit).map((endpoint) => confirmedEndpoint(endpoint, deps.clock)),
      ...createDocsEndpoints<OwnerSession>({
        publicBaseUrl: deps.publicBaseUrl,
        sessionCookie: cookie.name,
        isSandbox: deps.isSandbox,
      }),
      ...createClientEndpoints<OwnerSession>({
        publicBaseUrl: deps.publicBaseUrl,
        icon: '/docs/icon.svg',
      }),
      ...createWebEndpoints<OwnerSession>({
        ...deps.webApp,
        cookie,
        sendsMail: deps.mailer !== undefined,
        providerName: deps.identityProvider?.name,
      }),
    ],
    authenticate: (request) => authenticateSession(kit, request),
    challenge: 'Session realm="console"',
    scopesOf: () => [],
    admit: checkRole,
    rateLimit: {
      limiter: deps.limiter,
      keyOf: (session) => `console:${session.id}`,
      limitOf: () => LIMITS.consoleRequestsPerMinute,
      countedAs: COUNTED_AS.console,
    },
    companyOf: ({ companyId }) => companyId,
    failedAuthentication: {
      limiter: deps.limiter,
      limitPerMinute: FAILED_AUTHENTICATIONS_PER_MINUTE,
    },
    withoutCredentials: {
      limiter: deps.limiter,
      limitPerMinute: LIMITS.consoleRequestsWithoutSessionPerMinute,
      // So that no one else in the network keeps an owner from signing in.
      knownClientOf: ({ header }) => {
        const device = deps.deviceCookie.read(header('cookie'));
        return device && `device ${device.id}`;
      },
    },
    maxBodyBytes: LIMITS.consoleBodyBytes,
    logger: deps.logger,
    metrics: deps.metrics,
    rpcTimeoutMs: deps.rpcTimeoutMs,
    trustedProxyHops: deps.trustedProxyHops,
    beforeEndpoint: createSameOriginCheck(deps.publicBaseUrl),
    logFieldsOf: ({ companyId, membershipId }) => ({ companyId, membershipId }),
    companyClassOf: ({ companyClass }) => companyClass,
  });
}

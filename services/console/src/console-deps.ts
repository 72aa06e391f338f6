import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import type { CursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Mailer } from '@partner/kernel/process/mail';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Counter } from 'prom-client';
import type { BackgroundWork } from './background-work.js';
import type { ChangeStreams } from './live/change-streams.js';
import type { DeviceCookie, SessionCookie } from './sessions/cookies.js';
import type { IdentityProvider } from './sessions/identity-provider.js';
import type { LoginAttempts } from './sessions/login-attempts.js';
import type { ProviderRequests } from './sessions/provider-requests.js';
import type { SessionStore } from './sessions/session-store.js';
import type { SessionTrail } from './sessions/session-trail.js';
import type { HashPassword, VerifyPassword } from './sessions/verify-password.js';

/** Dependencies of the console's endpoints. */
export interface ConsoleDeps {
  readonly operations: OperationClient;
  /** The operations of the sandbox have no path in production. */
  readonly isSandbox: boolean;
  readonly sessions: SessionStore;
  readonly trail: SessionTrail;
  readonly cookie: SessionCookie;
  readonly deviceCookie: DeviceCookie;
  readonly cursorSigner: CursorSigner;
  readonly attempts: LoginAttempts;
  readonly logins: Counter<'outcome'>;
  readonly verifyPassword: VerifyPassword;
  readonly hashPassword: HashPassword;
  readonly background: BackgroundWork;
  readonly limiter: RateLimiter;
  /** Absent: no mail server is configured. */
  readonly mailer?: Mailer | undefined;
  /** Absent: none is configured. */
  readonly identityProvider?: IdentityProvider | undefined;
  readonly providerRequests: ProviderRequests;
  readonly providerCookie: SessionCookie;
  readonly changeStreams: ChangeStreams;
  readonly publicBaseUrl: string;
  readonly logger: Logger;
  readonly clock: () => Date;
  readonly rpcTimeoutMs: number;
}

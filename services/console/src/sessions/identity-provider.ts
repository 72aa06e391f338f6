import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import * as openid from 'openid-client';
import { z } from 'zod';
import { isLoopbackHttp } from '../config.js';
import { SESSION_LIFETIME_MS } from './session-times.js';

/** Path of the page to which the identity provider returns. */
const PROVIDER_CALLBACK_PATH = '/console/sign-in/callback';

/** Tolerated difference between the clocks of the provider and the console. */
export const CLOCK_SKEW_MS = 60_000;

/** Timeout of each request to the provider. A sign-in makes at most four of them. */
const REQUEST_TIMEOUT_SECONDS = 5;

/** How long the provider's metadata are used before they are read again. */
const METADATA_AGE_MS = 3_600_000;

/** Secrets of one authorization request, which bind its response to it. */
export interface AuthorizationSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** A verified account at the provider. */
export const providerAccount = z.object({
  subject: z.string(),
  /** Absent: the provider does not state that it has verified one. */
  verifiedEmail: z.string().optional(),
  /** When the person entered credentials at the provider, in Unix ms; absent if it does not state that. */
  authenticatedAt: z.number().optional(),
});

export type ProviderAccount = Readonly<z.infer<typeof providerAccount>>;

/** The console as a confidential client of an OpenID Connect provider. */
export interface ProviderClient {
  /** Name of the provider on the pages. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/**
 * Creates the client of an identity provider: authorization code flow with PKCE, state, nonce and a verified signature of the ID
 * token. It sends nothing before the first sign-in, so that the service starts and works while the provider is down. Its asynchronous
 * methods fail with `unavailable` if the provider does not respond or is not set up for this service.
 */
export function createIdentityProvider(
  options: ProviderClient & { readonly publicBaseUrl: string; readonly logger: Pick<Logger, 'warn'> },
) {
  const { clientId, clientSecret, logger } = options;
  // One text for each issuer: persons are linked to it.
  const issuer = new URL(options.issuer).href;
  const redirectUri = `${options.publicBaseUrl.replace(/\/$/, '')}${PROVIDER_CALLBACK_PATH}`;
  let known: { readonly configuration: Promise<openid.Configuration>; readonly readAt: number } | undefined;

  async function discover(): Promise<openid.Configuration> {
    const found = await openid.discovery(
      new URL(issuer),
      clientId,
      { [openid.clockTolerance]: CLOCK_SKEW_MS / 1_000 },
      (metadata, client, body, headers) => {
        // Without a list of methods, the provider accepts the basic one only.
        const accepted = metadata.token_endpoint_auth_methods_supported ?? [];
        const authenticate = accepted.includes('client_secret_post')
          ? openid.ClientSecretPost(clientSecret)
          : openid.ClientSecretBasic(clientSecret);
        authenticate(metadata, client, body, headers);
      },
      {
        timeout: REQUEST_TIMEOUT_SECONDS,
        execute: [
          openid.enableNonRepudiationChecks,
          // oxlint-disable-next-line typescript/no-deprecated -- only for a developer's provider on the same machine
          ...(isLoopbackHttp(issuer) ? [openid.allowInsecureRequests] : []),
        ],
      },
    );
    // The library accepts some providers of many organizations, each of which says for itself which addresses it has verified.
    const actual = found.serverMetadata().issuer;
    if (new URL(actual).href !== issuer)
      throw new Error(`OIDC_ISSUER must be the provider's issuer, ${actual}`);
    return found;
  }

  /** Concurrent sign-ins share one discovery; a failed one is not kept. */
  async function configuration(): Promise<openid.Configuration> {
    if (known === undefined || performance.now() - known.readAt > METADATA_AGE_MS) {
      const reading = { configuration: discover(), readAt: performance.now() };
      known = reading;
      reading.configuration.catch(() => {
        if (known === reading) known = undefined;
      });
    }
    return known.configuration;
  }

  async function asking<T>(work: (configuration: openid.Configuration) => Promise<T>): Promise<T> {
    const fail = (error: unknown, failure: ServiceError) => {
      logger.warn({ outcome: failure.reason, cause: textOf(error), issuer }, 'provider.failed');
      return failure;
    };
    const found = await configuration().catch((error: unknown) => {
      throw fail(error, away(options.name));
    });
    return work(found).catch((error: unknown) => {
      throw fail(error, failureOf(error, options.name));
    });
  }

  return {
    name: options.name,
    issuer,
    /** Returns new secrets for a request. Its kind is readable in `state`, so that the page of the callback can tell. */
    newSecrets: (kind: 'sign-in' | 'confirm'): AuthorizationSecrets => ({
      state: `${kind}.${openid.randomState()}`,
      nonce: openid.randomNonce(),
      codeVerifier: openid.randomPKCECodeVerifier(),
    }),

    /** Returns the page of the provider where a person signs in; with `mustAuthenticate` also one who is signed in there. */
    authorizationUrl: (
      { state, nonce, codeVerifier }: AuthorizationSecrets,
      { mustAuthenticate }: { readonly mustAuthenticate: boolean },
    ) =>
      asking(async (found) => {
        const url = openid.buildAuthorizationUrl(found, {
          redirect_uri: redirectUri,
          scope: 'openid email',
          state,
          nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          // A `max_age` makes the provider state when the person has signed in there.
          max_age: mustAuthenticate ? '0' : String(SESSION_LIFETIME_MS / 1_000),
          ...(mustAuthenticate && { prompt: 'login' }),
        });
        return url.href;
      }),

    /**
     * Returns the account of a response: the query of the callback. Fails with `provider_sign_in_refused` if it is not the
     * provider's response to the request with these secrets.
     */
    readAccount: ({ state, nonce, codeVerifier }: AuthorizationSecrets, query: string) =>
      asking(async (found): Promise<ProviderAccount> => {
        const callback = new URL(redirectUri);
        callback.search = query;
        const tokens = await openid.authorizationCodeGrant(found, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new TypeError('the response has no ID token');
        const { sub: subject, auth_time: authTime } = claims;
        // With this flow a provider may return the address from its other endpoint only.
        const hasEmail = claims.email !== undefined || found.serverMetadata().userinfo_endpoint === undefined;
        const { email, email_verified: isVerified } = hasEmail
          ? claims
          : await openid.fetchUserInfo(found, tokens.access_token, subject);
        return {
          subject,
          verifiedEmail: isVerified === true && typeof email === 'string' ? email : undefined,
          authenticatedAt: authTime === undefined ? undefined : authTime * 1_000,
        };
      }),
  };
}

/** Errors of a response that is not the one to this request, or that the provider has refused. */
const REFUSALS: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
]);

function failureOf(error: unknown, name: string): ServiceError {
  if (error instanceof openid.AuthorizationResponseError) {
    return error.error === 'access_denied' || error.error === 'login_required'
      ? refused(`${name} did not sign you in; start again`)
      : refused(`${name} could not sign you in; start again`);
  }
  const isUsed = error instanceof openid.ResponseBodyError && error.error === 'invalid_grant';
  if (isUsed || (error instanceof openid.ClientError && REFUSALS.has(error.code ?? ''))) {
    return refused(`the response of ${name} is not valid or was already used; start again`);
  }
  return away(name);
}

function away(name: string): ServiceError {
  return new ServiceError(
    'unavailable',
    `${name} does not respond as expected at the moment; sign in with your password, or retry later`,
    { retryAfterSeconds: 5 },
  );
}

export function refused(message: string): ServiceError {
  return new ServiceError('provider_sign_in_refused', message);
}

/** What to log: no claims, and no text of a response, which a stranger can choose. */
function textOf(error: unknown): string {
  if (error instanceof openid.ResponseBodyError) return `${error.status} ${error.error.slice(0, 60)}`;
  if (error instanceof openid.AuthorizationResponseError) return error.error.slice(0, 60);
  if (error instanceof openid.ClientError) return `${error.code ?? ''} ${error.message}`;
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

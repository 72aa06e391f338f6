import { PROVIDER_SIGN_INS } from '@partner/proto-contracts/resources/provider-sign-in/provider-sign-in';
import { isLoopbackHttp } from '../loopback-http.js';

/** A cookie that carries a token. */
export interface SessionCookie {
  readonly name: string;
  /** Returns the token in a `cookie` header; undefined if there is none. */
  read(cookieHeader: string | undefined): string | undefined;
  /** Returns the `set-cookie` value that stores the token. */
  set(token: string): string;
  /** Returns the `set-cookie` value that removes the token. */
  clear(): string;
}

/**
 * Creates the session cookie, `__Host-svc_session`, which lasts until the browser closes. Browsers send it only over TLS, to this
 * host, and from pages of this site; no script can read it. On a plain loopback address browsers refuse that name, so it is
 * `svc_session` without `Secure`.
 */
export function createSessionCookie(publicBaseUrl: string): SessionCookie {
  return createCookie(publicBaseUrl, 'svc_session', '');
}

/** Creates the cookie that binds a sign-in with the identity provider to the browser, with the attributes of the session cookie. */
export function createProviderCookie(publicBaseUrl: string): SessionCookie {
  return createCookie(publicBaseUrl, 'svc_provider', `; Max-Age=${PROVIDER_SIGN_INS.minutes * 60}`);
}

function createCookie(publicBaseUrl: string, plainName: string, lifetime: string): SessionCookie {
  const isPlain = isLoopbackHttp(publicBaseUrl);
  const name = isPlain ? plainName : `__Host-${plainName}`;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isPlain ? '' : '; Secure'}`;
  return {
    name,
    read: (cookieHeader) => readCookie(cookieHeader, name),
    set: (token) => `${name}=${token}; ${attributes}${lifetime}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}

/** Returns the value of a cookie in a `cookie` header; undefined if there is none. */
export function readCookie(cookieHeader: string | undefined, name: string): string | undefined {
  return cookieHeader
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

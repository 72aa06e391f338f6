import { PROVIDER_SIGN_INS } from '@partner/proto-contracts/resources/provider-sign-in/provider-sign-in';
import { isLoopbackHttp } from '../loopback-http.js';
import type { SessionSigner } from './session-signer.js';

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
  return createCookie(publicBaseUrl, 'svc_session');
}

/** Creates the cookie that binds a sign-in with the identity provider to the browser, with the attributes of the session cookie. */
export function createProviderCookie(publicBaseUrl: string): SessionCookie {
  return createCookie(publicBaseUrl, 'svc_provider', PROVIDER_SIGN_INS.minutes * 60);
}

function createCookie(publicBaseUrl: string, plainName: string, maxAgeSeconds?: number): SessionCookie {
  const isPlain = isLoopbackHttp(publicBaseUrl);
  const name = isPlain ? plainName : `__Host-${plainName}`;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isPlain ? '' : '; Secure'}`;
  const lifetime = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  return {
    name,
    read: (cookieHeader) =>
      cookieHeader
        ?.split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    set: (token) => `${name}=${token}; ${attributes}${lifetime}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}

/** How long a device is known after its last login. */
export const DEVICE_KNOWN_MS = 180 * 24 * 3_600_000;

/** A browser in which an owner has signed in before. */
export interface KnownDevice {
  readonly id: string;
  readonly membershipId: string;
}

/** The cookie that makes a browser known. It is not a login: it only exempts an owner from the limits that strangers can exhaust. */
export interface DeviceCookie {
  /** Returns the device in a `cookie` header; undefined if the console did not sign it, or if it is too old. */
  read(cookieHeader: string | undefined): KnownDevice | undefined;
  /** Returns the `set-cookie` value that makes the browser known for 180 days. Keeps the id of a known one. */
  set(membershipId: string, known: KnownDevice | undefined): string;
}

/** Creates the device cookie, `__Host-svc_device`, with the attributes of the session cookie. */
export function createDeviceCookie(deps: {
  readonly publicBaseUrl: string;
  readonly signer: SessionSigner;
  readonly clock: () => Date;
  readonly randomBytes: (size: number) => Buffer;
}): DeviceCookie {
  const { signer } = deps;
  const cookie = createCookie(deps.publicBaseUrl, 'svc_device', DEVICE_KNOWN_MS / 1_000);
  return {
    read(cookieHeader) {
      const parts = cookie.read(cookieHeader)?.split('.') ?? [];
      const [membershipId = '', id = '', knownAt = '', signature = ''] = parts;
      if (!signer.isSigned(signature, 'device', membershipId, id, knownAt)) return undefined;
      const age = deps.clock().getTime() - Number(knownAt);
      return age < DEVICE_KNOWN_MS ? { id, membershipId } : undefined;
    },
    set(membershipId, known) {
      const id = known?.membershipId === membershipId ? known.id : deps.randomBytes(16).toString('base64url');
      const knownAt = String(deps.clock().getTime());
      const signature = signer.sign('device', membershipId, id, knownAt);
      return cookie.set([membershipId, id, knownAt, signature].join('.'));
    },
  };
}

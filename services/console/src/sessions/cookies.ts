import { randomBytes } from 'node:crypto';
import { PROVIDER_SIGN_INS } from '@partner/proto-contracts/resources/provider-sign-in/provider-sign-in';
import { isLoopbackHttp } from '../config.js';
import type { SessionSigner } from './session-signer.js';

export type SessionCookie = ReturnType<typeof createSessionCookie>;

/**
 * Creates the session cookie, `__Host-svc_session`, which lasts until the browser closes. Browsers send it only over TLS, to this
 * host, and from pages of this site; no script can read it. On a plain loopback address browsers refuse that name, so it is
 * `svc_session` without `Secure`.
 */
export function createSessionCookie(publicBaseUrl: string) {
  return createCookie(publicBaseUrl, 'svc_session');
}

/** Creates the cookie that binds a sign-in with the identity provider to the browser, with the attributes of the session cookie. */
export function createProviderCookie(publicBaseUrl: string) {
  return createCookie(publicBaseUrl, 'svc_provider', PROVIDER_SIGN_INS.minutes * 60);
}

/** Creates a cookie that carries a token. */
function createCookie(publicBaseUrl: string, plainName: string, maxAgeSeconds?: number) {
  const isPlain = isLoopbackHttp(publicBaseUrl);
  const name = isPlain ? plainName : `__Host-${plainName}`;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isPlain ? '' : '; Secure'}`;
  const lifetime = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  return {
    name,
    /** Returns the token in a `cookie` header; undefined if there is none. */
    read: (cookieHeader: string | undefined) =>
      cookieHeader
        ?.split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    set: (token: string) => `${name}=${token}; ${attributes}${lifetime}`,
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

/**
 * Creates the device cookie, `__Host-svc_device`, with the attributes of the session cookie. It makes a browser known, and is not a
 * login: it only exempts an owner from the limits that strangers can exhaust.
 */
export function createDeviceCookie(deps: {
  readonly publicBaseUrl: string;
  readonly signer: SessionSigner;
  readonly clock: () => Date;
}) {
  const { signer } = deps;
  const cookie = createCookie(deps.publicBaseUrl, 'svc_device', DEVICE_KNOWN_MS / 1_000);
  return {
    /** Returns the device in a `cookie` header; undefined if the console did not sign it, or if it is too old. */
    read(cookieHeader: string | undefined): KnownDevice | undefined {
      const parts = cookie.read(cookieHeader)?.split('.') ?? [];
      const [membershipId = '', id = '', knownAt = '', signature = ''] = parts;
      if (!signer.isSigned(signature, 'device', membershipId, id, knownAt)) return undefined;
      const age = deps.clock().getTime() - Number(knownAt);
      return age < DEVICE_KNOWN_MS ? { id, membershipId } : undefined;
    },
    /** Returns the `set-cookie` value that makes the browser known for 180 days. Keeps the id of a known one. */
    set(membershipId: string, known: KnownDevice | undefined) {
      const id = known?.membershipId === membershipId ? known.id : randomBytes(16).toString('base64url');
      const knownAt = String(deps.clock().getTime());
      const signature = signer.sign('device', membershipId, id, knownAt);
      return cookie.set([membershipId, id, knownAt, signature].join('.'));
    },
  };
}

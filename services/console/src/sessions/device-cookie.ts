import { isLoopbackHttp } from '../loopback-http.js';
import { readCookie } from './session-cookie.js';
import type { SessionSigner } from './session-signer.js';

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
  const isPlain = isLoopbackHttp(deps.publicBaseUrl);
  const name = isPlain ? 'svc_device' : '__Host-svc_device';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isPlain ? '' : '; Secure'}`;
  return {
    read(cookieHeader) {
      const parts = readCookie(cookieHeader, name)?.split('.') ?? [];
      const [membershipId = '', id = '', knownAt = '', signature = ''] = parts;
      if (!signer.isSigned(signature, 'device', membershipId, id, knownAt)) return undefined;
      const age = deps.clock().getTime() - Number(knownAt);
      return age < DEVICE_KNOWN_MS ? { id, membershipId } : undefined;
    },
    set(membershipId, known) {
      const id = known?.membershipId === membershipId ? known.id : deps.randomBytes(16).toString('base64url');
      const knownAt = String(deps.clock().getTime());
      const signature = signer.sign('device', membershipId, id, knownAt);
      const value = [membershipId, id, knownAt, signature].join('.');
      return `${name}=${value}; ${attributes}; Max-Age=${DEVICE_KNOWN_MS / 1_000}`;
    },
  };
}

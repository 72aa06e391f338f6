import { keyKindsOf, type Scope, type Surface } from './scopes.js';
import { counted } from './counted.js';

/** What each limit counts; a 429 says it after "requests a minute". */
export const COUNTED_AS = {
  inbound: 'to the inbound API, all keys of the company together',
  installer: 'to the installer API',
  console: 'in this session',
  automation: 'to the automation API, all keys of the company together',
} as const;

/**
 * Returns the 401 text for a well-formed key. One text covers everything that only a lookup can distinguish, so it
 * reveals no key's existence.
 */
export function keyRefusal(surface: Surface): string {
  const kinds = keyKindsOf(surface).join(' or ');
  return `x-api-key: must be a valid key of kind ${kinds}; this one is unknown, revoked, expired or of another kind`;
}

export function missingScope(surface: Surface, scope: Scope): string {
  const kinds = keyKindsOf(surface, scope).join(' and ');
  return `x-api-key: this key lacks the scope ${scope}; keys of kind ${kinds} have it`;
}

export function outsideNetworks(remoteAddress: string): string {
  return `x-api-key: this key is bound to networks, and ${remoteAddress} is in none of them; call from one of them, or create a key with this network`;
}

export function requestLimitReached(limit: number, countedAs: string, retryAfterSeconds: number): string {
  return `too many requests: the limit is ${counted(limit, 'request')} a minute ${countedAs}; retry after ${counted(retryAfterSeconds, 'second')}`;
}

export function loginLimitReached(by: string, limit: number, retryAfterSeconds: number): string {
  return `too many failed logins of this ${by}: the limit is ${limit} in 15 minutes; retry after ${counted(retryAfterSeconds, 'second')}`;
}

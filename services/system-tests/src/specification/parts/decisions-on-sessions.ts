import type { SpecificationEntry } from '../specification-entry.js';
import {
  CONSOLE_APP,
  DELIVERY_CONSOLE,
  LOGINS,
  LOGIN_ATTEMPTS,
  SAME_ORIGIN,
  SANDBOX,
  SESSIONS,
  SESSION_COOKIE,
} from '../test-files.js';

/** What the decisions say of the owners' sessions. */
export const DECISIONS_ON_SESSIONS: readonly SpecificationEntry[] = [
  {
    at: 'Decisions / Console session',
    says: '`POST /partner-api/session` with `email` and `password` sets `__Host-svc_session` (Secure, HttpOnly, SameSite=Strict, Path=/; plain name without Secure only on a loopback base address).',
    provedBy: {
      [SESSION_COOKIE]: [
        'the session cookie > is bound to the host, to TLS and to pages of this site, and hidden from scripts',
        'the session cookie > does without Secure on a plain loopback address only',
      ],
      [CONSOLE_APP]: ['signing in > gives an owner a session'],
    },
  },
  {
    at: 'Decisions / Console session',
    says: 'Opaque 256-bit token, its hash kept in Redis; 30 minutes idle, 12 hours at most; new token at login.',
    provedBy: {
      [SESSIONS]: [
        'a session > has a new token of 256 bits each time, and only the hash of it is kept',
        'a session > ends after 30 minutes without a request, and not before',
        'a session > ends 12 hours after the login, however busy it is',
      ],
      [CONSOLE_APP]: ['signing in > gives a new token each time and ends the session that the browser had'],
    },
  },
  {
    at: 'Decisions / Console session',
    says: 'Argon2id (m=19456, t=2, p=1 or stronger).',
    provedBy: {
      [SANDBOX]: [
        'the sandbox > has companies of each class whose owners can log in and whose keys are valid',
      ],
    },
  },
  {
    at: 'Decisions / Console session',
    says: "A login that is not an owner's is 403.",
    provedBy: {
      [CONSOLE_APP]: ['signing in > is refused to somebody who owns no company, once the password is right'],
    },
  },
  {
    at: 'Decisions / Console session',
    says: 'State changes need `content-type: application/json` and a same-origin `Origin`.',
    provedBy: {
      [SAME_ORIGIN]: [
        'a request that can change state > is refused from %s',
        'a request that can change state > is refused with content type %s, body or not',
      ],
      [CONSOLE_APP]: ['%s %s > is 403 from the origin %s'],
      [DELIVERY_CONSOLE]: [
        'what belongs to a company > is not changed by its owner from the page of another site',
      ],
    },
  },
  {
    at: 'Decisions / Console session',
    says: 'Login failures are limited per account and per address, and take the same time for an unknown address.',
    provedBy: {
      [LOGIN_ATTEMPTS]: ['failed logins > are limited per %s, with the wait until one more fits'],
      [LOGINS]: ['a login > of an unknown address makes the same comparison and stays counted'],
    },
  },
];

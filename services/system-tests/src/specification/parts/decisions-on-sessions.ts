import type { SpecificationEntry } from '../specification-entry.js';
import {
  ACCESS,
  CONSOLE_APP,
  DELIVERY_CONSOLE,
  GET_OWNER,
  INPUT_FORMATS,
  LOGINS,
  LOGIN_ATTEMPTS,
  OWNER_SESSIONS,
  REDIS_AWAY,
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
    says: 'State changes need a same-origin `Origin`, and `content-type: application/json` when they have a body; no `Origin` counts as a foreign one.',
    provedBy: {
      [SAME_ORIGIN]: [
        'a request that can change state > is refused from %s',
        'a request that can change state > is refused without an origin',
        'a request that can change state > is refused with a body of content type %s',
        'a request that can change state > needs no content type without a body: %j',
      ],
      [INPUT_FORMATS]: [
        'a request without a body needs no content type, and the form of another site is refused',
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
  {
    at: 'Decisions / Console session',
    says: 'Secrets and API keys are made only within 15 minutes of a login or of the password given again (`POST /partner-api/session/confirm`); after that it is 403 `confirmation_required`.',
    provedBy: {
      [OWNER_SESSIONS]: [
        'a confirmation > is needed for what shows a secret, and for nothing else',
        'a confirmation > counts for 15 minutes, as the login does, and the session says until when',
      ],
    },
  },
  {
    at: 'Decisions / Console session',
    says: 'A wrong password there is 403 `password_wrong` and counts with the failed logins.',
    provedBy: {
      [OWNER_SESSIONS]: [
        'a confirmation > with a wrong password is 403 and changes nothing',
        'a confirmation > is limited with the logins of the account, wherever guesses come from',
      ],
    },
  },
  {
    at: 'Decisions / Console session',
    says: 'An owner has at most 50 sessions; the next one ends the oldest.',
    provedBy: {
      [SESSIONS]: [
        'the sessions of an owner > are 50 at most: the next one takes the place of the oldest that has not ended',
        'the sessions of an owner > are 50 at most however many begin at once',
      ],
    },
  },
  {
    at: 'Decisions / Console session',
    says: '`GET /partner-api/sessions` lists and `DELETE /partner-api/sessions/{id}` ends only their own.',
    provedBy: {
      [OWNER_SESSIONS]: [
        'the sessions of an owner > are listed newest first, each with where it is, and none of what it could be used with',
        'the sessions of an owner > are ended by their id, wherever they are used',
        'the sessions of an owner > of somebody else are 404, as those are that there never were, and go on',
      ],
    },
  },
  {
    at: 'Decisions / Console session',
    says: "Redis away: what needs a session, and a login, is 503 with `retry-after`; the web app's files and the API reference are served all the same, and the console stays ready.",
    provedBy: {
      [REDIS_AWAY]: [
        'the console while Redis > hangs answers 503 where a session is needed, all else as ever, and stays ready',
        'the console while Redis > is gone does so too, and owners sign in again once it is back, empty',
      ],
    },
  },
  {
    at: 'Decisions / Console session',
    says: 'A session ends once its owner is none any more, or has got another password; job-state is asked at most once a minute for each session, and no answer is 503, except for signing out.',
    provedBy: {
      [OWNER_SESSIONS]: [
        'whether somebody still is an owner > ends the sessions of somebody who is none any more',
        'whether somebody still is an owner > ends the sessions that began with a password before the one set now',
        'whether somebody still is an owner > is asked once a minute for each session, however many requests come',
        'whether somebody still is an owner > keeps requests waiting for an answer while nobody can tell, but for signing out',
      ],
      [ACCESS]: [
        'a login > and the owner have one password version, and another after each setting of the password',
      ],
      [GET_OWNER]: ['an owner > is none any more once the membership is ended or has another role'],
    },
  },
  {
    at: 'Decisions / Console session',
    says: 'A login or confirmation that can not be recorded in the audit trail has no effect (503); the end of a session never waits for it.',
    provedBy: {
      [OWNER_SESSIONS]: [
        'without an audit trail > nobody signs in, and no session is left',
        'a confirmation > that can not be recorded does not count',
        'without an audit trail > sessions end all the same, and the log says so',
      ],
    },
  },
];

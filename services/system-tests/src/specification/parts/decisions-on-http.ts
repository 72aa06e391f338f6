import type { SpecificationEntry } from '../specification-entry.js';
import {
  API_KEY_AUTHENTICATION,
  ACCEPTANCE_HTTP,
  CONSOLE_APP,
  ERROR_BODIES,
  DOCS_ENDPOINTS,
  WEB_ENDPOINTS,
  BOUNDARIES,
  BOUNDED_TEXTS,
  CALLERS,
  CRASHES,
  DATE_TIMES,
  FAIR_QUEUE,
  HTTP_APP,
  LOGIN_ATTEMPTS,
  HTTP_SERVER,
  INPUT_FORMATS,
  MAIN_JOB,
  OPENAPI,
  PLATFORM_FORMS,
  PROJECTION,
  QUERY_NAMES,
  RATE_LIMITER,
  RATE_LIMITS,
  REQUEST_ID,
  RPC,
  SERVICE_ERROR,
  SLIDING_WINDOW,
  SURFACES,
  VALIDATION,
} from '../test-files.js';

/** What the decisions say of HTTP on every surface. */
export const DECISIONS_ON_HTTP: readonly SpecificationEntry[] = [
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Every 401 has `WWW-Authenticate` (RFC 9110): `ApiKey realm="inbound"` or `"installer"`, `Session realm="console"`.',
    provedBy: {
      [CALLERS]: ['a 401 of %s says in WWW-Authenticate which credentials it takes'],
      [HTTP_APP]: ['the order of checks > asks for credentials before it looks at anything else'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A 403 for a scope names the kinds of keys that have it.',
    provedBy: {
      [CALLERS]: ['a key without the scope gets a 403 that names the kinds of keys that have it'],
      [HTTP_APP]: [
        'the order of checks > applies the rate limit before the scope, and the scope before the input',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A 429 names the limit that was reached.',
    provedBy: {
      [CALLERS]: [
        'RateLimit says in at most 60 seconds when more requests fit, and a 429 which limit was reached',
      ],
      [HTTP_APP]: [
        'the order of checks > applies the rate limit before the scope, and the scope before the input',
        'the order of checks > charges only failures to the client address, and refuses only failures for it',
      ],
      [LOGIN_ATTEMPTS]: ['failed logins > are limited per %s, with the wait until one more fits'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Order of checks: credentials (401), rate limit (429), scope (403), body and parameters (400), visibility (404), state (409, 422).',
    provedBy: {
      [SURFACES]: [
        'every operation > $id is refused for the first fault in the order 401, 403, 400, 404',
        'every operation > gives 429 with retry-after when its limit is used up, before it looks at scope, input and resource',
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
      ],
      [HTTP_APP]: [
        'the order of checks > applies the rate limit before the scope, and the scope before the input',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Before these checks, a request without exactly one valid `Host` is 400 (HTTP/1.0 may send none), and a transfer coding other than `chunked` is 501 `not_implemented`.',
    provedBy: {
      [HTTP_APP]: [
        'a request that breaks HTTP/1.1 > with %s is refused with an error body and its request id',
        'a request that breaks HTTP/1.1 > is not: %s',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A malformed request is 400, one that takes more than 30 seconds to arrive 408, headers over 16 KB are 431, all with the error body.',
    provedBy: {
      [HTTP_SERVER]: [
        'what Node refuses before the app sees it > has an error body and a request id: %s',
        'what Node refuses before the app sees it > has as long for %s as its error says',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Bytes after a complete request never cost its answer: the client gets the answer, then the connection ends.',
    provedBy: {
      [HTTP_SERVER]: [
        'a refusal by Node > never takes the place of the answer to a complete request: %s',
        'a refusal by Node > lets the answer that is under way be complete',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: "Every response has `x-request-id`: the caller's when it matches `[A-Za-z0-9._:-]{1,128}`, else a new UUIDv7.",
    provedBy: {
      [SURFACES]: [
        'every operation > $id says the request id of its caller when it has the right form, else a new one',
      ],
      [HTTP_APP]: ['every answer > has a new request id in place of %j'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'It is the id in logs, traces and messages.',
    provedBy: {
      [REQUEST_ID]: [
        'the id of a request > goes from the gateway over the RPC to the consumer of a message: in logs and in spans',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Error body: `error` (the message, which names the field for a 400) and, additively, `code` (stable, machine-readable, e.g. `stale_version`, `idempotency_mismatch`, `idempotency_in_progress`, `transition_not_allowed`), `requestId`, and for a 400 `details` (array of path and message).',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
        'every operation > $id gives 400 to what is not a JSON object of its content type',
      ],
      [SERVICE_ERROR]: ['a service error > of reason %s is answered with %d'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A `stale_version` also carries `currentVersion`; a `transition_not_allowed` carries `currentStatus` and `allowed`.',
    provedBy: {
      [MAIN_JOB]: ['a job > moves once per key and version, and tells the reason when it does not move'],
      [SURFACES]: [
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
      ],
      [HTTP_APP]: ['a failure of an endpoint > gets the status and the fields of its reason'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A response of at least 1,024 bytes to a read is compressed (`br`, else `gzip`) as `Accept-Encoding` allows.',
    provedBy: {
      [HTTP_APP]: [
        'the content coding > of a long response to accept-encoding %s is %s, with the same tag and length for HEAD',
      ],
      [DOCS_ENDPOINTS]: ['%s > comes compressed with %s, the same text'],
      [ACCEPTANCE_HTTP]: ['compresses reads with %s, each with the tag of the plain response'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Errors, streams and responses to writes, which alone show secrets, are not (BREACH).',
    provedBy: {
      [HTTP_APP]: [
        'the content coding > is none for a short response, an error, a response to a write, which may show a secret, and a stream',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'An `ETag` is weak: the same for every coding.',
    provedBy: {
      [HTTP_APP]: [
        'the content coding > of a long response to accept-encoding %s is %s, with the same tag and length for HEAD',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A response with an `ETag` has `Cache-Control: private, no-cache`; of the API reference `public, no-cache`.',
    provedBy: {
      [HTTP_APP]: [
        'an endpoint whose operation is conditional > may be kept by private caches, which ask again each time, unless the endpoint says otherwise',
      ],
      [DOCS_ENDPOINTS]: ['%s > is not sent again to who has it'],
      [ACCEPTANCE_HTTP]: [
        'a feed page and a job may be kept by private caches and cost a 304 while nothing changes',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: "The console's files, named by their content, are kept for ever; every other response is `no-store`.",
    provedBy: {
      [WEB_ENDPOINTS]: ['a file of the page > for accept-encoding %s comes in %s'],
      [HTTP_APP]: [
        'an endpoint whose operation is conditional > may be kept by private caches, which ask again each time, unless the endpoint says otherwise',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A required text that is written for people (names, phone, address, note, also the `idempotencyKey` of appointments) holds more than white space, else 400.',
    provedBy: {
      [BOUNDED_TEXTS]: ['a bounded text > refuses %s and says what would be right'],
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [INPUT_FORMATS]: ['a text > that is required holds more than white space'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'An optional text may be empty or white space, and is kept as it is.',
    provedBy: {
      [BOUNDED_TEXTS]: ['a bounded text > that need not be there takes "%s"'],
      [INPUT_FORMATS]: ['a text > that is optional may be empty or white space'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A value of another JSON type is 400, and the message names both types: `must be an integer, not a string`.',
    provedBy: {
      [VALIDATION]: ['validation > of a field of type $type refuses every other type and names both'],
      [INPUT_FORMATS]: ['a value of another JSON type is a 400 that names both types'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'No field takes a fraction.',
    provedBy: {
      [OPENAPI]: [
        'what generators of clients need > calls whole numbers integers, with 64 bits where they can need them',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'An unknown query parameter is ignored, unless it differs from a known one by case or by a bracket suffix alone (`Limit`, `limit[]`): that is 400 and names the right spelling.',
    provedBy: {
      [QUERY_NAMES]: [
        'the query parameter %s is refused and named %s',
        'the query parameter "%s" is no misspelled one',
      ],
      [INPUT_FORMATS]: [
        'a query > parameter in the wrong case or with brackets is a 400 that names the right one',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A 201 has a `Location` where its creation has a path of its own: a webhook subscription.',
    provedBy: {
      [CONSOLE_APP]: [
        'a webhook subscription > is created paused, shows its secret once, is tested and then activated',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Leads, appointments, keys, secrets and status events have none.',
    requiresNothing: 'says what has no path',
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A path is matched as it is sent: percent-encoded letters or a doubled slash in it are 404.',
    provedBy: { [ERROR_BODIES]: ['answers %s with 404 in the error shape'] },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Unknown fields in a request are ignored.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Malformed JSON, a wrong content type or a second one is 400, a body over 1 MB is 413, an unknown path 404, a known path with another method 405 with `allow`.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id gives 400 to what is not a JSON object of its content type',
        'every operation > $id takes a body of 1 MB and gives 413 to one byte more',
        'every operation > is all that its surface has: any other path is 404 for everybody',
        'every operation > $id shares its path with no other method than those that the path is known for',
      ],
      [HTTP_APP]: [
        'a request that breaks HTTP/1.1 > with %s is refused with an error body and its request id',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Nothing ever answers with a stack trace or a framework page.',
    provedBy: {
      [HTTP_APP]: [
        'a failure of an endpoint > that nobody foresaw (%p) is a 500 that says nothing of it, and is logged',
        'the input of an endpoint > in the target %s is nowhere, and is told so without a page of the framework',
      ],
      [SURFACES]: ['every operation > is all that its surface has: any other path is 404 for everybody'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Date-times in: ISO 8601 in UTC with seconds 00 to 59 or fractions, in bodies and in queries.',
    provedBy: {
      [DATE_TIMES]: ['a date-time that comes in > takes %s as %s', 'a date-time that comes in > refuses %j'],
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [INPUT_FORMATS]: ['a date-time > is UTC as Z, z and +00:00, with t or T, in bodies and in queries'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: '`Z`, `z` and `+00:00` are UTC, and `t` is `T`; every other offset is 400, `-00:00` too, which ISO 8601 does not have.',
    provedBy: {
      [DATE_TIMES]: ['a date-time that comes in > takes %s as %s', 'a date-time that comes in > refuses %j'],
      [INPUT_FORMATS]: [
        'a date-time > is UTC as Z, z and +00:00, with t or T, in bodies and in queries',
        'a date-time > with another offset, without seconds or with second 60 is a 400 that says what is right',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Times of appointments and schedules are in the years 2000 to 2100 (400 outside), as all times of the platform are.',
    provedBy: {
      [DATE_TIMES]: [
        'a date-time that is planned > takes %s',
        'a date-time that is planned > refuses %s for its year',
      ],
      [PLATFORM_FORMS]: ['a message of the platform > of the instant %d is malformed'],
      [INPUT_FORMATS]: ['a date-time > of an appointment or a schedule is in the years 2000 to 2100'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Out: always milliseconds and `Z`.',
    provedBy: {
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
      [PROJECTION]: ['the projection > shows times in UTC with milliseconds'],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: '503 with `retry-after` when the service behind a gateway does not answer in time; the outcome is unknown, and the same Idempotency-Key settles it.',
    provedBy: {
      [HTTP_APP]: ['a failure of an endpoint > says when to come back when it is unavailable'],
      [RPC]: [
        'RPC over the broker > fails with unavailable when the deadline passes, and ignores the late answer',
      ],
      [CRASHES]: [
        '200 status events with one process killed in the middle and started again > survive kill -9 of %s: every acknowledged write is there once, in the feed once, and its webhook arrives',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Rate limits: never more than N accepted requests in any 60-second span, counted in Redis over all replicas, one round trip per request, memory per key bounded whatever N is; refused requests are not charged.',
    provedBy: {
      [RATE_LIMITS]: [
        'two replicas of each gateway with Redis > accept 60 requests of an installer company in a minute and never more in any',
        'two replicas of each gateway with Redis > charge nothing for what they refuse',
      ],
      [RATE_LIMITER]: [
        'the shared limiter > counts over all replicas: what one accepts the other can not',
        'the shared limiter > needs bounded memory whatever the limit is',
      ],
      [SURFACES]: [
        'a limit > is told with what is left of it to the known caller of $id, at the cost of one command to Redis',
      ],
      [SLIDING_WINDOW]: ['a sliding window > never accepts more than the limit in any 60 seconds'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: '`retry-after` = whole seconds, at least 1, until one more fits.',
    provedBy: {
      [RATE_LIMITS]: [
        'two replicas of each gateway with Redis > say exactly how long to wait, to the second',
      ],
      [SURFACES]: [
        'every operation > gives 429 with retry-after when its limit is used up, before it looks at scope, input and resource',
      ],
      [RATE_LIMITER]: [
        'the shared limiter > takes exactly the seconds that it names, when a limit was lowered below what is counted',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: '`RateLimit-Policy` and `RateLimit` (IETF draft) on every answer to a known caller and on every refusal of an unknown one.',
    provedBy: {
      [SURFACES]: [
        'a limit > is told with what is left of it to the known caller of $id, at the cost of one command to Redis',
        'every operation > gives 429 with retry-after when its limit is used up, before it looks at scope, input and resource',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'The `t` of `RateLimit` is the whole seconds until more than `r` requests fit, never above 60.',
    provedBy: {
      [CALLERS]: [
        'RateLimit says in at most 60 seconds when more requests fit, and a 429 which limit was reached',
      ],
      [HTTP_APP]: [
        'the order of checks > never says that more requests fit only after the span of the limit',
      ],
      [RATE_LIMITER]: [
        'the shared limiter > takes exactly the seconds that it names, when a limit was lowered below what is counted',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Higher installer limits are a column of the company.',
    provedBy: {
      [RATE_LIMITS]: ['two replicas of each gateway with Redis > accept as many as a company was granted'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Requests that fail authentication are limited per client address.',
    provedBy: {
      [HTTP_APP]: [
        'the order of checks > charges only failures to the client address, and refuses only failures for it',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'They never make the response to a valid key 401 or 429, not even from the same address.',
    provedBy: {
      [CALLERS]: ['a valid key is accepted after more failures from its address than the limit allows'],
      [API_KEY_AUTHENTICATION]: ['look-ups > find a valid key after 600 made-up keys from the same address'],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'The lookups of keys that a replica has not accepted before wait in a bounded queue, in which client networks take turns, and the key ids of one network.',
    provedBy: {
      [API_KEY_AUTHENTICATION]: [
        'look-ups > of new keys are 20 at a time at most, and the networks take turns',
        'look-ups > of a key that was accepted before wait for no others',
      ],
      [FAIR_QUEUE]: [
        'a fair queue > starts at most as much as it has slots, and the next when one has ended and rested',
        'a fair queue > lets owners take turns, whatever one of them has waiting',
        'a fair queue > lets the keys of an owner take turns',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Networks over the limit of failures have such a queue of their own, with 50 lookups a second.',
    provedBy: {
      [HTTP_APP]: [
        'the order of checks > tells the authentication which client network is over its limit of failures',
      ],
      [API_KEY_AUTHENTICATION]: [
        'look-ups > of a network over its limit of failures leave the slots to the others, and its key ids take turns',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A full queue refuses the newest lookup of the network with the most, or the newcomer when no network has more: 503 with `retry-after`.',
    provedBy: {
      [FAIR_QUEUE]: [
        'a fair queue > refuses the newest work of the owner with the most when too much waits, and nobody else',
        'a fair queue > refuses the newcomer when no other owner has more, and keeps those that have waited',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'Redis away: each replica goes on with a local limiter (its share of N), says so in a metric, and answers no 5xx for it.',
    provedBy: {
      [RATE_LIMITS]: [
        'two replicas of each gateway while Redis hangs > answer every request, and none with a fault of the service',
        'two replicas of each gateway while Redis hangs > let each replica of %s accept its share of a limit',
      ],
      [RATE_LIMITER]: [
        'the limiter without Redis > goes on with its share when Redis hangs, and counts together again once it answers',
        'the limiter without Redis > says that Redis hangs without a request, and when the count of this process refuses every request',
      ],
    },
  },
  {
    at: 'Decisions / HTTP on every surface',
    says: 'A replica is without Redis once a request fails there, or three half-second probes in a row.',
    provedBy: {
      [RATE_LIMITER]: [
        'the shared limiter > goes on counting together after two probes that Redis answers late',
        'the limiter without Redis > says that Redis hangs without a request, and when the count of this process refuses every request',
      ],
    },
  },
];

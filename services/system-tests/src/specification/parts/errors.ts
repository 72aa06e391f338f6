import type { SpecificationEntry } from '../specification-entry.js';
import {
  BOOK_APPOINTMENT_ROUTE,
  BOUNDARIES,
  CRASHES,
  HTTP_APP,
  MAIN_JOB,
  RATE_LIMITS,
  STATUS_MOVES,
  SURFACES,
  VALIDATION,
} from '../test-files.js';

/** The part "Errors". */
export const ERRORS: readonly SpecificationEntry[] = [
  {
    at: 'Errors',
    says: 'Body: `{error: <message>}` with header `x-request-id` (log it).',
    provedBy: {
      [SURFACES]: [
        'every operation > $id says the request id of its caller when it has the right form, else a new one',
        'every operation > $id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words',
        'every operation > $id gives 400 to what is not a JSON object of its content type',
      ],
    },
  },
  {
    at: 'Errors / 400',
    says: '400 | validation failed; message names the field | fix the request, do not retry unchanged',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
        'every operation > $id gives 400 to what is not a JSON object of its content type',
      ],
      [VALIDATION]: ['validation > names every field at fault'],
    },
  },
  {
    at: 'Errors / 401',
    says: '401 | missing, malformed, revoked or wrong-surface key | check header and key kind',
    provedBy: {
      [SURFACES]: [
        'every operation > $id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words',
      ],
      [MAIN_JOB]: ['a revoked key > is refused at once'],
    },
  },
  {
    at: 'Errors / 403',
    says: '403 | key lacks a scope, or resource is outside the boundary | use the right key kind',
    provedBy: {
      [SURFACES]: [
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > as a lead or project can not get an appointment: 403, whether it exists or not',
      ],
    },
  },
  {
    at: 'Errors / 404',
    says: '404 | resource not visible to this key (existence is not confirmed) | treat like 403',
    provedBy: {
      [BOUNDARIES]: [
        'what belongs to another company > $id: a job is 404 in the same words as one that does not exist, and stays as it is',
        'what belongs to another company > is not seen by an installer-contractor key: neither what another seller sold nor what another installer performs',
      ],
    },
  },
  {
    at: 'Errors / 409',
    says: '409 | Idempotency-Key reused with a different body or different operation, or expectedVersion is stale | re-read the resource, resubmit with current version and a new key',
    provedBy: {
      [SURFACES]: [
        'an Idempotency-Key > of $id gives 409 with another body or for another operation',
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
        'an Idempotency-Key > of an appointment is in its body: 201, then 200 with the same body, then 409 for another one',
      ],
    },
  },
  {
    at: 'Errors / 422',
    says: '422 | semantically invalid, e.g. status transition not allowed | read the message',
    provedBy: {
      [SURFACES]: [
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > as a technician can not be assigned, in the same words as one that does not exist or is not active',
      ],
      [STATUS_MOVES]: ['a status move > from $from to $to is judged by the table'],
    },
  },
  {
    at: 'Errors / 429',
    says: '429 | rate limited; header `retry-after` in integer seconds | back off at least that long, with jitter',
    provedBy: {
      [SURFACES]: [
        'every operation > gives 429 with retry-after when its limit is used up, before it looks at scope, input and resource',
      ],
      [RATE_LIMITS]: [
        'two replicas of each gateway with Redis > say exactly how long to wait, to the second',
      ],
    },
  },
  {
    at: 'Errors / 5xx',
    says: '5xx | service fault | retry with backoff and the same Idempotency-Key',
    provedBy: {
      [HTTP_APP]: [
        'a failure of an endpoint > that nobody foresaw (%p) is a 500 that says nothing of it, and is logged',
        'a failure of an endpoint > says when to come back when it is unavailable',
      ],
      [CRASHES]: [
        '200 status events with one process killed in the middle and started again > survive kill -9 of %s: every acknowledged write is there once, in the feed once, and its webhook arrives',
      ],
    },
  },
  {
    at: 'Errors',
    says: 'Idempotency rules:',
    requiresNothing: 'a heading of what follows',
  },
  {
    at: 'Errors / rule 1',
    says: 'A replay with the same key and the same body returns the original result. The same key with a different body or operation gives 409.',
    provedBy: {
      [SURFACES]: [
        'an Idempotency-Key > of $id gives the original answer again, byte for byte, and is kept for 45 days',
        'an Idempotency-Key > of $id gives 409 with another body or for another operation',
        'an Idempotency-Key > of an appointment is in its body: 201, then 200 with the same body, then 409 for another one',
      ],
    },
  },
  {
    at: 'Errors / rule 2',
    says: 'Keys are scoped to the key owner.',
    provedBy: {
      [SURFACES]: [
        'an Idempotency-Key > of $id belongs to its owner: another company may use the same',
        'an Idempotency-Key > of $id is shared by all keys of its owner',
      ],
    },
  },
  {
    at: 'Errors / rule 3',
    says: 'Inbound appointments use body field idempotencyKey (8 to 160 characters); installer writes use header Idempotency-Key (max 128).',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
        'an Idempotency-Key > of an appointment is in its body: 201, then 200 with the same body, then 409 for another one',
      ],
      [BOOK_APPOINTMENT_ROUTE]: [
        'POST /inbound/appointments > binds the idempotencyKey of the body, and no header, to the operation and to the body',
      ],
    },
  },
];

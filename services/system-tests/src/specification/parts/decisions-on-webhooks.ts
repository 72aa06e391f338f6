import type { SpecificationEntry } from '../specification-entry.js';
import {
  ALLOWED_EVENTS,
  CONSOLE_APP,
  DELIVERIES,
  DELIVERY_RESULTS,
  ENDPOINT_GUARD,
  EVENTS,
  HTTPS_SENDER,
  MAIN_JOB,
  RETRY_AFTER,
  RETRY_SCHEDULE,
  SECRET_SEALING,
  SIGNATURES,
  SUBSCRIPTIONS,
  WEBHOOK_DISPATCHER,
} from '../test-files.js';

/** What the decisions say of webhooks. */
export const DECISIONS_ON_WEBHOOKS: readonly SpecificationEntry[] = [
  {
    at: 'Decisions / Webhooks',
    says: 'Signing secret: `whsec_` + base64 of 32 random bytes.',
    provedBy: {
      [SUBSCRIPTIONS]: [
        'CreateSubscription > makes a paused subscription at the normalised URL, with a secret that is kept sealed',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'The `x-svc-signature` key is the UTF-8 bytes of that whole string.',
    provedBy: {
      [SIGNATURES]: [
        'the service signature > is v1= and the lowercase hex HMAC-SHA256 over timestamp, dot and body, keyed with the whole secret as text',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Secrets are encrypted at rest (AES-256-GCM, key id, subscription and version as associated data).',
    provedBy: {
      [SUBSCRIPTIONS]: [
        'CreateSubscription > makes a paused subscription at the normalised URL, with a secret that is kept sealed',
      ],
      [SECRET_SEALING]: ['a sealed secret > does not open for another subscription or version'],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Each delivery also carries the Standard Webhooks headers `webhook-id` (event id), `webhook-timestamp`, `webhook-signature` (`v1,` base64 HMAC-SHA256 over `id.timestamp.body` with the decoded secret), so that stock verifiers work, and W3C `traceparent`.',
    provedBy: {
      [SIGNATURES]: ['the Standard Webhooks signature > is what a stock verifier accepts'],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
      [DELIVERIES]: ['a command > carries its trace on to the receiver, in a span of its own'],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: '`health`: `healthy` or `degraded` (set by a dead letter, cleared by the next delivered attempt).',
    provedBy: {
      [DELIVERY_RESULTS]: [
        'the handler of delivery results > takes a delivery through 8 attempts to the dead letter, and the next success clears the health',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Redirects are not followed (a 3xx is a failed attempt).',
    provedBy: {
      [HTTPS_SENDER]: ['a POST > does not follow a %d, wherever it points'],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'At most 64 KiB of an answer is read, 4 KiB kept for the log.',
    provedBy: {
      [HTTPS_SENDER]: [
        'an answer > is kept up to 4 KiB',
        'an answer > of 64 KiB or more is cut off, and its status counts',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'The 10 seconds include DNS and TLS.',
    provedBy: {
      [HTTPS_SENDER]: [
        'the time limit > covers the lookup',
        'the time limit > covers a handshake that hangs',
      ],
      [WEBHOOK_DISPATCHER]: ['the service > ends an attempt that has no complete answer within 10 seconds'],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: "`retry-after` of a 429 or 503 can lengthen a retry's wait up to the 6-hour cap, never shorten it.",
    provedBy: {
      [RETRY_SCHEDULE]: [
        'retryWaitMs > lets retry-after lengthen the wait up to 6 hours and never shorten it',
      ],
      [RETRY_AFTER]: [
        'retry-after > $retryAfter of a $status asks for $seconds s',
        'retry-after > $retryAfter of a $status asks for nothing',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Jitter 0 to +10 %.',
    provedBy: {
      [RETRY_SCHEDULE]: [
        'retryWaitMs > is never earlier than the schedule, at most 10 % later, and never beyond 6 hours',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Every delivery resolves DNS anew; one address that is not public refuses the whole delivery; the connection goes to a vetted address, and a kept-alive connection is reused only while its address is in the fresh answer.',
    provedBy: {
      [ENDPOINT_GUARD]: [
        'a name > is looked up once each time and admitted with exactly the vetted addresses',
        'a name > that resolves to %s is refused',
      ],
      [HTTPS_SENDER]: [
        'the dialled address > is the vetted one: the name is not looked up again between check and connection',
        'a kept connection > is not used when its address is no longer in the answer of DNS',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'While a subscription is paused: new events queue nothing; an unfinished delivery is `held` and goes on after activation.',
    provedBy: {
      [EVENTS]: [
        'recordEvent > queues one delivery for each active subscription of the company that names the event or its group',
      ],
      [DELIVERY_RESULTS]: [
        'the handler of delivery results > holds a failed delivery of a subscription that was paused meanwhile',
      ],
      [SUBSCRIPTIONS]: [
        'SendTestDelivery and ActivateSubscription > lets held deliveries go on, each at its time',
      ],
    },
    awaits: 'the owner who pauses a subscription',
  },
  {
    at: 'Decisions / Webhooks',
    says: 'On activation the owner may back-fill the events since the pause.',
    notBuiltYet: 'back-filling the events of a pause',
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Changing the URL of a subscription needs a new verified test delivery before it is active again.',
    provedBy: {
      [SUBSCRIPTIONS]: ['SendTestDelivery and ActivateSubscription > does not take a test of a former URL'],
    },
    awaits: 'the owner who changes a URL',
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Replay makes a new attempt series (again up to 8) of the same event id and body.',
    notBuiltYet: 'replay',
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Bulk replay: by subscription, state and time span, with a preview (count, oldest, resources) and a rate.',
    notBuiltYet: 'bulk replay',
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Additional console paths: `GET /partner-api/webhooks`, `GET|PATCH|DELETE /partner-api/webhooks/{id}`, `POST .../{id}/test`, `POST .../{id}/activate`, `POST .../{id}/pause`, `GET .../{id}/deliveries` (status, event, time, cursor), `GET /partner-api/deliveries/{id}` (with attempts), `POST /partner-api/deliveries/{id}/replay`, `POST .../{id}/replay` (bulk), `POST|GET|DELETE /partner-api/session`.',
    provedBy: {
      [CONSOLE_APP]: [
        '%s %s > is 401 without a session',
        'deliveries > are listed newest first, in pages, and by state',
        'deliveries > are read with their attempts and the text of their body',
      ],
    },
    awaits: 'PATCH, DELETE, pause and replay',
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Create body: `url`, `events` (names, or `group.*`), optional `description`, `schemaVersion`.',
    provedBy: {
      [SUBSCRIPTIONS]: [
        'CreateSubscription > makes a paused subscription at the normalised URL, with a secret that is kept sealed',
      ],
      [ALLOWED_EVENTS]: ['eventViolations > accepts names and groups of the class'],
      [CONSOLE_APP]: ['a webhook subscription > with %s is 400 and names the field'],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'The answer holds the subscription and, once, the secret.',
    provedBy: {
      [CONSOLE_APP]: [
        'a webhook subscription > is created paused, shows its secret once, is tested and then activated',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: '`GET /partner-api/webhook-events`: for each event its name, group, meaning, classes that may subscribe, schemaVersion, JSON Schema and an example; and `signatureScheme: "v1"`.',
    notBuiltYet: 'the event catalogue of the console',
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Event groups by class: SALES companies get the sales and project events; INSTALLER companies the installation events; ACCOUNTING companies the journal (`journal.deposit_recorded`, `journal.invoice_recorded`, `journal.payout_recorded`, `journal.adjustment_recorded`).',
    provedBy: {
      [ALLOWED_EVENTS]: [
        'eventViolations > accepts names and groups of the class',
        'eventViolations > names each event that the class may not have, and says what is allowed',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: '`install.test` goes to any.',
    provedBy: {
      [ALLOWED_EVENTS]: ['eventViolations > accepts install.test for every class'],
    },
  },
];

import type { SpecificationEntry } from '../specification-entry.js';
import {
  ALLOWED_EVENTS,
  BACKOFF,
  BULK_REPLAYS,
  CONSOLE_APP,
  DELIVERIES,
  DELIVERY_CONSOLE,
  DELIVERY_HISTORY,
  DELIVERY_RESULTS,
  DELIVERY_SERVICE,
  ENDPOINT_GUARD,
  EVENTS,
  EVENT_CATALOGUE_LIST,
  FAULTS,
  HTTPS_SENDER,
  JOB_STATE_SETTINGS,
  MAIN_JOB,
  RELEASES,
  RETENTION,
  RETRY_ACCEPTANCE,
  RETRY_AFTER,
  RETRY_SCHEDULE,
  SECRETS,
  SECRET_SEALING,
  SIGNATURES,
  SUBSCRIPTIONS,
  SUBSCRIPTION_CHANGES,
  SUBSCRIPTION_STATES,
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
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: '`health`: `healthy` or `degraded` (set by a dead letter, cleared by the next delivered attempt).',
    provedBy: {
      [DELIVERY_RESULTS]: [
        'the handler of delivery results > takes a delivery through 8 attempts to the dead letter, and the next success clears the health',
      ],
      [DELIVERY_CONSOLE]: [
        'a dead-lettered delivery > shows what became of each of its 8 attempts, and its subscription is degraded',
        'a dead-lettered delivery > is replayed with the same event and body in up to 8 attempts of its own, and the first success makes the subscription healthy',
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
      [DELIVERY_CONSOLE]: [
        'a dead-lettered delivery > shows what became of each of its 8 attempts, and its subscription is degraded',
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
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
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
    says: 'An attempt in flight takes a slot.',
    provedBy: {
      [RELEASES]: [
        'deliveries that are due > keeps the deliveries in flight to the bound of all companies together',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'A subscription has at most a fiftieth of all slots (10 of 500 by default, a setting) and a company at most a quarter.',
    provedBy: {
      [RELEASES]: [
        'deliveries that are due > keeps one subscription to its cap, whatever its backlog, and lets the others pass',
        'deliveries that are due > keeps a company to its cap, however many subscriptions it has',
        'deliveries that are due > keeps the deliveries in flight to the bound of all companies together',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'A free slot goes first to the company with the least in flight for its weight (a column of the company); a quarter is reserved for companies with nothing in flight.',
    provedBy: {
      [RELEASES]: [
        'deliveries that are due > shares the slots between companies by their weights',
        'deliveries that are due > releases for a healthy subscription at once, however many others hang with a backlog',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: "A quarter of a subscription's slots is reserved for retries while any are due, so that neither first attempts nor retries wait for a backlog of the other.",
    provedBy: {
      [RELEASES]: [
        'deliveries that are due > reserves a quarter of the slots of a subscription for retries, so that neither kind waits for a backlog of the other',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'An endpoint is failing after 5 failed attempts in a row, until an attempt is delivered.',
    provedBy: {
      [DELIVERY_RESULTS]: [
        'the handler of delivery results > makes an endpoint failing after 5 failures in a row, until an attempt is delivered',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'It keeps its slots, so that each attempt keeps its schedule.',
    provedBy: {
      [BACKOFF]: [
        'the retries of a failing endpoint keep their schedule, up to its slots > when it responds with 503 at once',
        'the retries of a failing endpoint keep their schedule, up to its slots > when it hangs for 10 s',
      ],
      [RETRY_ACCEPTANCE]: [
        'retries a failing endpoint in all of its slots, never before the backoff, and shows what waits for a slot',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'All failing endpoints together have at most half of all slots, and those of one company at most half of its slots.',
    provedBy: {
      [RELEASES]: [
        'deliveries that are due > leaves half of all slots to endpoints that work, however many fail',
        "deliveries that are due > leaves half of a company's slots to its endpoints that work, however many fail",
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'A due attempt that waits for a slot is made as soon as one is free, the oldest first among retries and among first attempts; its `nextAttemptAt` is then in the past.',
    provedBy: {
      [BACKOFF]: [
        'the retries of a failing endpoint keep their schedule, up to its slots > when it hangs for 10 s',
      ],
      [RELEASES]: ['deliveries that are due > takes the oldest first, no more than the batch'],
      [RETRY_ACCEPTANCE]: [
        'retries a failing endpoint in all of its slots, never before the backoff, and shows what waits for a slot',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Its next backoff begins at its own end.',
    provedBy: {
      [BACKOFF]: [
        'the retries of a failing endpoint keep their schedule, up to its slots > when it hangs for 10 s',
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
      [SUBSCRIPTION_CHANGES]: ['PauseSubscription > pauses, and again without harm'],
      [SUBSCRIPTION_STATES]: [
        'the deliveries of a subscription > are held while it is paused, but for tests and what is under way, and go on afterwards, each at its time',
        'the deliveries of a subscription > end where its state wants them, whatever happens to them and to it at once',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
      [DELIVERY_CONSOLE]: [
        'a dead-lettered delivery > is replayed once at a time: while its subscription is paused the replay is held, and a second one refused',
        'the trail of an event > tells of each subscription what became of it, or why it was not queued as it was then',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'On activation the owner may back-fill the events since the pause.',
    provedBy: {
      [BULK_REPLAYS]: [
        'a back-fill > queues what came during the pause, once, and nothing that came before or after',
        'a back-fill > leaves out what the subscription does not name, another schema version, a class without right, and tests',
        'a back-fill > passes over events only once they have settled, and finds one that was committed after the activation',
        'a back-fill > finds what was under way at the pause or the activation by why it was not queued',
      ],
      [SUBSCRIPTION_CHANGES]: ['an activation with a back-fill > begins it from the pause to the activation'],
      [FAULTS]: [
        'whatever dies, stands still or loses its messages, in whatever order, no event is lost and nothing has to be done by hand',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Changing the URL of a subscription needs a new verified test delivery before it is active again.',
    provedBy: {
      [SUBSCRIPTIONS]: ['SendTestDelivery and ActivateSubscription > does not take a test of a former URL'],
      [SUBSCRIPTION_CHANGES]: [
        'UpdateSubscription > with another URL the subscription is unverified and paused until a test arrives there',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: '`activate` takes an optional `backfill` and answers with the subscription and a `backfillId`: the back-fill begins at the pause, or at the creation of a subscription that was never active.',
    provedBy: {
      [SUBSCRIPTION_CHANGES]: [
        'an activation with a back-fill > begins it from the pause to the activation',
        'an activation with a back-fill > begins it from the creation of one that was never active',
      ],
      [CONSOLE_APP]: [
        'a webhook subscription > is paused and activated, with the events of the pause when asked to',
      ],
      [DELIVERY_CONSOLE]: [
        'a back-fill > is asked for by the activation, counts the events of the pause, and is listed, read and cancelled like a bulk replay',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Repeated with `backfill` it answers with the one that is still running, if any.',
    provedBy: {
      [SUBSCRIPTION_CHANGES]: [
        'an activation with a back-fill > repeated tells of the one that still runs, and begins no other',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'A deleted subscription is 404, gets nothing and leaves its place to another one; its unfinished deliveries become `cancelled`.',
    provedBy: {
      [SUBSCRIPTION_CHANGES]: [
        'DeleteSubscription > leaves nothing to its owner but a place for another one',
        'DeleteSubscription > has it get nothing more, and takes nothing from the others',
      ],
      [SUBSCRIPTION_STATES]: [
        'the deliveries of a subscription > are cancelled once it is deleted, tests and held ones too; an attempt under way comes to its own end',
      ],
      [CONSOLE_APP]: ['a webhook subscription > is deleted for good'],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Rotate-secret answers 201 with the subscription, `pendingSecretVersion` and, once, `secret`; it replaces a pending secret that there is, and no version number is used twice.',
    provedBy: {
      [SECRETS]: [
        'a rotation of the secret > replaces a pending secret that there is, under a version that was never used',
      ],
      [CONSOLE_APP]: [
        'a webhook subscription > gets another secret, shown once, tried by a test and then activated',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'A repeat of the activation answers 200: it names the active version while the secret that the activation replaced is still kept and nothing was rotated since.',
    provedBy: {
      [SECRETS]: [
        'a rotation of the secret > ends with the activation: what is signed from then on is signed with it, again without harm',
        'a rotation of the secret > refuses the active version unless the request repeats its activation',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'To activate another version than the pending one, the active one included, is 409 `secret_version_mismatch`; the former secret is kept for 24 hours (a setting).',
    provedBy: {
      [SECRETS]: [
        'a rotation of the secret > is not activated with version %d when none is pending',
        'a rotation of the secret > refuses the active version unless the request repeats its activation',
        'a rotation of the secret > keeps the former secret for the overlap and then drops it',
      ],
      [JOB_STATE_SETTINGS]: ['the settings of job-state > have defaults that fit production'],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'A test may name the `secretVersion` to be signed with, current or pending.',
    provedBy: {
      [SECRETS]: [
        'a test with the version of a secret > is signed with the pending or the current secret, as asked for',
        'a test with the version of a secret > is refused for any other version, the former one too, and sends nothing',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'A company has at most 50 subscriptions: one more is 409 `subscription_limit_reached`.',
    provedBy: {
      [SUBSCRIPTIONS]: ['CreateSubscription > stops at the bound, also when many are created at once'],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Within 60 s at most 10 tests are sent to one subscription and at most 60 to all of a company, deleted ones included: one more is 429 with `retry-after`.',
    provedBy: {
      [SUBSCRIPTIONS]: [
        'SendTestDelivery and ActivateSubscription > sends 10 tests of one subscription within 60 s, also when many are sent at once',
        'SendTestDelivery and ActivateSubscription > sends 60 tests of one company within 60 s, however many subscriptions it deletes and creates',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Secrets that are sealed under a former key are sealed anew under the current one.',
    provedBy: {
      [SECRETS]: [
        'a change of the sealing key > seals every secret anew under the current key, so that the former one can be taken away',
        'a change of the sealing key > leaves alone what it can not open, says so once, and does the rest',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Replay makes a new attempt series (again up to 8) of the same event id and body.',
    provedBy: {
      [DELIVERY_SERVICE]: [
        'ReplayDelivery > makes a new series of attempts of the same event of a %s one',
        'ReplayDelivery > is taken by the id of an attempt too, and of a replay again',
        'ReplayDelivery > is held while the subscription is paused',
      ],
      [CONSOLE_APP]: ['a replay > of a delivery is a delivery of its own, asked for once'],
      [DELIVERY_CONSOLE]: [
        'a dead-lettered delivery > is replayed with the same event and body in up to 8 attempts of its own, and the first success makes the subscription healthy',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Bulk replay: by subscription, state and time span, with a preview (count, oldest, resources) and a rate.',
    provedBy: {
      [BULK_REPLAYS]: [
        'a bulk replay > queues each delivery of its states and span once, each as a delivery of its own, and is done',
        'a bulk replay > is limited to an event or a group',
        'a bulk replay > queues at its rate',
        'a bulk replay > is previewed: how many, from when to when, and about which resources',
        'a bulk replay > queues nothing twice and leaves nothing out when many replicas step at once and some of them fail',
      ],
      [CONSOLE_APP]: [
        'a replay > in bulk is previewed, begun, watched and cancelled',
        'a replay > in bulk with %s is 400 and names the field',
      ],
      [DELIVERY_CONSOLE]: [
        'a bulk replay > is previewed without an effect, then sends each event once more, none twice, and ends with all it counted',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'A replay is 409 `replay_in_progress` while the event is on its way to the subscription, 409 `delivery_not_replayable` for a test and for what is neither delivered nor dead-lettered, and 409 `event_expired` once the event is no longer kept.',
    provedBy: {
      [DELIVERY_SERVICE]: [
        'ReplayDelivery > makes one delivery however often it is asked for at once, and names it to the others',
        'ReplayDelivery > is refused for what is not finished, for a test, for a dropped event and for a deleted subscription',
      ],
      [DELIVERY_CONSOLE]: [
        'a dead-lettered delivery > is replayed once at a time: while its subscription is paused the replay is held, and a second one refused',
        'a delivery that is on its way, or a test, can not be replayed',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'A bulk replay queues each event of its span once, but none that is on its way already or is no longer kept; a dead-lettered delivery is left out when its event was delivered since.',
    provedBy: {
      [BULK_REPLAYS]: [
        'a bulk replay > queues an event once that was dead-lettered twice, and none that is on its way or was delivered since',
        'a bulk replay > leaves out tests and events that are no longer kept',
        'a bulk replay > does not repeat what it has queued itself, however long its span is',
      ],
      [DELIVERY_CONSOLE]: [
        'a bulk replay > is previewed without an effect, then sends each event once more, none twice, and ends with all it counted',
        'a bulk replay > is the only one of its subscription, and queues nothing more once it is cancelled',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'At most one bulk replay and one back-fill of a subscription run at a time, and they wait while it is paused.',
    provedBy: {
      [BULK_REPLAYS]: [
        'a bulk replay > is the only one of its subscription, also when two are begun at once',
        'a bulk replay > waits while the subscription is paused and goes on afterwards',
        'a back-fill > that still runs goes on until the next activation that asks for one',
      ],
      [DELIVERY_CONSOLE]: [
        'a bulk replay > is the only one of its subscription, and queues nothing more once it is cancelled',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: '`GET .../{id}/replays` lists bulk replays and back-fills, `GET|DELETE /partner-api/replays/{id}` shows or cancels one.',
    provedBy: {
      [BULK_REPLAYS]: [
        'a bulk replay > is cancelled by its owner: what is queued goes on, nothing more is queued, and a repeat is harmless',
      ],
      [CONSOLE_APP]: ['a replay > in bulk is previewed, begun, watched and cancelled'],
      [DELIVERY_CONSOLE]: [
        'a bulk replay > is the only one of its subscription, and queues nothing more once it is cancelled',
        'a back-fill > is asked for by the activation, counts the events of the pause, and is listed, read and cancelled like a bulk replay',
        'what belongs to a company > is 404 to the owner of another company by whatever route, and nothing comes of it',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: "`GET /partner-api/events` (event, resource, cursor) lists the company's events; `GET /partner-api/events/{id}` tells for each subscription what became of the event, or why it was not queued as it was when the event was committed.",
    provedBy: {
      [EVENTS]: [
        'recordEvent > notes of each subscription that gets nothing why, and of a deleted one nothing',
      ],
      [DELIVERY_SERVICE]: [
        'ListEvents > lists the events of a company in pages, by event and by resource',
        'GetEvent > tells of each subscription what became of the event, or why it was not queued',
        'GetEvent > tells of a class that may not have the event, and of what is no longer kept',
      ],
      [CONSOLE_APP]: [
        'events > about a resource that there are none of are explained, in the same words whether it exists or not',
        'events > are traced to each subscription, with a sentence that says what became of it',
      ],
      [DELIVERY_CONSOLE]: [
        'the trail of an event > tells of each subscription what became of it, or why it was not queued as it was then',
        'the trail of an event > says the same of a job of another installer as of one that does not exist',
        'what belongs to a company > is 404 to the owner of another company by whatever route, and nothing comes of it',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Deliveries that have come to an end and attempts are kept for 90 days (a setting, at least 7 days); events for 30 days longer, and for as long as a delivery is kept that was made of them.',
    provedBy: {
      [RETENTION]: [
        'deliveries and their events > are kept for 90 days from the end of their week on, attempts with them, and events for 30 days more',
        'deliveries and their events > keep the event of a replay for as long as the replay itself is kept',
        'deliveries and their events > that came to an end long after their week can be read for 90 days from then on',
      ],
      [JOB_STATE_SETTINGS]: [
        'the settings of job-state > keep nothing for less than what builds on it needs',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'A delivery that has not come to an end is never dropped.',
    provedBy: {
      [RETENTION]: [
        'deliveries and their events > go out with their body after a year of waiting, when all that was finished then is gone',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Bulk replays and back-fills are kept for as long after their end as deliveries.',
    provedBy: {
      [RETENTION]: [
        'bulk replays > are kept for as long as deliveries from their end on, and for ever while they run',
      ],
    },
  },
  {
    at: 'Decisions / Webhooks',
    says: 'Additional console paths: `GET /partner-api/webhooks`, `GET|PATCH|DELETE /partner-api/webhooks/{id}`, `POST .../{id}/test`, `POST .../{id}/activate`, `POST .../{id}/pause`, `GET .../{id}/deliveries` (status, event, time, cursor), `GET /partner-api/deliveries/{id}` (with attempts), `POST /partner-api/deliveries/{id}/replay`, `POST .../{id}/replay` (bulk), `POST|GET|DELETE /partner-api/session`.',
    provedBy: {
      [CONSOLE_APP]: [
        '%s %s > is 401 without a session',
        'a webhook subscription > is changed in what the body names, and paused by another URL',
        'a webhook subscription > is deleted for good',
        'a webhook subscription > is paused and activated, with the events of the pause when asked to',
        'deliveries > are listed newest first, in pages, and by state',
        'deliveries > are listed by event, by resource and by the time of creation',
        'deliveries > are read with their attempts and the text of their body',
        'a replay > of a delivery is a delivery of its own, asked for once',
        'a replay > in bulk is previewed, begun, watched and cancelled',
      ],
      [DELIVERY_CONSOLE]: [
        'a dead-lettered delivery > shows what became of each of its 8 attempts, and its subscription is degraded',
        'the deliveries of a subscription > are filtered by state, event, group, resource and time, and paged without gap or overlap',
        'what belongs to a company > is 404 to the owner of another company by whatever route, and nothing comes of it',
      ],
    },
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
    provedBy: {
      [EVENT_CATALOGUE_LIST]: [
        'the event catalogue > lists every event that a subscription can name, and the version of the signature scheme',
        'the event catalogue > has a JSON Schema of $name that its example fits, with nothing left out',
      ],
      [CONSOLE_APP]: [
        'the event catalogue > lists every event with who may have it, and answers 304 as long as it is the same',
      ],
    },
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
  {
    at: 'Decisions / Webhooks',
    says: 'A group is allowed that holds an event other than `install.test` that the class may have.',
    provedBy: {
      [ALLOWED_EVENTS]: [
        'eventViolations > accepts names and groups of the class',
        'eventViolations > refuses install.* for %s companies, which would get nothing but tests',
      ],
    },
  },
];

import type { SpecificationEntry } from '../specification-entry.js';
import {
  ALLOWED_EVENTS,
  APPOINTMENTS,
  BOUNDARIES,
  CONTRACTS,
  DELIVERIES,
  DELIVERY_CONSOLE,
  DELIVERY_HISTORY,
  DELIVERY_RESULTS,
  EVENT_RECEIVERS,
  EVENTS,
  FAULTS,
  HTTPS_SENDER,
  JOURNAL_PRIVACY,
  MAIN_JOB,
  PLATFORM,
  PRIVACY,
  RETRY_SCHEDULE,
  SCHEDULES,
  SECRETS,
  SETTLED_ATTEMPTS,
  SIGNATURES,
  STATUS_EVENTS,
  SUBSCRIPTIONS,
  WEBHOOK_DISPATCHER,
} from '../test-files.js';

/** The part "Events". */
export const EVENT_RULES: readonly SpecificationEntry[] = [
  {
    at: 'Events / Delivery',
    says: 'A delivery is an HTTPS POST of the envelope (content-type application/json) to the subscription URL.',
    provedBy: {
      [DELIVERIES]: ['a command > becomes one signed POST of its exact body'],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
      [HTTPS_SENDER]: ['a POST > arrives with its path, headers and exact bytes, and the answer comes back'],
    },
  },
  {
    at: 'Events / Delivery',
    says: 'Headers:',
    requiresNothing: 'a heading of what follows',
  },
  {
    at: 'Events / Delivery / x-svc-event',
    says: 'x-svc-event | event name, same as body',
    provedBy: {
      [DELIVERIES]: ['a command > becomes one signed POST of its exact body'],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
    },
  },
  {
    at: 'Events / Delivery / x-svc-delivery-id',
    says: 'x-svc-delivery-id | unique per delivery attempt',
    provedBy: {
      [DELIVERIES]: [
        'a command > becomes one signed POST of its exact body',
        'a lease > that is new gets a new attempt with a new id',
      ],
      [MAIN_JOB]: [
        'a webhook > that fails is sent again on schedule with the same event and a fresh delivery id, and the owner sees it',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
    },
  },
  {
    at: 'Events / Delivery / x-svc-timestamp',
    says: 'x-svc-timestamp | unix seconds when signed',
    provedBy: {
      [DELIVERIES]: [
        'a command > becomes one signed POST of its exact body',
        'a lease > that is new is signed anew, at the time of its attempt and over the same body',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
    },
  },
  {
    at: 'Events / Delivery / x-svc-secret-version',
    says: 'x-svc-secret-version | version of the secret that signed it',
    provedBy: {
      [DELIVERIES]: ['a command > becomes one signed POST of its exact body'],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
      [FAULTS]: [
        'whatever dies, stands still or loses its messages, in whatever order, no event is lost and nothing has to be done by hand',
      ],
    },
  },
  {
    at: 'Events / Delivery / x-svc-signature',
    says: 'x-svc-signature | `v1=` followed by lowercase hex HMAC-SHA256',
    provedBy: {
      [SIGNATURES]: [
        'the service signature > is v1= and the lowercase hex HMAC-SHA256 over timestamp, dot and body, keyed with the whole secret as text',
      ],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
    },
  },
  {
    at: 'Events / Delivery',
    says: 'Signature rule: HMAC-SHA256 with the secret of the stated version over the string timestamp, then `.`, then the exact raw request body bytes.',
    provedBy: {
      [SIGNATURES]: [
        'the service signature > is v1= and the lowercase hex HMAC-SHA256 over timestamp, dot and body, keyed with the whole secret as text',
        'the service signature > covers bytes that are not UTF-8 as they are',
      ],
      [DELIVERIES]: ['a command > becomes one signed POST of its exact body'],
    },
  },
  {
    at: 'Events / Delivery',
    says: 'Receiver verification order: compare signature in constant time over the raw body; check the timestamp is within 300 seconds of the receiver clock; de-duplicate; then parse JSON.',
    requiresNothing: 'what a receiver does',
  },
  {
    at: 'Events / Delivery',
    says: 'Changing any body byte must invalidate the signature.',
    provedBy: {
      [SIGNATURES]: ['the service signature > changes with any byte of the body'],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
    },
  },
  {
    at: 'Events / Delivery',
    says: 'Do not re-serialise the body before verifying.',
    requiresNothing: 'what a receiver does',
  },
  {
    at: 'Events / Acknowledgement and retries / rule 1',
    says: 'The receiver answers 2xx within 10 seconds, only after durably storing the delivery.',
    provedBy: {
      [WEBHOOK_DISPATCHER]: ['the service > ends an attempt that has no complete answer within 10 seconds'],
      [HTTPS_SENDER]: ['a POST > is delivered with %d'],
    },
  },
  {
    at: 'Events / Acknowledgement and retries / rule 2',
    says: 'Any other response, a timeout or a TLS failure schedules a retry: exponential backoff starting at 1 minute, doubling, capped at 6 hours, 8 attempts in total (about 2 hours of wall time before the last attempt).',
    provedBy: {
      [RETRY_SCHEDULE]: [
        'retryWaitMs > waits 1, 2, 4, 8, 16, 32 and 64 minutes, then gives up',
        'retryWaitMs > is never earlier than the schedule, at most 10 % later, and never beyond 6 hours',
      ],
      [SETTLED_ATTEMPTS]: [
        'settleAttempt > counts each recorded attempt once up to 8, and ends with the first success or the 8th failure',
        'settleAttempt > lets every failure outcome count the same',
      ],
      [DELIVERY_RESULTS]: [
        'the handler of delivery results > takes a delivery through 8 attempts to the dead letter, and the next success clears the health',
      ],
      [MAIN_JOB]: [
        'a webhook > that fails is sent again on schedule with the same event and a fresh delivery id, and the owner sees it',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
      [FAULTS]: [
        'whatever dies, stands still or loses its messages, in whatever order, no event is lost and nothing has to be done by hand',
      ],
    },
  },
  {
    at: 'Events / Acknowledgement and retries / rule 3',
    says: 'After the last failure the delivery is dead-lettered (see States).',
    provedBy: {
      [DELIVERY_RESULTS]: [
        'the handler of delivery results > takes a delivery through 8 attempts to the dead letter, and the next success clears the health',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
      [FAULTS]: [
        'whatever dies, stands still or loses its messages, in whatever order, no event is lost and nothing has to be done by hand',
      ],
      [DELIVERY_CONSOLE]: [
        'a dead-lettered delivery > shows what became of each of its 8 attempts, and its subscription is degraded',
      ],
    },
  },
  {
    at: 'Events / Acknowledgement and retries / rule 4',
    says: 'Retries keep the event id and payload, and get a new delivery id, signature and timestamp.',
    provedBy: {
      [MAIN_JOB]: [
        'a webhook > that fails is sent again on schedule with the same event and a fresh delivery id, and the owner sees it',
      ],
      [DELIVERIES]: [
        'a lease > that is new is signed anew, at the time of its attempt and over the same body',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
      [FAULTS]: [
        'whatever dies, stands still or loses its messages, in whatever order, no event is lost and nothing has to be done by hand',
      ],
    },
  },
  {
    at: 'Events / Acknowledgement and retries / rule 5',
    says: 'Ordering across events is not guaranteed. Consumers order updates to one resource by occurredAt and resource.version and ignore older ones.',
    requiresNothing: 'promises no order; the rest is what a consumer does',
  },
  {
    at: 'Events / Acknowledgement and retries / rule 6',
    says: 'Consumers process an event once even if several deliveries arrive, and answer 2xx to every delivery of an already-processed event.',
    requiresNothing: 'what a consumer does',
  },
  {
    at: 'Events / Acknowledgement and retries / rule 7',
    says: 'If a consumer writes back, it sends resource.version as expectedVersion.',
    requiresNothing: 'what a consumer does',
  },
  {
    at: 'Events / Secret rotation / rule 1',
    says: 'Rotate: a pending secret with the next version number is created; deliveries stay signed with the current version.',
    provedBy: {
      [SECRETS]: [
        'a rotation of the secret > makes a pending secret with the next version, shown once and kept sealed, and signs with the current one',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
    },
  },
  {
    at: 'Events / Secret rotation / rule 2',
    says: 'The receiver loads the pending secret keyed by its version.',
    requiresNothing: 'what a receiver does',
  },
  {
    at: 'Events / Secret rotation / rule 3',
    says: 'Activate with pendingSecretVersion n: new deliveries use version n. The previous version stays available for a short overlap, then is dropped.',
    provedBy: {
      [SECRETS]: [
        'a rotation of the secret > ends with the activation: what is signed from then on is signed with it, again without harm',
        'a rotation of the secret > keeps the former secret for the overlap and then drops it',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
    },
  },
  {
    at: 'Events / Event catalogue',
    says: 'Sales and project events:',
    requiresNothing: 'a heading of what follows',
  },
  {
    at: 'Events / Event catalogue / quote.sent',
    says: 'quote.sent | a quote was sent to the customer',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / quote.viewed',
    says: 'quote.viewed | the customer opened the quote link',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / quote.accepted',
    says: 'quote.accepted | the customer accepted an option',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / project.stage_changed',
    says: 'project.stage_changed | any pipeline stage change',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / appointment.booked',
    says: 'appointment.booked | an appointment was created or moved',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
      [APPOINTMENTS]: ['an appointment > is booked with everything that tells of it in one transaction'],
    },
  },
  {
    at: 'Events / Event catalogue / deposit.paid',
    says: 'deposit.paid | customer deposit settled',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / deposit.refunded',
    says: 'deposit.refunded | customer deposit reversed',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / invoice.issued',
    says: 'invoice.issued | an invoice was issued',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / rebate.status_changed',
    says: 'rebate.status_changed | a rebate or incentive application changed state',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / project.completed',
    says: 'project.completed | project closed out',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue',
    says: 'Installation events (installer companies):',
    requiresNothing: 'a heading of what follows',
  },
  {
    at: 'Events / Event catalogue / install.job_assigned',
    says: 'install.job_assigned | a job was assigned to your company',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
      [PLATFORM]: [
        'the platform > creates a job, gives it to an installer company, and that company sees it',
      ],
    },
  },
  {
    at: 'Events / Event catalogue / install.job_unassigned',
    says: 'install.job_unassigned | a job was removed from your company',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
      [BOUNDARIES]: [
        'what belongs to another company > was ours until it was given away: the job is 404, its entries have left the feed, and their numbers stay unused',
      ],
    },
  },
  {
    at: 'Events / Event catalogue / install.job_cancelled',
    says: 'install.job_cancelled | the job was cancelled by the company',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / install.schedule_changed',
    says: 'install.schedule_changed | scheduled start or end changed, by either side',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
      [SCHEDULES]: [
        'a schedule > tells the company of every difference, and of none when the same one is set again',
      ],
    },
  },
  {
    at: 'Events / Event catalogue / install.readiness_changed',
    says: 'install.readiness_changed | ready flag or blocker codes changed',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
      [STATUS_EVENTS]: [
        'a status event > that blocks the job makes it not ready, the next move makes it ready again, and both are told',
      ],
    },
  },
  {
    at: 'Events / Event catalogue / install.document_available',
    says: 'install.document_available | a scope, permit, manual, warranty or completion document can be fetched',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / install.status_changed',
    says: 'install.status_changed | job status moved',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
      [STATUS_EVENTS]: [
        'a status event > is stored, kept in the history, told to the company and told to the platform',
      ],
    },
  },
  {
    at: 'Events / Event catalogue / install.completion_received',
    says: 'install.completion_received | a completion report was accepted',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / install.scope_acknowledgement_required',
    says: 'install.scope_acknowledgement_required | the scope changed; acknowledgement of the new scope version is needed before work continues',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
    },
  },
  {
    at: 'Events / Event catalogue / install.test',
    says: 'install.test | on-demand test delivery, safe to ignore in production',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the names and meanings of events'],
      [SUBSCRIPTIONS]: [
        'SendTestDelivery and ActivateSubscription > activates once a test was delivered, and again without harm',
        'SendTestDelivery and ActivateSubscription > sends the test to that subscription alone',
      ],
    },
  },
  {
    at: 'Events / Event catalogue',
    says: 'Financial journal events (deposits, invoices, payouts, adjustments) go only to subscriptions of an accounting-class partner and never carry customer contact details.',
    provedBy: {
      [EVENT_RECEIVERS]: [
        'the server of the company that it concerns, and no other, gets > %s, caused by %s',
        'an event that a class of companies may not have > is refused to a subscription of a company of class %s: %s',
      ],
      [PRIVACY]: [
        'of everything that came out, after everything has happened to the companies of two sides, > each canary is only where it may be',
        'of everything that came out, after everything has happened to the companies of two sides, > webhooks have the fields that were allowed on purpose, and every event was sent',
      ],
      [JOURNAL_PRIVACY]: ['no text of a message about %s brings personal data to an accounting company'],
      [ALLOWED_EVENTS]: [
        'eventViolations > names each event that the class may not have, and says what is allowed',
      ],
      [EVENTS]: [
        'recordEvent > queues nothing for a company whose class may not have the event, whatever it subscribed to',
      ],
    },
  },
  {
    at: 'Events / Event catalogue',
    says: 'Contents of the data object for each event: not shown.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'Events / Event catalogue',
    says: 'Names of the financial journal events: not shown.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'Events / Event catalogue',
    says: 'Which partner types may subscribe to which event groups: not shown.',
    requiresNothing: 'leaves open what the decisions settle',
  },
];

import type { SpecificationEntry } from '../specification-entry.js';
import {
  BOUNDARIES,
  CONSOLE_APP,
  CONTRACTS,
  DELIVERIES,
  DELIVERY_CONSOLE,
  DELIVERY_HISTORY,
  DELIVERY_RESULTS,
  DELIVERY_SERVICE,
  EVENTS,
  FAULTS,
  HTTPS_SENDER,
  MAIN_JOB,
  SCHEDULE_MOVES,
  SECRETS,
  SETTLED_ATTEMPTS,
  STATUS_MOVES,
  SUBSCRIPTIONS,
  SURFACES,
  WEBHOOK_DISPATCHER,
} from '../test-files.js';

/** The part "States and transitions". */
export const STATES: readonly SpecificationEntry[] = [
  {
    at: 'States and transitions',
    says: 'Job status values: ASSIGNED, ACKNOWLEDGED, EN_ROUTE, ON_SITE, BLOCKED, IN_PROGRESS, COMPLETE, CANCELLED.',
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the statuses of jobs and schedules'],
      [BOUNDARIES]: [
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
      ],
    },
  },
  {
    at: 'States and transitions',
    says: 'Transitions: not shown.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'States and transitions',
    says: 'A status event whose transition is not allowed from the current status is rejected with 422; which moves are allowed is not listed.',
    provedBy: {
      [STATUS_MOVES]: ['a status move > from $from to $to is judged by the table'],
      [MAIN_JOB]: ['a job > moves once per key and version, and tells the reason when it does not move'],
      [SURFACES]: [
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
      ],
    },
  },
  {
    at: 'States and transitions',
    says: 'Schedule status values: UNSCHEDULED, TENTATIVE, CONFIRMED, CANCELLED.',
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the statuses of jobs and schedules'],
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
    },
  },
  {
    at: 'States and transitions',
    says: 'Only TENTATIVE, CONFIRMED and CANCELLED can be submitted.',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [SCHEDULE_MOVES]: ['a schedule move > from $from to $to is judged by the table'],
    },
  },
  {
    at: 'States and transitions',
    says: 'Subscription and delivery moves:',
    requiresNothing: 'a heading of what follows',
  },
  {
    at: 'States and transitions / subscription created creation in console',
    says: 'subscription created | creation in console | always | paused | paused subscriptions queue no deliveries',
    provedBy: {
      [MAIN_JOB]: ['a subscription > starts paused and is activated only after a verified test delivery'],
      [EVENTS]: [
        'recordEvent > queues one delivery for each active subscription of the company that names the event or its group',
      ],
      [DELIVERY_HISTORY]: [
        'every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do',
      ],
    },
  },
  {
    at: 'States and transitions / paused owner activation',
    says: 'paused | owner activation | after a test delivery was verified | active | ',
    provedBy: {
      [MAIN_JOB]: ['a subscription > starts paused and is activated only after a verified test delivery'],
      [SUBSCRIPTIONS]: [
        'SendTestDelivery and ActivateSubscription > activates once a test was delivered, and again without harm',
      ],
    },
  },
  {
    at: 'States and transitions / delivery pending response other than 2xx, timeout, or TLS failure',
    says: 'delivery pending | response other than 2xx, timeout, or TLS failure | attempts used < 8 | retry scheduled | new delivery id, fresh signature and timestamp; event id and payload reused',
    provedBy: {
      [DELIVERY_RESULTS]: [
        'the handler of delivery results > takes a delivery through 8 attempts to the dead letter, and the next success clears the health',
      ],
      [DELIVERIES]: [
        'a lease > that is new is signed anew, at the time of its attempt and over the same body',
      ],
      [SETTLED_ATTEMPTS]: ['settleAttempt > lets every failure outcome count the same'],
      [MAIN_JOB]: [
        'a webhook > that fails is sent again on schedule with the same event and a fresh delivery id, and the owner sees it',
      ],
      [HTTPS_SENDER]: [
        'a POST > is rejected with %d',
        'the time limit > covers a server that never answers',
        'TLS > fails for an expired certificate',
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
    at: 'States and transitions / delivery pending 2xx within 10 seconds',
    says: 'delivery pending | 2xx within 10 seconds |  | delivered | ',
    provedBy: {
      [HTTPS_SENDER]: ['a POST > is delivered with %d'],
      [WEBHOOK_DISPATCHER]: ['the service > ends an attempt that has no complete answer within 10 seconds'],
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
    at: 'States and transitions / delivery pending failure on the 8th attempt',
    says: 'delivery pending | failure on the 8th attempt |  | dead-lettered | subscription health becomes degraded; delivery stays visible to the company owner and can be replayed from the console',
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
      [DELIVERY_SERVICE]: ['ReplayDelivery > makes a new series of attempts of the same event of a %s one'],
      [CONSOLE_APP]: ['a replay > of a delivery is a delivery of its own, asked for once'],
      [DELIVERY_CONSOLE]: [
        'a dead-lettered delivery > shows what became of each of its 8 attempts, and its subscription is degraded',
        'a dead-lettered delivery > is replayed with the same event and body in up to 8 attempts of its own, and the first success makes the subscription healthy',
        'a dead-lettered delivery > is replayed once at a time: while its subscription is paused the replay is held, and a second one refused',
      ],
    },
  },
  {
    at: 'States and transitions / secret, current rotate',
    says: 'secret, current | rotate |  | pending secret with next version created | deliveries still signed with the current version',
    provedBy: {
      [SECRETS]: [
        'a rotation of the secret > makes a pending secret with the next version, shown once and kept sealed, and signs with the current one',
      ],
    },
  },
  {
    at: 'States and transitions / secret, pending activate with pendingSecretVersion',
    says: 'secret, pending | activate with pendingSecretVersion |  | new deliveries signed with that version | previous version should be kept verifiable briefly',
    provedBy: {
      [SECRETS]: [
        'a rotation of the secret > ends with the activation: what is signed from then on is signed with it, again without harm',
        'a rotation of the secret > keeps the former secret for the overlap and then drops it',
      ],
    },
  },
];

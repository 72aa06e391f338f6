import type { SpecificationEntry } from '../specification-entry.js';
import {
  ANNOUNCED_CHANGES,
  API_KEYS,
  API_KEYS_ROUTES,
  AUDIT,
  AUDIT_ROUTES,
  CHANGES,
  CHANGE_STREAMS,
  CONSOLE_APP,
  ENDPOINT_SERVICE,
  HISTOGRAM,
  OPERATORS,
  OWNER_SESSIONS,
  RETENTION,
  STATISTICS,
  WEB_APP,
} from '../test-files.js';

/** What the decisions say of the console beside its sessions. */
export const DECISIONS_ON_CONSOLE: readonly SpecificationEntry[] = [
  {
    at: 'Decisions / Console',
    says: "The owners' web app is served at `/console`: nothing from elsewhere, under a policy with a new nonce in each answer.",
    provedBy: {
      [WEB_APP]: [
        '%s > is the page, open to anybody and kept by nobody',
        '%s > has a nonce of its own in each answer, and allows nothing from elsewhere',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: '`GET /partner-api/changes` is a stream of server-sent events: each names webhooks of the company that have changed, at most once a second.',
    provedBy: {
      [CHANGES]: [
        'a stream of changes > is a stream of events that nobody keeps or collects',
        'a stream of changes > tells of changes of the own company alone',
      ],
      [CHANGE_STREAMS]: ['a stream of changes > gets one event a second at most'],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'Changes are broadcast after the commit and may be lost.',
    provedBy: {
      [ANNOUNCED_CHANGES]: [
        'a page that shows webhooks is told of > nothing that was undone',
        'a page that shows webhooks is told of > an event that is queued, and of none that nobody gets',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'A stream lives for at most 10 minutes, ends at the next heartbeat (15 s) after its session, and prolongs none; a session has at most 10 at a time with each replica.',
    provedBy: {
      [CHANGE_STREAMS]: [
        'a stream of changes > ends after 10 minutes',
        'a stream of changes > gets a comment every 15 seconds while its session goes on, and ends with it',
        'a stream of changes > is one of 10 of its session, whose places are free again when they are over',
      ],
      [CHANGES]: [
        'a stream of changes > keeps no session going, neither while it is open nor by being opened',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: '`POST /partner-api/url-checks` judges a `url` by the rules of creation and creates nothing, 60 times a minute and session.',
    provedBy: {
      [OWNER_SESSIONS]: [
        'a URL > is judged as for a new subscription, for the company of the session',
        'a URL > can be asked for 60 times a minute by each session',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'The refusal of a `url` names the rule that it breaks: scheme, port, user information, fragment, a host that does not resolve, or an address that is not public.',
    provedBy: { [ENDPOINT_SERVICE]: ['the refusal of %s names the rule and no address'] },
  },
  {
    at: 'Decisions / Console',
    says: 'It never names an address.',
    provedBy: { [ENDPOINT_SERVICE]: ['the refusal of %s names the rule and no address'] },
  },
  {
    at: 'Decisions / Console',
    says: '`GET /partner-api/webhooks/{id}/statistics` and `GET /partner-api/statistics` count attempts in buckets of 5 minutes for a span of up to a day, 60 for up to 7 days, 360 for up to 31 days; of the last 24 hours without a span; a longer or an empty span is 400.',
    provedBy: {
      [STATISTICS]: [
        'the buckets of statistics > hold the attempts that began in them: of 5 minutes, an hour or 6 hours, by the length of the span',
      ],
      [CONSOLE_APP]: [
        'statistics > are of the last 24 hours by default, and have no percentiles when there is nothing',
        'statistics > of a subscription are counted over the span that was asked for',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'An attempt counts once, in the bucket in which it began, also when its result comes late; one from a clock that is ahead counts as begun now.',
    provedBy: {
      [STATISTICS]: [
        'the statistics of a subscription > count a result once, however often it comes, also within one batch and after the end',
        'the buckets of statistics > take an attempt of a dispatcher whose clock is ahead as begun now',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'Tests are not counted.',
    provedBy: {
      [STATISTICS]: [
        'the statistics of a subscription > leave out tests, before and after their end, and the attempts of deliveries that are gone',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'A dead letter stays counted when it is delivered later.',
    provedBy: {
      [STATISTICS]: [
        'the statistics of a subscription > count results that come after the end of their delivery, and keep the dead letter that one of them undoes',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'Percentiles are interpolated from a histogram up to 10 s.',
    provedBy: {
      [STATISTICS]: [
        'the buckets of statistics > tell how long the attempts took, each and all of them together',
      ],
      [HISTOGRAM]: [
        'a percentile > is never in another slot than the duration of its rank, and never falls as the part grows',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'A deleted subscription is 404 and left out of the overview.',
    provedBy: {
      [STATISTICS]: [
        'the statistics of a company > are of each subscription and of all together, of no other company and of nothing that was deleted',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'Statistics are kept for as long as deliveries.',
    provedBy: {
      [RETENTION]: ['statistics are kept for 90 days: %s'],
    },
  },
  {
    at: 'Decisions / Console',
    says: "`GET|POST /partner-api/api-keys`, `POST .../{id}/rotate` and `DELETE .../{id}` manage the company's keys; a key is shown once.",
    provedBy: {
      [API_KEYS_ROUTES]: [
        'an API key > is created, and shown as a whole only then',
        'an API key > is replaced, and goes on for a day unless told otherwise',
        'an API key > is revoked, again and again',
        'lists > of keys come page by page',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'A company has at most 20 that are neither revoked nor expired: one more is 422 `key_limit_reached`; during a rotation both keys count unless the overlap is 0.',
    provedBy: {
      [API_KEYS]: [
        'creating a key > stops at 20 keys in force, also when two are asked for at the same time',
        'creating a key > does not count keys that are revoked or expired',
        'rotating a key > counts both keys, unless the old one ends at once',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'Companies of class SALES can make `general` and `installer-contractor` keys, INSTALLER `installer-company` keys, ACCOUNTING none: 422 `key_kind_not_allowed`.',
    provedBy: {
      [API_KEYS]: [
        'creating a key > is refused to a company of class %s for the kind %d',
        'creating a key > of a company that installs gives one of the installer surface',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'A contractor key is bound to an installer that a job of the company is or was assigned to (`GET /partner-api/installers`); any other company is 422 `installer_not_bindable`, in one text.',
    provedBy: {
      [API_KEYS]: [
        'creating a key > binds a contractor key to an installer that has, or had, a job of the company',
        'creating a key > binds to no other company, and does not tell whether there is one',
        'the installers of a company > are those that its jobs are or were assigned to, once each, page by page',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'An operator may bind a key to any installer company, also before the first assignment.',
    provedBy: {
      [API_KEYS]: [
        'creating a key > by an operator binds it to any installer company before the first assignment, and to no other company',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'A replaced key goes on for 0 to 168 hours (24 by default), never longer than it would have.',
    provedBy: {
      [API_KEYS]: [
        'rotating a key > makes one of the same kind, and lets the old one go on for the overlap and no longer',
        'rotating a key > never lets the old one go on for longer than it would have',
        'rotating a key > is refused with an overlap of %d hours',
      ],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'A key that is revoked, expired or replaced is 409 `key_not_rotatable`.',
    provedBy: {
      [API_KEYS]: ['rotating a key > is refused for one that was replaced, is revoked or is expired'],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'Revoking a key again is 204.',
    provedBy: {
      [API_KEYS_ROUTES]: ['an API key > is revoked, again and again'],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'Every change by an owner is written to the audit trail (`GET /partner-api/audit-entries`) in its own transaction, with who, what, when and from where, never a secret; those of sessions by a call of the console.',
    provedBy: {
      [AUDIT]: [
        'a change > is recorded with who made it, from where, when and by which request',
        'a change > of a webhook is recorded once for each that took effect',
        'a change > that fails leaves no entry, and one whose entry can not be written is not made',
        'a change > of API keys is recorded, without the key',
        'a change > of a session is recorded by the one who keeps sessions',
      ],
      [AUDIT_ROUTES]: ['every change names its owner, the address and the browser to job-state'],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'Entries are kept for 400 days, user agents cut at 200 characters.',
    provedBy: {
      [RETENTION]: ['the audit trail > %s is kept for 400 days'],
      [AUDIT]: ['whoever asks > with a long user agent has its first 200 characters recorded'],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'A repeat without effect writes none.',
    provedBy: {
      [AUDIT]: ['a change > of a webhook is recorded once for each that took effect'],
    },
  },
  {
    at: 'Decisions / Console',
    says: 'Operators are no owners: they stand in it by name alone (`actor.membershipId` is null).',
    provedBy: {
      [OPERATORS]: [
        'companies > change in what is given alone, and a change that changes nothing leaves no entry',
      ],
    },
  },
];

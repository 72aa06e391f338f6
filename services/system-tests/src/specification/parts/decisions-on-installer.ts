import type { SpecificationEntry } from '../specification-entry.js';
import {
  API_VERSIONS,
  ASSIGNMENTS,
  BOUNDARIES,
  CANONICAL_JSON,
  FEED,
  FEED_CURSOR,
  HTTP_APP,
  IDEMPOTENCY,
  INPUT_FORMATS,
  INSTALLER_APP,
  JOB_CHANGES,
  JOB_DECISIONS,
  JOB_MESSAGES,
  JOB_NOTES,
  JOB_SERVICE,
  JOB_STATE_SETTINGS,
  LIST_JOB_FEED_ROUTE,
  LIST_TECHNICIANS_ROUTE,
  PLATFORM_FORMS,
  PROJECTION,
  RETENTION,
  SCHEDULES,
  SCHEDULE_MOVES,
  STATUS_EVENTS,
  STATUS_MOVES,
  SURFACES,
  TECHNICIANS,
  TECHNICIAN_CURSOR,
  TIME_ZONE_NAMES,
  VERSIONS,
} from '../test-files.js';

/** What the decisions say of the installer surface. */
export const DECISIONS_ON_INSTALLER: readonly SpecificationEntry[] = [
  {
    at: 'Decisions / Installer v1',
    says: 'Idempotency (all writes with a key): the key is bound to the operation (method and path) and the SHA-256 of the canonical body on first use, in the same transaction as the effect.',
    provedBy: {
      [SURFACES]: [
        'an Idempotency-Key > of $id gives the original answer again, byte for byte, and is kept for 45 days',
        'an Idempotency-Key > of $id gives 409 with another body or for another operation',
      ],
      [CANONICAL_JSON]: ['the canonical hash > is the same whatever the order of keys'],
      [JOB_CHANGES]: ['$kind > that fails half way leaves no trace and the key unused'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Every field of the body counts as it was sent, unknown ones too, but not their order: `Z` and `+00:00` make two bodies.',
    provedBy: {
      [CANONICAL_JSON]: ['the canonical hash > is the same whatever the order of keys'],
      [INPUT_FORMATS]: ['an idempotency key stands for every field of the body as it was sent'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: '2xx, 409 `stale_version` and 422 outcomes are recorded and replayed with `idempotency-replayed: true`; 400, 401, 403, 404, 429 and 5xx leave the key unused.',
    provedBy: {
      [SURFACES]: [
        'an Idempotency-Key > of $id gives the original answer again, byte for byte, and is kept for 45 days',
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
        'an Idempotency-Key > of $id is not used up by 400, 401, 403 and 404',
      ],
      [JOB_CHANGES]: ['$kind > that fails half way leaves no trace and the key unused'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'A second request while the first is running waits for it, or gets 409 `idempotency_in_progress` after 2 seconds.',
    provedBy: {
      [IDEMPOTENCY]: [
        'a request whose key is in use waits 2 seconds for the one that has it',
        'a key at the border of two partitions > is used once by two requests at once, when the clock of the second is %s',
      ],
      [STATUS_EVENTS]: ['a status event > whose key is held by a request that does not end is told so'],
      [JOB_CHANGES]: ['$kind > sent many times at once under one key has one effect and one answer'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Keys are kept 45 days (`idempotency-expires` header), longer than any accepted `occurredAt`.',
    provedBy: {
      [SURFACES]: [
        'an Idempotency-Key > of $id gives the original answer again, byte for byte, and is kept for 45 days',
      ],
      [STATUS_EVENTS]: ['a status event > with a key that has expired takes effect anew'],
      [RETENTION]: ['idempotency keys > give the first outcome for 45 days and then go: %s'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: "A replay of a write to a job that is no longer the caller's is 404, as every read of that job is.",
    provedBy: {
      [JOB_CHANGES]: [
        '$kind > with a known key is not found once the job has left the company, and has no second effect once it is back',
      ],
      [JOB_NOTES]: [
        'a note > repeated with its key after the job has left the installer is not found, and has no second effect once it is back',
      ],
      [JOB_DECISIONS]: [
        'a repeat of a write is 404 while the job is not the company’s, and the write stays recorded',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'This departs from Idempotency rules 1, since the response shows the customer.',
    requiresNothing: 'says why',
  },
  {
    at: 'Decisions / Installer v1',
    says: 'To refuse input that was accepted by mistake is no breaking change: it comes without a new version, and the changelog names it.',
    requiresNothing: 'says what a breaking change is',
  },
  {
    at: 'Decisions / Installer v1',
    says: 'The write stays recorded, so a replay after the job comes back shows the original response, and the same key never takes effect twice.',
    provedBy: {
      [JOB_CHANGES]: [
        '$kind > with a known key is not found once the job has left the company, and has no second effect once it is back',
      ],
      [JOB_NOTES]: [
        'a note > repeated with its key after the job has left the installer is not found, and has no second effect once it is back',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'What is recorded is dropped with its key.',
    provedBy: { [RETENTION]: ['idempotency keys > give the first outcome for 45 days and then go: %s'] },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'A missing or malformed key is 400.',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: '`version` starts at 1 and rises by exactly 1 with each change of the projection (status, schedule, assignments, readiness, documents, scope).',
    provedBy: {
      [BOUNDARIES]: [
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
        'a job > has its technicians replaced as a whole, in the order given',
        'a job > that is blocked for %s shows it until it goes on',
      ],
      [JOB_MESSAGES]: [
        'a document > is shown and told with the time of the platform, each version once',
        'another scope > is shown, and has to be acknowledged with the version that shows it',
        'another readiness > is shown and told when it differs from what is shown',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Status moves (anything else is 422; a move to the same status is 422):',
    provedBy: {
      [STATUS_MOVES]: ['a status move > from $from to $to is judged by the table'],
    },
  },
  {
    at: 'Decisions / Installer v1 / ASSIGNED',
    says: 'ASSIGNED | ACKNOWLEDGED, BLOCKED',
    provedBy: {
      [STATUS_MOVES]: ['a status move > from $from to $to is judged by the table'],
    },
  },
  {
    at: 'Decisions / Installer v1 / ACKNOWLEDGED',
    says: 'ACKNOWLEDGED | EN_ROUTE, ON_SITE, BLOCKED',
    provedBy: {
      [STATUS_MOVES]: ['a status move > from $from to $to is judged by the table'],
    },
  },
  {
    at: 'Decisions / Installer v1 / EN_ROUTE',
    says: 'EN_ROUTE | ON_SITE, BLOCKED',
    provedBy: {
      [STATUS_MOVES]: ['a status move > from $from to $to is judged by the table'],
    },
  },
  {
    at: 'Decisions / Installer v1 / ON_SITE',
    says: 'ON_SITE | IN_PROGRESS, EN_ROUTE, BLOCKED',
    provedBy: {
      [STATUS_MOVES]: ['a status move > from $from to $to is judged by the table'],
    },
  },
  {
    at: 'Decisions / Installer v1 / IN_PROGRESS',
    says: 'IN_PROGRESS | COMPLETE, EN_ROUTE, BLOCKED',
    provedBy: {
      [STATUS_MOVES]: ['a status move > from $from to $to is judged by the table'],
    },
  },
  {
    at: 'Decisions / Installer v1 / BLOCKED',
    says: 'BLOCKED | ACKNOWLEDGED, EN_ROUTE, ON_SITE, IN_PROGRESS',
    provedBy: {
      [STATUS_MOVES]: ['a status move > from $from to $to is judged by the table'],
    },
  },
  {
    at: 'Decisions / Installer v1 / COMPLETE, CANCELLED',
    says: 'COMPLETE, CANCELLED | none',
    provedBy: {
      [STATUS_MOVES]: ['a status move > from $from to $to is judged by the table'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: '`blockerCode` with another status than BLOCKED is 400.',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'CANCELLED comes only from the selling side.',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [JOB_MESSAGES]: ['a cancellation > is shown, told and kept in the history, once'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'BLOCKED adds its code to `readiness.blockerCodes`; leaving BLOCKED removes it.',
    provedBy: {
      [BOUNDARIES]: ['a job > that is blocked for %s shows it until it goes on'],
      [PROJECTION]: [
        'the projection > adds the code of a blocked job to the blockers of the selling side, once',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Schedule moves: UNSCHEDULED, TENTATIVE, CONFIRMED, CANCELLED to TENTATIVE or CONFIRMED (both times given, `endsAt` after `startsAt`, else 422); TENTATIVE and CONFIRMED to CANCELLED (times may be null and are cleared).',
    provedBy: {
      [SCHEDULE_MOVES]: [
        'a schedule move > from $from to $to is judged by the table',
        'a schedule move > to %s from %p to %p is not valid in %s',
        'a schedule move > to CANCELLED clears the times, whatever is given: %p to %p',
      ],
      [SURFACES]: [
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
      ],
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'A COMPLETE or CANCELLED job takes no more status events, schedules or assignments: each is 422 `transition_not_allowed` with an empty `allowed`.',
    provedBy: {
      [JOB_CHANGES]: [
        '$kind > of a job that is %s is refused, whatever else is wrong, and stays so under its key',
      ],
      [JOB_DECISIONS]: ['a closed job takes no more writes, and says so'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: "`timeZone` must be a zone or link of the tz database in its exact spelling (400), also in the platform's messages; `Factory` and names that only other lists have, such as `PST`, are refused.",
    provedBy: {
      [TIME_ZONE_NAMES]: [
        'a time zone name > takes %s',
        'a time zone name > refuses "%s"',
        'a time zone name > refuses "%s" and says that it is written %s',
      ],
      [PLATFORM_FORMS]: [
        'a message of the platform > with the fault “%s” is malformed, and the reason does not repeat what it holds',
      ],
      [INPUT_FORMATS]: [
        'a time zone > takes zones and links of the tz database in their exact spelling alone',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Assignments: an unknown, inactive or foreign `membershipId` is 422; the order given is kept.',
    provedBy: {
      [BOUNDARIES]: [
        'what belongs to another company > as a technician can not be assigned, in the same words as one that does not exist or is not active',
        'a job > has its technicians replaced as a whole, in the order given',
      ],
      [ASSIGNMENTS]: [
        'a set of technicians > with anybody who is unknown, of another company, inactive or no technician is refused in the same words',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Change feed: one gapless sequence per installer company, in commit order, starting at 1.',
    provedBy: {
      [FEED]: [
        'the feed > shows every reader 1 to N without a gap or repeat while 32 writers of 2 companies commit in any order',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Each entry holds the projection as of that change.',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a feed entry has its number, the instant of the change and the whole job as of the change',
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'No cursor: the newest `limit` entries, oldest of them first, `hasMore` false.',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a feed entry has its number, the instant of the change and the whole job as of the change',
      ],
      [FEED]: [
        'the feed > is read page by page, and without a place to start from it gives the newest entries, oldest of them first',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'With a cursor: entries after it.',
    provedBy: {
      [BOUNDARIES]: [
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
      ],
      [INSTALLER_APP]: [
        'GET /partner/v1/jobs > with a cursor is what stands after it, page by page, and then nothing with the cursor given',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: '`nextCursor` is null only when the company has no entry at all; with nothing new it is the cursor given.',
    provedBy: {
      [BOUNDARIES]: [
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
      ],
      [INSTALLER_APP]: ['GET /partner/v1/jobs > has no cursor only when the company has no entry at all'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: "Cursors are opaque and bound to the company; another company's or a tampered one is 400 `cursor_invalid`.",
    provedBy: {
      [BOUNDARIES]: ['what belongs to another company > never is in the feed, and its cursor is not valid'],
      [FEED_CURSOR]: [
        'a feed cursor > is invalid for another company, and when it was signed with another key: %j',
        'a feed cursor > is invalid with any one character changed, left out or added: %j',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: '`ETag`/`If-None-Match` gives 304 when nothing is new.',
    provedBy: {
      [BOUNDARIES]: [
        'a job > is answered with 304 to $id when nothing is new, and in full as soon as something is',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Additive: `from=start` reads from the oldest entry, and `view=snapshot` pages through all currently assigned jobs and ends in the cursor to tail from, so that a lost cursor is never a silent gap.',
    provedBy: {
      [BOUNDARIES]: [
        'a job > is found by a reader without a cursor: from the start of the feed, or in a snapshot that ends in the cursor to go on from',
      ],
      [LIST_JOB_FEED_ROUTE]: [
        'view=snapshot > pages through the jobs in order of their ids, all with the sequence at which it began, and ends in the cursor to tail from',
        'from=start > reads from the oldest entry on, page by page, even when each page is asked for with the first query',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'A snapshot: with a cursor `from` and `view` are ignored.',
    provedBy: {
      [LIST_JOB_FEED_ROUTE]: [
        'view=snapshot > goes on where its cursor stands when each page, and then the feed, is asked for with the first query',
      ],
      [INPUT_FORMATS]: ['a query > of the feed with a cursor goes on there, whatever from and view say'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Each entry has the `sequence` that the feed had when the snapshot began, so that every later change has a higher one.',
    provedBy: {
      [LIST_JOB_FEED_ROUTE]: [
        'view=snapshot > pages through the jobs in order of their ids, all with the sequence at which it began, and ends in the cursor to tail from',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'An accepted write makes a version also when it sets what is there already; `install.schedule_changed` is sent only when the schedule is another than before, and no event tells of technicians.',
    provedBy: {
      [JOB_DECISIONS]: ['a schedule or a set of technicians written again makes a version'],
      [ASSIGNMENTS]: [
        'a set of technicians > is stored, shown in the order given, and told to the platform; no event tells of it',
      ],
      [SCHEDULES]: [
        'a schedule > tells the company of every difference, and of none when the same one is set again',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'No change of a job has an earlier instant than the change before it, whatever the clocks of the replicas say.',
    provedBy: {
      [JOB_CHANGES]: [
        '$kind > never happens before the change before it, also when the clock of its replica is behind',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: '`GET /partner/v1/technicians` shows the active ones first, then by name in any case, then by id, and `apiVersion` beside them.',
    provedBy: {
      [JOB_SERVICE]: [
        'ListTechnicians > gives the technicians of the company alone, the active ones first, then by name in any case, then by id',
      ],
      [LIST_TECHNICIANS_ROUTE]: [
        'GET /partner/v1/technicians > answers 200 with the technicians of the company, in their order and with nothing else',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Additive: `limit` (1 to 2,000, default 2,000), `cursor`, `nextCursor` (null on the last page) and `hasMore`.',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [JOB_SERVICE]: [
        'ListTechnicians > gives 2,000 at most',
        'ListTechnicians > pages through all technicians, each once, in the order of the whole list',
      ],
      [LIST_TECHNICIANS_ROUTE]: [
        'GET /partner/v1/technicians > continues each page after the last technician of the page before, and has no cursor on the last page',
      ],
      [TECHNICIANS]: ['pages hold every technician once, in the order of the whole list'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'A page starts after the name that the cursor holds, so a change of one technician between two pages hides no other.',
    provedBy: {
      [JOB_SERVICE]: [
        'ListTechnicians > hides no other technician when the last one of a page is renamed, deactivated or deleted before the next',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: "The cursor is encrypted and bound to the company; another company's, the feed's or a tampered one is 400 `cursor_invalid`.",
    provedBy: {
      [TECHNICIAN_CURSOR]: [
        'a technician cursor > does not show the name',
        'a technician cursor > is invalid for another company, and when it was made with another key',
        'a technician cursor > is invalid with any one character changed, left out or added',
        'a technician cursor > is not one of the change feed, nor the other way round',
      ],
      [TECHNICIANS]: [
        'a cursor of another company or of the change feed, and a changed one, is 400 cursor_invalid',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: "A job that leaves a company (unassigned): its entries leave that company's feed (their numbers are not used again), the job is 404 there, and `install.job_unassigned` tells the company.",
    provedBy: {
      [BOUNDARIES]: [
        'what belongs to another company > was ours until it was given away: the job is 404, its entries have left the feed, and their numbers stay unused',
      ],
      [FEED]: ['the feed > never uses a withdrawn number again'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'Feed entries are kept for 400 days (a setting, at least 30 days).',
    provedBy: {
      [RETENTION]: ['the feed > is kept for 400 days, and nobody reads on over what is gone: %s'],
      [JOB_STATE_SETTINGS]: [
        'the settings of job-state > keep nothing for less than what builds on it needs',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'A cursor before the newest entry that was dropped is 400 `cursor_invalid`, never a silent gap; `from=start` reads from the oldest entry that is kept.',
    provedBy: {
      [RETENTION]: [
        'the feed > is kept for 400 days, and nobody reads on over what is gone: %s',
        'the feed > shows a reader all after the cursor or refuses it, at whatever moment the partition is dropped',
        'the feed > that is gone leaves a snapshot of every job, from which a reader goes on',
      ],
      [LIST_JOB_FEED_ROUTE]: ['a cursor whose entries are not kept any more is 400 cursor_invalid'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'A request may pin a version with `x-svc-api-version`; an unknown date is 400.',
    provedBy: {
      [SURFACES]: [
        'the version of the installer API > may be pinned for $id to the current date, and any other date is a 400',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: "The answer's header says which version was used, on errors too.",
    provedBy: {
      [SURFACES]: [
        'the version of the installer API > may be pinned for $id to the current date, and any other date is a 400',
      ],
      [HTTP_APP]: ['every answer > says the API version on a versioned surface, errors included'],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'A superseded version ends by the clock, at 00:00 UTC of the day in its `Sunset` header.',
    provedBy: {
      [API_VERSIONS]: [
        'a version through its life > is the only one, then announced beside its predecessor, then the only one again',
      ],
    },
  },
  {
    at: 'Decisions / Installer v1',
    says: 'From then on it is a 400 that names the day of its end and the versions that work.',
    provedBy: {
      [API_VERSIONS]: [
        'a version through its life > is the only one, then announced beside its predecessor, then the only one again',
      ],
      [VERSIONS]: [
        'a version that has ended > is refused from its last day on, by its end and the versions that work',
      ],
    },
  },
];

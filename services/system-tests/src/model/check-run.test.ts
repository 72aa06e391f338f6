import { describe, expect, test } from '@jest/globals';
import { checkRun, type Evidence } from './check-run.js';
import type { FinalState } from './final-state.js';
import type { Following, History, ReceivedResponse, Sending } from './history.js';
import { answer, movedRun, refusal, request, sending, shortRun, type ShortRun } from './testing/short-run.js';

type Change = (run: ShortRun) => Evidence;

/** With another history. */
function history(run: ShortRun, change: (before: History) => Partial<History>): Evidence {
  return { ...run.evidence, history: { ...run.evidence.history, ...change(run.evidence.history) } };
}

/** With other rows in the database. */
function final(run: ShortRun, change: (before: FinalState) => Partial<FinalState>): Evidence {
  return { ...run.evidence, final: { ...run.evidence.final, ...change(run.evidence.final) } };
}

/** With another answer to one write. */
function answered(id: number, change: (before: ReceivedResponse, run: ShortRun) => ReceivedResponse): Change {
  return (run) =>
    history(run, ({ sendings }) => ({
      sendings: sendings.map((one) =>
        one.id === id
          ? {
              ...one,
              tries: one.tries.map((last) => ({
                ...last,
                answer: last.answer === undefined ? undefined : change(last.answer, run),
              })),
            }
          : one,
      ),
    }));
}

/** With one more write. */
function more(make: (run: ShortRun) => Sending): Change {
  return (run) => history(run, ({ sendings }) => ({ sendings: [...sendings, make(run)] }));
}

/** With other pages for the reader from the start. */
function followed(change: (pages: Following['pages'], run: ShortRun) => Following['pages']): Change {
  return (run) =>
    history(run, ({ followings }) => ({
      followings: followings.map((one) =>
        one.begins === 'start' ? { ...one, pages: change(one.pages, run) } : one,
      ),
    }));
}

function pageOf(entries: readonly object[]): ReceivedResponse {
  return answer(200, { apiVersion: 'x', resources: entries, nextCursor: 'c', hasMore: false });
}

const acknowledgement = {
  kind: 'status',
  jobId: 'job_1',
  expectedVersion: 1,
  status: 'ACKNOWLEDGED',
  occurredAt: '2026-10-05T14:00:00.000Z',
  note: undefined,
  blockerCode: undefined,
} as const;

const FAULTS: readonly (readonly [what: string, change: Change, found: RegExp])[] = [
  [
    'a repeat with other bytes',
    answered(2, (before) => ({ ...before, text: before.text.replace('"HVAC"', '"SOLAR"') })),
    /the repeat is another answer/,
  ],
  [
    'a repeat that does not say so',
    answered(2, ({ status, text }) => ({
      status,
      text,
      headers: { 'x-request-id': 'r', 'idempotency-expires': 'x' },
    })),
    /none of them is said to be a repeat/,
  ],
  [
    'a first answer that says it is a repeat',
    answered(4, (before) => ({ ...before, headers: { ...before.headers, 'idempotency-replayed': 'true' } })),
    /nobody got the original/,
  ],
  [
    'a repeat of an appointment with 201',
    answered(8, (before) => ({ ...before, status: 201 })),
    /statuses of one outcome/,
  ],
  [
    'a repeat that is refused',
    answered(2, () => answer(403, refusal('permission_denied'))),
    /in place of the kept 201/,
  ],
  [
    'a repeat that is not found while the company has the job',
    answered(2, () => answer(404, refusal('not_found'))),
    /the company had the job all the time/,
  ],
  [
    'one key with the outcomes of two requests',
    more(({ installer }) =>
      sending(
        30,
        60,
        request(installer, { ...acknowledgement, expectedVersion: 7 }, 'k1'),
        answer(409, refusal('stale_version', { currentVersion: 2 })),
      ),
    ),
    /k1 has the outcomes of 2 requests/,
  ],
  [
    'a mismatch for a key that nobody has used',
    more(({ installer }) =>
      sending(
        30,
        60,
        request(installer, acknowledgement, 'k30'),
        answer(409, refusal('idempotency_mismatch')),
      ),
    ),
    /a mismatch with no other request of the key/,
  ],
  [
    'an answer without a request id',
    answered(5, ({ status, text }) => ({ status, text, headers: { 'idempotency-expires': 'x' } })),
    /no x-request-id/,
  ],
  ['a fault of the service', answered(4, () => answer(500, refusal('internal'))), /the service has a fault/],
  [
    'two writers that win',
    more(({ installer, job }) =>
      sending(
        30,
        12,
        request(installer, acknowledgement, 'k30'),
        answer(201, { apiVersion: 'x', resource: job(2) }),
      ),
    ),
    /two writes made version 2/,
  ],
  [
    'a version that nobody has made',
    (run) => final(run, ({ jobs }) => ({ jobs: jobs.map((job) => ({ ...job, version: 3 })) })),
    /version 3 was made 0 times/,
  ],
  [
    'an acknowledged write that is not there',
    (run) => final(run, ({ jobs }) => ({ jobs: jobs.map((job) => ({ ...job, version: 1 })) })),
    /was told version 2, which the job does not have/,
  ],
  [
    'a move that the table does not allow',
    (run) =>
      history(run, ({ sendings }) => ({
        sendings: sendings.map((one) =>
          one.id < 3
            ? { ...one, request: request(run.installer, { ...acknowledgement, status: 'COMPLETE' }, 'k1') }
            : one,
        ),
      })),
    /accepted against the rules \(transition_not_allowed\)/,
  ],
  [
    'a job shown otherwise than its writes make it',
    answered(1, (before) => ({ ...before, text: before.text.replace('"ready":true', '"ready":false') })),
    /is shown as .* in place of/,
  ],
  [
    'a version shown in two ways',
    (run) => final(run, ({ jobs }) => ({ jobs: jobs.map((job) => ({ ...job, projection: '{}' })) })),
    /version 2 is shown in two ways/,
  ],
  [
    'an assignment that is not in effect',
    (run) =>
      history(run, ({ assignments }) => ({
        assignments: [
          ...assignments,
          { messageId: 'm9', jobId: 'job_1', installerCompanyId: 'cmp_b', version: 9, sentAt: 5 },
        ],
      })),
    /the newest assignment, to cmp_b, is not in effect/,
  ],
  [
    'a stale version that names a wrong current one',
    answered(3, () => answer(409, refusal('stale_version', { currentVersion: 9 }))),
    /the company did not have the job at that version/,
  ],
  [
    'a stale version that was the current one',
    answered(3, () => answer(409, refusal('stale_version', { currentVersion: 1 }))),
    /the version named is the current one/,
  ],
  [
    'a refusal of what the rules allow',
    more(({ installer }) =>
      sending(
        30,
        60,
        request(installer, { ...acknowledgement, expectedVersion: 2, status: 'EN_ROUTE' }, 'k30'),
        answer(422, refusal('transition_not_allowed', { currentStatus: 'ACKNOWLEDGED', allowed: [] })),
      ),
    ),
    /the rules allow it/,
  ],
  [
    'a refusal that names other moves',
    answered(4, () =>
      answer(422, refusal('transition_not_allowed', { currentStatus: 'ACKNOWLEDGED', allowed: [] })),
    ),
    /from ACKNOWLEDGED one can go to EN_ROUTE, ON_SITE, BLOCKED/,
  ],
  [
    'a 404 for a job that the company has',
    more(({ installer }) =>
      sending(30, 60, request(installer, acknowledgement, 'k30'), answer(404, refusal('not_found'))),
    ),
    /the company had the job all the time/,
  ],
  [
    'a read that shows the past',
    (run) =>
      history(run, ({ reads }) => ({
        reads: reads.map((read) => ({
          ...read,
          answer: answer(200, { apiVersion: 'x', resource: run.job(1) }),
        })),
      })),
    /which was not the newest then/,
  ],
  [
    'a read that does not see the job',
    (run) =>
      history(run, ({ reads }) => ({
        reads: reads.map((read) => ({ ...read, answer: answer(404, refusal('not_found')) })),
      })),
    /the company had the job all the time/,
  ],
  [
    'a job shown to another installer',
    (run) =>
      history(run, ({ reads }) => ({ reads: reads.map((read) => ({ ...read, caller: run.stranger })) })),
    /shows cmp_b version 2 of job job_1 of another installer/,
  ],
  [
    'an entry that is missing in the feed',
    (run) => final(run, ({ feed }) => ({ feed: feed.slice(0, 1) })),
    /job job_1 version 2 is missing/,
  ],
  [
    'a number that was given away twice or not at all',
    (run) => final(run, ({ feedHeads }) => ({ feedHeads: feedHeads.map((head) => ({ ...head, last: 3 })) })),
    /its head is at 3 after 2 changes/,
  ],
  [
    'a page that leaves an entry out',
    followed((pages, { job }) =>
      pages.map((page) => ({
        ...page,
        answer: pageOf(
          page.path === '?from=start'
            ? [{ sequence: 2, changedAt: '2026-10-05T14:00:00.000Z', resource: job(2) }]
            : [],
        ),
      })),
    ),
    /the entries 1 are left out/,
  ],
  ['a page that repeats an entry', followed((pages) => [...pages, ...pages]), /comes after entry 2/],
  ['a page that ends too early', followed((pages) => pages.slice(1)), /it never saw the entries 1, 2/],
  [
    'an end of the feed before what was acknowledged',
    followed((pages, { job }) =>
      pages.map((page, place) => ({
        ...page,
        answer: pageOf([
          { sequence: place + 1, changedAt: '2026-10-05T14:00:00.000Z', resource: job(place === 0 ? 1 : 2) },
        ]),
      })),
    ),
    /ends at 1, though entry 2 had been acknowledged/,
  ],
  [
    'a 304 though something new had been acknowledged',
    followed((pages) => {
      const [first, second] = pages;
      if (first === undefined || second === undefined) return pages;
      const notModified = { ...first, answer: { ...first.answer, status: 304, text: '' } };
      return [{ ...notModified, sentAt: 70 }, ...pages];
    }),
    /ends at 0, though entry 2 had been acknowledged/,
  ],
  [
    'a picture that a reader has wrong in the end',
    (run) =>
      history(run, ({ followings }) => ({
        followings: followings.map((one) =>
          one.begins === 'snapshot' ? { ...one, pages: one.pages.slice(0, 1) } : one,
        ),
      })),
    /but the reader has/,
  ],
  [
    'a lead that is there twice',
    (run) =>
      final(run, ({ leads }) => ({
        leads: [...leads, ...leads.map((lead) => ({ ...lead, id: 'lead_2', full_name: 'Grace' }))],
      })),
    /it has the leads lead_1, lead_2/,
  ],
  [
    'a submission that is not recorded',
    (run) => final(run, () => ({ submissions: [] })),
    /#6 .* was recorded 0 times/,
  ],
  [
    'a submission that is recorded twice',
    (run) => final(run, ({ submissions }) => ({ submissions: [...submissions, ...submissions] })),
    /#6 .* was recorded 2 times/,
  ],
  [
    'a lead that has lost its first fields',
    (run) => final(run, ({ leads }) => ({ leads: leads.map((lead) => ({ ...lead, address: 'elsewhere' })) })),
    /has not kept the fields/,
  ],
  [
    'a merge told as a new lead',
    answered(6, () => answer(201, { status: 'created', leadId: 'lead_1' })),
    /#6 .* was merged into lead_1 and was told 201/,
  ],
  [
    'an appointment that is not there',
    (run) => final(run, () => ({ appointments: [] })),
    /was told of an appointment that is not there/,
  ],
  [
    'an appointment that nobody asked for',
    (run) =>
      final(run, ({ appointments }) => ({
        appointments: [...appointments, ...appointments.map((row) => ({ ...row, id: 'appt_2' }))],
      })),
    /an appointment that nobody was told of/,
  ],
  [
    'a 403 for a lead of the company',
    answered(7, () => answer(403, refusal('permission_denied'))),
    /#7 .*: 403/,
  ],
  [
    'a note that is there twice',
    (run) =>
      final(run, ({ jobs }) => ({ jobs: jobs.map((job) => ({ ...job, installer_note: 'a note\na note' })) })),
    /in the end they are "a note\\na note"/,
  ],
  [
    'a note that is lost',
    (run) => final(run, ({ jobs }) => ({ jobs: jobs.map((job) => ({ ...job, installer_note: null })) })),
    /in the end they are "" in place of "a note"/,
  ],
  [
    'a note refused for a length that the notes do not have',
    answered(9, () => answer(422, refusal('note_limit_reached'))),
    /the notes are not that long/,
  ],
  [
    'a status event that is not in the history',
    (run) => final(run, () => ({ statusEvents: [] })),
    /history of statuses: 1 times missing/,
  ],
  [
    'an event that is there twice',
    (run) => final(run, ({ events }) => ({ events: [...events, ...events.slice(1, 2)] })),
    /events: 1 times too often/,
  ],
  [
    'an event without its delivery',
    (run) => final(run, ({ deliveries }) => ({ deliveries: deliveries.slice(1) })),
    /deliveries of \/a: 1 times missing/,
  ],
  [
    'a webhook that has not arrived',
    (run) => ({ ...run.evidence, webhooks: run.evidence.webhooks.slice(1) }),
    /webhooks at \/a: 1 times missing/,
  ],
  [
    'a webhook with other bytes',
    (run) => ({
      ...run.evidence,
      webhooks: run.evidence.webhooks.map((webhook) => ({ ...webhook, body: Buffer.from('{}') })),
    }),
    /has other bytes than its event/,
  ],
  [
    'a message that the platform has not heard',
    (run) => history(run, ({ heard }) => ({ heard: heard.slice(1) })),
    /messages to the platform: 1 times missing/,
  ],
  [
    'a message that the platform has heard under two ids',
    (run) =>
      history(run, ({ heard }) => ({
        heard: [...heard, ...heard.slice(0, 1).map((one) => ({ ...one, messageId: 'm8' }))],
      })),
    /messages to the platform: 1 times too often/,
  ],
  [
    "another company's data in an answer",
    (run) =>
      history(run, ({ reads }) => ({
        reads: reads.map((read) => ({
          ...read,
          caller: run.stranger,
          what: { kind: 'trespass', status: 401 },
          answer: answer(401, { error: run.jobMarker }),
        })),
      })),
    /shows cmp_b what only .* may see/,
  ],
  [
    'what no partner may see in an answer',
    (run) => answered(5, (before) => ({ ...before, headers: { ...before.headers, etag: run.canary } }))(run),
    /holds canary/,
  ],
  [
    'what no log may hold in a log',
    (run) => ({ ...run.evidence, logs: new Map([['job-state', `{"email":"${run.canary}"}`]]) }),
    /the log of job-state holds canary/,
  ],
  [
    "a customer's name in a log",
    (run) => ({ ...run.evidence, logs: new Map([['job-state', `{"name":"${run.jobMarker}"}`]]) }),
    /the log of job-state holds mk-/,
  ],
];

const FAULTS_OF_MOVES: readonly (readonly [what: string, change: Change, found: RegExp])[] = [
  [
    'a repeat that shows a job which has left the company',
    answered(40, (_, run) => ({
      ...answer(201, { apiVersion: '2026-08-26', resource: run.job(2) }),
      headers: { 'x-request-id': 'r', 'idempotency-expires': 'x', 'idempotency-replayed': 'true' },
    })),
    /#40 .* shows cmp_a what only .* may see/,
  ],
  [
    'notes of the installer before in the end',
    (run) =>
      final(run, ({ jobs }) => ({
        jobs: jobs.map((job) => ({ ...job, installer_note: 'a note\nanother note' })),
      })),
    /in the end they are "a note\\nanother note" in place of "another note"/,
  ],
  [
    'notes of the installer before in the answer to a note',
    answered(41, (before) => ({
      ...before,
      text: before.text.replace('another note', 'a note\\nanother note'),
    })),
    /its own note is not the last after what was there/,
  ],
  [
    'notes of the installer before in a list of jobs',
    (run) =>
      history(run, ({ reads }) => ({
        reads: reads.map((read) =>
          read.id === 42
            ? {
                ...read,
                answer: { ...read.answer, text: read.answer.text.replace('another note', 'a note') },
              }
            : read,
        ),
      })),
    /list #42 shows "a note", which were the installer's notes at no time then/,
  ],
  [
    'a list of jobs without a note that was acknowledged',
    (run) =>
      history(run, ({ reads }) => ({
        reads: reads.map((read) =>
          read.id === 42
            ? {
                ...read,
                answer: { ...read.answer, text: read.answer.text.replace('"another note"', 'null') },
              }
            : read,
        ),
      })),
    /list #42 shows "", which were the installer's notes at no time then/,
  ],
  [
    'a note that the platform has not heard',
    (run) => history(run, ({ heard }) => ({ heard: heard.filter(({ messageId }) => messageId !== 'm5') })),
    /the platform heard 0 times of "a note"/,
  ],
  [
    'a note that the platform has heard twice',
    (run) =>
      history(run, ({ heard }) => ({
        heard: [
          ...heard,
          ...heard
            .filter(({ messageId }) => messageId === 'm9')
            .map((message) => ({ ...message, messageId: 'm10' })),
        ],
      })),
    /the platform heard 2 times of "another note"/,
  ],
];

describe('the check of a run', () => {
  test('finds nothing in a run that is right', () => {
    expect(checkRun(shortRun().evidence)).toEqual([]);
  });

  test.each(FAULTS)('finds %s', (_, change, found) => {
    expect(checkRun(change(shortRun())).join('\n')).toMatch(found);
  });

  test.each([
    ['not_found', 404],
    ['idempotency_mismatch', 409],
  ])('finds nothing in a key of another installer that gets %s in place of a repeat', (code, status) => {
    const change = more(({ contractor }) => {
      const bound = { ...contractor, boundCompanyId: 'cmp_b' };
      return sending(
        30,
        60,
        request(bound, { kind: 'note', jobId: 'job_1', note: 'a note' }, 'k9'),
        answer(status, refusal(code)),
      );
    });
    expect(checkRun(change(shortRun()))).toEqual([]);
  });

  test('finds nothing in a repeat that the same platform message has made', () => {
    const run = shortRun();
    const repeatedMessages = history(run, ({ heard }) => ({ heard: [...heard, ...heard] }));
    expect(checkRun(repeatedMessages)).toEqual([]);
  });

  test('finds nothing in a run whose job moves on to another installer', () => {
    expect(checkRun(movedRun().evidence)).toEqual([]);
  });

  test.each(FAULTS_OF_MOVES)('finds %s', (_, change, found) => {
    expect(checkRun(change(movedRun())).join('\n')).toMatch(found);
  });

  test('finds nothing in a write whose answer got lost and whose repeat came after the job had moved on', () => {
    const lost = history(movedRun(), ({ sendings }) => ({
      sendings: sendings.flatMap((one) =>
        one.id === 2
          ? []
          : [
              one.id === 1
                ? {
                    ...one,
                    tries: [
                      { sentAt: 10, endedAt: 20, answer: undefined },
                      { sentAt: 130, endedAt: 140, answer: answer(404, refusal('not_found')) },
                    ],
                  }
                : one,
            ],
      ),
    }));
    expect(checkRun(lost)).toEqual([]);
  });
});

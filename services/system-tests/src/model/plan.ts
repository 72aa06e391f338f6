import { BLOCKER_CODES, REPORTABLE_STATUSES } from '@partner/proto-contracts/resources/job/job';
import { either, fc, weighted } from '@partner/test-kit/fast-check';

/** A value that an arbitrary draws. */
type Drawn<Drawing> = Drawing extends fc.Arbitrary<infer Value> ? Value : never;

const index = fc.nat({ max: 1_000 });
const client = fc.nat({ max: 1 });

/** `unready`: the seller has reported a separate blocker. */
const plannedJob = fc.record({ seller: client, installer: client, unready: fc.boolean() });
export type PlannedJob = Drawn<typeof plannedJob>;

/** Chooses among the jobs of the caller, or among all jobs and an unknown one. Numbers count modulo the choices. */
const job = fc.record({ own: weighted([6, true], [1, false]), index });
export type JobChoice = Drawn<typeof job>;

/** A number is one of a few keys that all companies use. `none` becomes `fresh` for a request that needs a key. */
const key = either<'fresh' | 'none' | number>(
  [4, weighted([5, 'fresh'], [1, 'none'])],
  [1, fc.nat({ max: 7 })],
);

const statusChange = fc.record({
  change: fc.constant('status' as const),
  /** Chooses among the allowed moves. */
  allowed: weighted([6, true], [1, false]),
  to: fc.nat({ max: 10 * REPORTABLE_STATUSES.length }),
  blocker: fc.constantFrom(...BLOCKER_CODES),
  note: fc.boolean(),
  fault: weighted([20, 'none'], [1, 'no blocker'], [1, 'too old'], [1, 'too early']),
});
const scheduleChange = fc.record({
  change: fc.constant('schedule' as const),
  status: weighted([1, 'TENTATIVE'], [1, 'CONFIRMED'], [1, 'CANCELLED']),
  times: weighted([4, 'given'], [1, 'missing'], [1, 'end first']),
  hours: fc.nat({ max: 3 }),
  timeZone: weighted([5, 'America/Chicago'], [5, 'America/Denver'], [1, 'Mars/Olympus']),
});
const assignmentsChange = fc.record({
  change: fc.constant('assignments' as const),
  members: fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 3 }),
  wrong: weighted([9, 'none'], [1, 'inactive'], [1, 'foreign'], [1, 'unknown']),
});

/** The change of a job that a request asks for. */
export type JobChange = Drawn<typeof statusChange | typeof scheduleChange | typeof assignmentsChange>;
const change = either<JobChange>([6, statusChange], [2, scheduleChange], [2, assignmentsChange]);

const changeStep = fc.record({
  step: fc.constant('change' as const),
  client,
  job,
  change,
  version: weighted([12, 'current'], [1, 'previous'], [1, 'huge']),
  key,
});
const noteStep = fc.record({
  step: fc.constant('note' as const),
  client,
  bound: client,
  job,
  length: weighted([3, 'short'], [3, 'long'], [1, 'too long']),
  key,
});
/** An earlier request again, with its fields reordered, or its key and body for another job. */
const againStep = fc.record({
  step: fc.constant('again' as const),
  index,
  elsewhere: fc.option(job, { nil: undefined, freq: 3 }),
});
const readStep = fc.record({
  step: fc.constant('read' as const),
  client,
  what: weighted([1, 'job'], [1, 'technicians'], [1, 'newest'], [1, 'snapshot'], [1, 'contractor jobs']),
  job,
  count: weighted([1, 1], [1, 3], [1, 100]),
});
/** The platform gives a job to a company; `late`: with an older version than before. */
const assignStep = fc.record({
  step: fc.constant('assign' as const),
  job: index,
  client,
  form: weighted([2, 'once'], [1, 'twice'], [1, 'late']),
});

/** One request of a client. */
export type Step = Drawn<
  typeof changeStep | typeof noteStep | typeof againStep | typeof readStep | typeof assignStep
>;

const manyTimes = { minLength: 2, maxLength: 5, size: 'max' } as const;

/** Concurrent changes of one job at the same version or notes on one job. */
const race = fc.record({ client, index }).chain(({ client: racer, index: place }) => {
  const raced = { client: racer, job: { own: true, index: place }, key: 'fresh' } as const;
  return fc.oneof(
    fc
      .array(change, manyTimes)
      .map((changes) =>
        changes.map((one): Step => ({ ...raced, step: 'change', change: one, version: 'current' })),
      ),
    fc
      .array(client, manyTimes)
      .map((sellers) => sellers.map((bound): Step => ({ ...raced, step: 'note', bound, length: 'short' }))),
  );
});

const write = either<Step>([8, changeStep], [3, noteStep], [3, againStep]);
const mixed = fc.array(either<Step>([8, write], [3, readStep], [1, assignStep]), {
  minLength: 1,
  maxLength: 5,
  size: 'max',
});

/** Requests that are sent at once. */
const burst = fc.record({
  steps: either<readonly Step[]>([3, mixed], [1, race]),
  /** How often each write is sent at once. */
  copies: weighted([4, 1], [1, 2]),
  /** A process that is killed while the requests are in flight, and started again. */
  kill: weighted(
    [200, undefined],
    [2, 'job-state'],
    [2, 'job-state-2'],
    [1, 'installer-gateway'],
    [1, 'inbound-gateway'],
  ),
});
export type Burst = Drawn<typeof burst>;

/** Plans of runs with up to some hundred requests: bursts of concurrent requests, each after the end of the one before. */
export const planArbitrary = fc.noBias(
  fc.record({
    jobs: fc.array(plannedJob, { minLength: 1, maxLength: 6, size: 'max' }),
    bursts: fc.array(burst, { maxLength: 60, size: 'max' }),
  }),
);
export type Plan = Drawn<typeof planArbitrary>;

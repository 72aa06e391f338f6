import { BLOCKER_CODES, REPORTABLE_STATUSES } from '@partner/proto-contracts/resources/job/job';
import { fc } from '@partner/test-kit/fast-check';

export interface PlannedJob {
  readonly seller: number;
  /** The installer company that has it at first. */
  readonly installer: number;
  /** The seller has reported a separate blocker. */
  readonly unready: boolean;
}

/** `pool`: one of a few keys that all companies use. `none` becomes `fresh` for a request that needs a key. */
type KeyChoice = 'fresh' | 'none' | number;

/** Chooses among the jobs of the caller, or among all jobs and an unknown one. Numbers count modulo the choices. */
export interface JobChoice {
  readonly own: boolean;
  readonly index: number;
}

/** The change of a job that a request asks for. */
export type JobChange =
  | {
      readonly change: 'status';
      /** Chooses among the allowed moves. */
      readonly allowed: boolean;
      readonly to: number;
      readonly blocker: (typeof BLOCKER_CODES)[number];
      readonly note: boolean;
      readonly fault: 'none' | 'no blocker' | 'too old' | 'too early';
    }
  | {
      readonly change: 'schedule';
      readonly status: 'TENTATIVE' | 'CONFIRMED' | 'CANCELLED';
      readonly times: 'given' | 'missing' | 'end first';
      readonly hours: number;
      readonly timeZone: 'America/Chicago' | 'America/Denver' | 'Mars/Olympus';
    }
  | {
      readonly change: 'assignments';
      readonly members: readonly number[];
      readonly wrong: 'none' | 'inactive' | 'foreign' | 'unknown';
    };

/** One request of a client. */
export type Step =
  | {
      readonly step: 'change';
      readonly client: number;
      readonly job: JobChoice;
      readonly change: JobChange;
      readonly version: 'current' | 'previous' | 'huge';
      readonly key: KeyChoice;
    }
  | {
      readonly step: 'note';
      readonly client: number;
      readonly bound: number;
      readonly job: JobChoice;
      readonly length: 'short' | 'long' | 'too long';
      readonly key: KeyChoice;
    }
  /** An earlier request again, with its fields reordered, or its key and body for another job. */
  | { readonly step: 'again'; readonly index: number; readonly elsewhere: JobChoice | undefined }
  | {
      readonly step: 'read';
      readonly client: number;
      readonly what: 'job' | 'technicians' | 'newest' | 'snapshot' | 'contractor jobs';
      readonly job: JobChoice;
      readonly count: number;
    }
  /** The platform gives a job to a company; `late`: with an older version than before. */
  | {
      readonly step: 'assign';
      readonly job: number;
      readonly client: number;
      readonly form: 'once' | 'twice' | 'late';
    };

/** Requests that are sent at once. */
export interface Burst {
  readonly steps: readonly Step[];
  /** How often each write is sent at once. */
  readonly copies: number;
  /** A process that is killed while the requests are in flight, and started again. */
  readonly kill: 'job-state' | 'job-state-2' | 'installer-gateway' | 'inbound-gateway' | undefined;
}

/** A run: bursts of concurrent requests, each after the end of the one before. */
export interface Plan {
  readonly jobs: readonly PlannedJob[];
  readonly bursts: readonly Burst[];
}

const index = fc.nat({ max: 1_000 });
const client = fc.nat({ max: 1 });

/** Chooses each value as often as its weight says. */
function weighted<Value>(
  ...choices: readonly (readonly [weight: number, value: Value])[]
): fc.Arbitrary<Value> {
  return fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
}

const job: fc.Arbitrary<JobChoice> = fc.record({ own: weighted([6, true], [1, false]), index });

const key: fc.Arbitrary<KeyChoice> = fc.oneof(
  { weight: 4, arbitrary: weighted<KeyChoice>([5, 'fresh'], [1, 'none']) },
  { weight: 1, arbitrary: fc.nat({ max: 7 }) },
);

const change: fc.Arbitrary<JobChange> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      change: fc.constant('status' as const),
      allowed: weighted([6, true], [1, false]),
      to: fc.nat({ max: 10 * REPORTABLE_STATUSES.length }),
      blocker: fc.constantFrom(...BLOCKER_CODES),
      note: fc.boolean(),
      fault: weighted<'none' | 'no blocker' | 'too old' | 'too early'>(
        [20, 'none'],
        [1, 'no blocker'],
        [1, 'too old'],
        [1, 'too early'],
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      change: fc.constant('schedule' as const),
      status: fc.constantFrom('TENTATIVE', 'CONFIRMED', 'CANCELLED'),
      times: weighted<'given' | 'missing' | 'end first'>([4, 'given'], [1, 'missing'], [1, 'end first']),
      hours: fc.nat({ max: 3 }),
      timeZone: weighted<'America/Chicago' | 'America/Denver' | 'Mars/Olympus'>(
        [5, 'America/Chicago'],
        [5, 'America/Denver'],
        [1, 'Mars/Olympus'],
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      change: fc.constant('assignments' as const),
      members: fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 3 }),
      wrong: weighted<'none' | 'inactive' | 'foreign' | 'unknown'>(
        [9, 'none'],
        [1, 'inactive'],
        [1, 'foreign'],
        [1, 'unknown'],
      ),
    }),
  },
);

const write: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      step: fc.constant('change' as const),
      client,
      job,
      change,
      version: weighted<'current' | 'previous' | 'huge'>([12, 'current'], [1, 'previous'], [1, 'huge']),
      key,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant('note' as const),
      client,
      bound: client,
      job,
      length: weighted<'short' | 'long' | 'too long'>([3, 'short'], [3, 'long'], [1, 'too long']),
      key,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant('again' as const),
      index,
      elsewhere: fc.option(job, { nil: undefined, freq: 3 }),
    }),
  },
);

const read: fc.Arbitrary<Step> = fc.record({
  step: fc.constant('read' as const),
  client,
  what: fc.constantFrom('job', 'technicians', 'newest', 'snapshot', 'contractor jobs'),
  job,
  count: fc.constantFrom(1, 3, 100),
});

const assign: fc.Arbitrary<Step> = fc.record({
  step: fc.constant('assign' as const),
  job: index,
  client,
  form: weighted<'once' | 'twice' | 'late'>([2, 'once'], [1, 'twice'], [1, 'late']),
});

const manyTimes = { minLength: 2, maxLength: 5, size: 'max' } as const;

/** Concurrent changes of one job at the same version or notes on one job. */
const race: fc.Arbitrary<readonly Step[]> = fc
  .record({ client, index })
  .chain(({ client: racer, index: place }) => {
    const raced = { own: true, index: place };
    return fc.oneof(
      fc.array(change, manyTimes).map((changes) =>
        changes.map((one): Step => ({
          step: 'change',
          client: racer,
          job: raced,
          change: one,
          version: 'current',
          key: 'fresh',
        })),
      ),
      fc.array(client, manyTimes).map(([bound = 0, ...others]) =>
        [bound, ...others].map((): Step => ({
          step: 'note',
          client: racer,
          bound,
          job: raced,
          length: 'short',
          key: 'fresh',
        })),
      ),
    );
  });

const mixed = fc.array(
  fc.oneof({ weight: 8, arbitrary: write }, { weight: 3, arbitrary: read }, { weight: 1, arbitrary: assign }),
  { minLength: 1, maxLength: 5, size: 'max' },
);

const burst: fc.Arbitrary<Burst> = fc.record({
  steps: fc.oneof({ weight: 3, arbitrary: mixed }, { weight: 1, arbitrary: race }),
  copies: weighted([4, 1], [1, 2]),
  kill: weighted<Burst['kill']>(
    [200, undefined],
    [2, 'job-state'],
    [2, 'job-state-2'],
    [1, 'installer-gateway'],
    [1, 'inbound-gateway'],
  ),
});

/** Plans of runs with up to some hundred requests. */
export const planArbitrary: fc.Arbitrary<Plan> = fc.noBias(
  fc.record({
    jobs: fc.array(fc.record({ seller: client, installer: client, unready: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
      size: 'max',
    }),
    bursts: fc.array(burst, { maxLength: 60, size: 'max' }),
  }),
);

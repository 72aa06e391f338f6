import { BLOCKER_CODES, REPORTABLE_STATUSES } from '@partner/proto-contracts/public-api/installer-job';
import { fc } from '@partner/test-kit/fast-check';

/**
 * What the clients of one run do: data that can be printed, generated again from a seed, and made smaller piece by piece.
 * Numbers choose among what there is when the step's turn comes, modulo how many there are.
 */
export interface Plan {
  readonly jobs: readonly PlannedJob[];
  /** Steps before all others, one after another: each finds what the one before has left. */
  readonly opening: readonly OpeningStep[];
  /** The clients of the installer companies, two for each. */
  readonly installers: readonly [InstallerStep[], InstallerStep[], InstallerStep[], InstallerStep[]];
  /** The clients with general keys, one for each sales company. */
  readonly generals: readonly [GeneralStep[], GeneralStep[]];
  /** The clients with installer-contractor keys, one for each sales company. */
  readonly contractors: readonly [ContractorStep[], ContractorStep[]];
  readonly followers: readonly PlannedFollower[];
  readonly assignments: readonly PlannedAssignment[];
  readonly kills: readonly PlannedKill[];
}

export interface PlannedJob {
  readonly seller: number;
  /** Null: nobody has it at first. */
  readonly installer: number | null;
  /** Whether the selling side has reported a blocker of its own. */
  readonly unready: boolean;
  /** Whether its notes are nearly as long as they may be. */
  readonly manyNotes: boolean;
  /** Whether it belongs to a project at an address that leads come in for. */
  readonly withProject: boolean;
}

/** Among the jobs that the company has as far as the client knows, or among all and one that does not exist. */
export interface JobChoice {
  readonly own: boolean;
  readonly index: number;
}

/** `pool`: one of a few texts that all companies use. `earlier`: that of a request that the company has sent before. */
export type KeyChoice =
  | { readonly from: 'fresh' }
  | { readonly from: 'pool'; readonly index: number }
  | { readonly from: 'earlier'; readonly index: number }
  | { readonly from: 'none' };

/** The version that the writer names, seen from the newest that any client of the run has seen. */
export type VersionChoice = 'current' | 'previous' | 'next' | 'first' | 'huge';

/** A change of a job. */
export type JobChange =
  | {
      readonly change: 'status';
      /** Whether it is chosen among the moves that the status seen last allows. */
      readonly allowed: boolean;
      readonly to: number;
      readonly blocker: (typeof BLOCKER_CODES)[number];
      readonly note: boolean;
      readonly fault: 'none' | 'blocker missing' | 'blocker too many' | 'too old' | 'too early';
    }
  | {
      readonly change: 'schedule';
      readonly status: 'TENTATIVE' | 'CONFIRMED' | 'CANCELLED';
      readonly times: 'given' | 'missing' | 'end first';
      readonly hours: number;
      readonly zone: 'America/Chicago' | 'America/Denver' | 'Mars/Olympus';
    }
  | {
      readonly change: 'assignments';
      /** Among the company's own; see `wrong`. */
      readonly members: readonly number[];
      readonly wrong: 'none' | 'inactive' | 'foreign' | 'unknown';
    };

export interface JobWriteStep {
  readonly step: 'write job';
  readonly job: JobChoice;
  readonly change: JobChange;
  readonly version: VersionChoice;
  readonly key: KeyChoice;
  /** How many times it is sent at once. */
  readonly copies: number;
  /** Whether the body holds fields that the service does not know, with what must not be seen. */
  readonly unknownFields: boolean;
}

/** Writers that all name the same version, at once. */
export interface RaceStep {
  readonly step: 'race';
  readonly job: JobChoice;
  readonly changes: readonly JobChange[];
}

/** Writes to jobs next to one another, at once: commits that overlap, in one feed. */
export interface SweepStep {
  readonly step: 'sweep';
  readonly first: number;
  readonly changes: readonly JobChange[];
}

/** The same request as one that the company has sent before, or the same key and body for another job. */
export interface ReplayStep {
  readonly step: 'replay';
  readonly index: number;
  readonly copies: number;
  /** Whether the same body is written with its fields in another order. */
  readonly reordered: boolean;
  /** The job that the same key and body are sent to in place of the first one; undefined: the same. */
  readonly elsewhere: JobChoice | undefined;
}

export type InstallerStep =
  | JobWriteStep
  | RaceStep
  | SweepStep
  | ReplayStep
  | { readonly step: 'read job'; readonly job: JobChoice }
  | { readonly step: 'read technicians' }
  | { readonly step: 'read latest'; readonly limit: number }
  | { readonly step: 'trespass'; readonly job: JobChoice };

export type GeneralStep =
  | {
      readonly step: 'lead';
      readonly place: number;
      readonly spelling: number;
      readonly key: KeyChoice;
      readonly copies: number;
      readonly unknownFields: boolean;
    }
  | {
      readonly step: 'appointment';
      readonly lead: { readonly whose: 'own' | 'foreign' | 'unknown'; readonly index: number };
      readonly project: 'none' | 'own' | 'foreign';
      readonly times: 'given' | 'end first';
      readonly hours: number;
      readonly notes: boolean;
      readonly key: KeyChoice;
      readonly copies: number;
    }
  | ReplayStep
  | { readonly step: 'trespass'; readonly job: JobChoice };

export type ContractorStep =
  | {
      readonly step: 'note';
      readonly job: JobChoice;
      /** Which installer company the key is bound to. */
      readonly bound: number;
      readonly length: 'short' | 'two lines' | 'long' | 'too long';
      readonly key: KeyChoice;
      readonly copies: number;
    }
  | { readonly step: 'list jobs'; readonly bound: number; readonly take: number }
  | (ReplayStep & { readonly bound: number })
  | { readonly step: 'trespass'; readonly job: JobChoice };

/** A step of the client at a place among those of its kind. */
export type OpeningStep = (
  | { readonly client: 'installer'; readonly place: number; readonly does: InstallerStep }
  | { readonly client: 'general'; readonly place: number; readonly does: GeneralStep }
  | { readonly client: 'contractor'; readonly place: number; readonly does: ContractorStep }
) & {
  /** The process that is killed before, and started again once a request of the step has got no certain answer. */
  readonly without?: PlannedKill['victim'];
};

/** A reader of a company's change feed that begins once so many requests have been answered, and reads to the end. */
export interface PlannedFollower {
  readonly company: number;
  readonly begins: 'start' | 'snapshot' | 'latest';
  readonly limit: number;
  readonly after: number;
}

/** The platform gives a job to an installer company once so many requests have been answered. */
export interface PlannedAssignment {
  readonly job: number;
  readonly installer: number;
  readonly after: number;
  /** `late`: it tells of an assignment that is older than the one before. */
  readonly form: 'once' | 'twice' | 'late';
}

/** Kill -9 and start again of one process once so many requests have been answered. */
export interface PlannedKill {
  readonly victim: 'job-state' | 'job-state-2' | 'installer-gateway' | 'inbound-gateway';
  readonly after: number;
}

/** The most that a step of each client can be; about half of it is usual. */
const STEPS = 36;
const MANY = 1_000;

const index = fc.nat({ max: MANY });
const copies = fc.constantFrom(1, 1, 1, 1, 2, 3);

const jobChoice: fc.Arbitrary<JobChoice> = fc.record({
  own: fc.constantFrom(true, true, true, true, true, true, false),
  index,
});

const requiredKey: fc.Arbitrary<KeyChoice> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ from: 'fresh' } as const) },
  { weight: 3, arbitrary: fc.record({ from: fc.constant('pool' as const), index: fc.nat({ max: 11 }) }) },
  { weight: 1, arbitrary: fc.record({ from: fc.constant('earlier' as const), index }) },
);
const optionalKey: fc.Arbitrary<KeyChoice> = fc.oneof(
  { weight: 3, arbitrary: requiredKey },
  { weight: 1, arbitrary: fc.constant({ from: 'none' } as const) },
);

const jobChange: fc.Arbitrary<JobChange> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      change: fc.constant('status' as const),
      allowed: fc.constantFrom(true, true, true, true, false),
      to: fc.nat({ max: 10 * REPORTABLE_STATUSES.length }),
      blocker: fc.constantFrom(...BLOCKER_CODES),
      note: fc.boolean(),
      fault: fc.constantFrom(
        ...Array.from({ length: 26 }, () => 'none' as const),
        'blocker missing' as const,
        'blocker too many' as const,
        'too old' as const,
        'too early' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      change: fc.constant('schedule' as const),
      status: fc.constantFrom('TENTATIVE' as const, 'CONFIRMED' as const, 'CANCELLED' as const),
      times: fc.constantFrom('given' as const, 'given' as const, 'missing' as const, 'end first' as const),
      hours: fc.nat({ max: 3 }),
      zone: fc.constantFrom(
        ...Array.from({ length: 5 }, () => 'America/Chicago' as const),
        ...Array.from({ length: 5 }, () => 'America/Denver' as const),
        'Mars/Olympus' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      change: fc.constant('assignments' as const),
      members: fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 3 }),
      wrong: fc.constantFrom(
        ...Array.from({ length: 9 }, () => 'none' as const),
        'inactive' as const,
        'foreign' as const,
        'unknown' as const,
      ),
    }),
  },
);

const replay = fc.record({
  step: fc.constant('replay' as const),
  index,
  copies,
  reordered: fc.boolean(),
  elsewhere: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: jobChoice }),
});
const trespass = fc.record({ step: fc.constant('trespass' as const), job: jobChoice });

const installerStep: fc.Arbitrary<InstallerStep> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      step: fc.constant('write job' as const),
      job: jobChoice,
      change: jobChange,
      version: fc.constantFrom(
        ...Array.from({ length: 12 }, () => 'current' as const),
        'previous' as const,
        'next' as const,
        'first' as const,
        'huge' as const,
      ),
      key: requiredKey,
      copies,
      unknownFields: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant('race' as const),
      job: jobChoice,
      changes: fc.array(jobChange, { minLength: 2, maxLength: 5, size: 'max' }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant('sweep' as const),
      first: index,
      changes: fc.array(jobChange, { minLength: 2, maxLength: 5, size: 'max' }),
    }),
  },
  { weight: 3, arbitrary: replay },
  { weight: 2, arbitrary: fc.record({ step: fc.constant('read job' as const), job: jobChoice }) },
  { weight: 1, arbitrary: fc.constant({ step: 'read technicians' } as const) },
  {
    weight: 1,
    arbitrary: fc.record({ step: fc.constant('read latest' as const), limit: fc.constantFrom(1, 3, 100) }),
  },
  { weight: 1, arbitrary: trespass },
);

const generalStep: fc.Arbitrary<GeneralStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      step: fc.constant('lead' as const),
      place: index,
      spelling: index,
      key: optionalKey,
      copies,
      unknownFields: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant('appointment' as const),
      lead: fc.record({
        whose: fc.constantFrom(
          'own' as const,
          'own' as const,
          'own' as const,
          'own' as const,
          'foreign' as const,
          'unknown' as const,
        ),
        index,
      }),
      project: fc.constantFrom('none' as const, 'none' as const, 'own' as const, 'foreign' as const),
      times: fc.constantFrom('given' as const, 'given' as const, 'given' as const, 'end first' as const),
      hours: fc.nat({ max: 5 }),
      notes: fc.boolean(),
      key: requiredKey,
      copies,
    }),
  },
  { weight: 2, arbitrary: replay },
  { weight: 1, arbitrary: trespass },
);

const bound = fc.nat({ max: 1 });
const contractorStep: fc.Arbitrary<ContractorStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      step: fc.constant('note' as const),
      job: jobChoice,
      bound,
      length: fc.constantFrom(
        'short' as const,
        'short' as const,
        'two lines' as const,
        'long' as const,
        'long' as const,
        'too long' as const,
      ),
      key: optionalKey,
      copies,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constant('list jobs' as const),
      bound,
      take: fc.constantFrom(1, 2, 200),
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(replay, bound)
      .map(([step, boundTo]): ContractorStep => ({ ...step, bound: boundTo })),
  },
  { weight: 1, arbitrary: trespass },
);

const manySteps = <Step>(step: fc.Arbitrary<Step>) => fc.array(step, { maxLength: STEPS, size: 'max' });
/** How many answers the longest plan has, roughly: where in a run something happens. */
const moment = fc.nat({ max: 150 });

/** Plans of runs: most have a few hundred requests. */
export const planArbitrary: fc.Arbitrary<Plan> = fc.noBias(
  fc.record({
    jobs: fc.array(
      fc.record({
        seller: fc.nat({ max: 1 }),
        installer: fc.constantFrom(0, 0, 1, 1, null),
        unready: fc.boolean(),
        manyNotes: fc.boolean(),
        withProject: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12, size: 'max' },
    ),
    opening: fc.constant([]),
    installers: fc.tuple(
      manySteps(installerStep),
      manySteps(installerStep),
      manySteps(installerStep),
      manySteps(installerStep),
    ),
    generals: fc.tuple(manySteps(generalStep), manySteps(generalStep)),
    contractors: fc.tuple(manySteps(contractorStep), manySteps(contractorStep)),
    followers: fc.array(
      fc.record({
        company: fc.nat({ max: 1 }),
        begins: fc.constantFrom('start' as const, 'snapshot' as const, 'latest' as const),
        limit: fc.constantFrom(1, 2, 3, 5, 100),
        after: moment,
      }),
      { maxLength: 6, size: 'max' },
    ),
    assignments: fc.array(
      fc.record({
        job: index,
        installer: fc.nat({ max: 1 }),
        after: moment,
        form: fc.constantFrom('once' as const, 'once' as const, 'twice' as const, 'late' as const),
      }),
      { maxLength: 8, size: 'max' },
    ),
    kills: fc.array(
      fc.record({
        victim: fc.constantFrom(
          'job-state' as const,
          'job-state' as const,
          'job-state-2' as const,
          'job-state-2' as const,
          'installer-gateway' as const,
          'inbound-gateway' as const,
        ),
        after: moment,
      }),
      { maxLength: 2, size: 'max' },
    ),
  }),
);

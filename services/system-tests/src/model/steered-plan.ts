import { REPORTABLE_STATUSES } from '@partner/proto-contracts/public-api/installer-job';
import type { JobChange, JobWriteStep, OpeningStep, Plan } from './plan.js';

const FRESH = { from: 'fresh' } as const;
/** The key of the first request of the company. */
const USED = { from: 'earlier', index: 0 } as const;
/** The first job: the first client of the first installer has it. */
const OWN_JOB = { own: true, index: 0 } as const;
/** The first job, for those who do not have it. */
const FOREIGN_JOB = { own: false, index: 0 } as const;

const ACKNOWLEDGED = {
  change: 'status',
  allowed: true,
  to: 0,
  blocker: 'OTHER',
  note: true,
  fault: 'none',
} as const;
const TENTATIVE = {
  change: 'schedule',
  status: 'TENTATIVE',
  times: 'given',
  hours: 0,
  zone: 'America/Chicago',
} as const;
const FIRST_TECHNICIAN = { change: 'assignments', members: [0], wrong: 'none' } as const;

function write(change: JobChange, other: Partial<JobWriteStep> = {}): OpeningStep {
  return {
    client: 'installer',
    place: 0,
    does: {
      step: 'write job',
      job: OWN_JOB,
      change,
      version: 'current',
      key: FRESH,
      copies: 1,
      unknownFields: true,
      ...other,
    },
  };
}

/** The same as the request at a place among those that the client's company has sent with keys. */
function again(index: number): Extract<OpeningStep['does'], { step: 'replay' }> {
  return { step: 'replay', index, copies: 1, reordered: true, elsewhere: undefined };
}

const LEAD = { step: 'lead', place: 0, spelling: 0, key: FRESH, copies: 1, unknownFields: true } as const;
const APPOINTMENT = {
  step: 'appointment',
  lead: { whose: 'own', index: 0 },
  project: 'none',
  times: 'given',
  hours: 0,
  notes: true,
  key: FRESH,
  copies: 1,
} as const;
const NOTE = { step: 'note', job: OWN_JOB, bound: 0, length: 'short', key: FRESH, copies: 1 } as const;

const JOB = { seller: 0, installer: 0, unready: true, manyNotes: false, withProject: false };

/** A plan whose run meets every outcome that a test of the model must have met, however fast or slow the service is. */
export const STEERED_PLAN: Plan = {
  jobs: [JOB, JOB],
  opening: [
    write(ACKNOWLEDGED),
    write(ACKNOWLEDGED, { version: 'huge' }),
    write({ ...ACKNOWLEDGED, fault: 'too old' }),
    write({ ...ACKNOWLEDGED, allowed: false, to: REPORTABLE_STATUSES.indexOf('COMPLETE') }),
    write(TENTATIVE),
    write(TENTATIVE, { version: 'huge' }),
    write({ ...TENTATIVE, times: 'missing' }),
    write(FIRST_TECHNICIAN),
    write({ ...FIRST_TECHNICIAN, wrong: 'foreign' }),
    { client: 'installer', place: 0, does: again(0) },
    { client: 'installer', place: 0, does: again(1) },
    { client: 'installer', place: 0, does: again(4) },
    { ...write(ACKNOWLEDGED, { job: FOREIGN_JOB }), place: 2 },
    { client: 'general', place: 1, does: LEAD, without: 'inbound-gateway' },
    { client: 'general', place: 0, does: LEAD },
    { client: 'general', place: 0, does: { ...LEAD, spelling: 1 } },
    { client: 'general', place: 0, does: { ...LEAD, key: USED } },
    { client: 'general', place: 0, does: APPOINTMENT },
    { client: 'general', place: 0, does: { ...APPOINTMENT, key: USED } },
    { client: 'general', place: 0, does: { ...APPOINTMENT, lead: { whose: 'foreign', index: 0 } } },
    { client: 'general', place: 0, does: again(0) },
    { client: 'general', place: 0, does: again(3) },
    { client: 'general', place: 0, does: { step: 'trespass', job: OWN_JOB } },
    { client: 'contractor', place: 0, does: NOTE },
    { client: 'contractor', place: 0, does: { ...again(0), bound: 0 } },
    { client: 'contractor', place: 0, does: { ...NOTE, job: FOREIGN_JOB, bound: 1 } },
  ],
  installers: [[], [], [], []],
  generals: [[], []],
  contractors: [[], []],
  followers: [{ company: 0, begins: 'snapshot', limit: 1, after: 0 }],
  // The second job, which no step is about.
  assignments: [{ job: 1, installer: 1, after: 0, form: 'once' }],
  kills: [],
};

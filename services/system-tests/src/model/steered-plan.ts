import { REPORTABLE_STATUSES } from '@partner/proto-contracts/resources/job/job';
import type { JobChange, Plan, Step } from './plan.js';

const OWN = { own: true, index: 0 } as const;
const OTHER = { own: true, index: 1 } as const;
const FOREIGN = { own: false, index: 0 } as const;

const acknowledge: JobChange = {
  change: 'status',
  allowed: true,
  to: 0,
  blocker: 'OTHER',
  note: true,
  fault: 'none',
};
const schedule: JobChange = {
  change: 'schedule',
  status: 'TENTATIVE',
  times: 'given',
  hours: 0,
  timeZone: 'America/Chicago',
};
const assignments: JobChange = { change: 'assignments', members: [0], wrong: 'none' };

const change = (asked: JobChange, rest: Partial<Extract<Step, { step: 'change' }>> = {}): Step => ({
  step: 'change',
  client: 0,
  job: OWN,
  change: asked,
  version: 'current',
  key: 'fresh',
  ...rest,
});
const note = (rest: Partial<Extract<Step, { step: 'note' }>> = {}): Step => ({
  step: 'note',
  client: 0,
  bound: 0,
  job: OWN,
  length: 'short',
  key: 'fresh',
  ...rest,
});
const lead = (rest: Partial<Extract<Step, { step: 'lead' }>> = {}): Step => ({
  step: 'lead',
  client: 0,
  place: 0,
  spelling: 0,
  key: 'fresh',
  ...rest,
});
const appointment = (rest: Partial<Extract<Step, { step: 'appointment' }>> = {}): Step => ({
  step: 'appointment',
  client: 0,
  lead: 'own',
  project: 'none',
  index: 0,
  endFirst: false,
  notes: true,
  key: 'fresh',
  ...rest,
});
const again = (index: number): Step => ({ step: 'again', index, elsewhere: undefined });
const read = (what: Extract<Step, { step: 'read' }>['what']): Step => ({
  step: 'read',
  client: 0,
  what,
  job: OWN,
  count: 100,
});

/** Steps one after another, each with the outcome that it meets in every run. */
const STEPS: readonly (readonly [step: Step, outcome: string])[] = [
  [change(acknowledge), 'status 201'],
  [again(0), 'status 201 again'],
  [change(acknowledge, { version: 'huge' }), 'status 409 stale_version'],
  [again(2), 'status 409 stale_version again'],
  [change({ ...acknowledge, fault: 'too old' }), 'status 400 invalid_argument'],
  [
    change({ ...acknowledge, allowed: false, to: REPORTABLE_STATUSES.indexOf('COMPLETE') }),
    'status 422 transition_not_allowed',
  ],
  [change(acknowledge, { job: FOREIGN, client: 1 }), 'status 404 not_found'],
  [change(schedule), 'schedule 200'],
  [change(schedule), 'schedule 200'],
  [change({ ...schedule, times: 'missing' }), 'schedule 422 schedule_invalid'],
  [change({ ...schedule, status: 'CONFIRMED', timeZone: 'America/Denver' }), 'schedule 200'],
  [read('contractor jobs'), 'contractor jobs 200'],
  [change({ ...schedule, status: 'CANCELLED' }), 'schedule 200'],
  [change(assignments), 'assignments 200'],
  [change(assignments), 'assignments 200'],
  [change({ ...assignments, members: [2, 0] }), 'assignments 200'],
  [change({ ...assignments, members: [1, 2] }), 'assignments 200'],
  [read('technicians'), 'technicians 200'],
  [change({ ...assignments, wrong: 'foreign' }), 'assignments 422 technician_not_assignable'],
  [note({ key: 0 }), 'note 200'],
  [note({ key: 0 }), 'note 409 idempotency_mismatch'],
  ...Array.from({ length: 9 }, () => [note({ length: 'long' }), 'note 200'] as const),
  [note({ length: 'long' }), 'note 422 note_limit_reached'],
  [note({ job: FOREIGN, bound: 1 }), 'note 404 not_found'],
  [lead(), 'lead 201'],
  [lead({ spelling: 1 }), 'lead 200'],
  [lead({ client: 1 }), 'lead 201'],
  [lead({ place: 3 }), 'lead 201'],
  [lead({ place: 3, spelling: 1 }), 'lead 200'],
  [lead({ place: 3, spelling: 2 }), 'lead 200'],
  [lead({ place: 4 }), 'lead 201'],
  [lead({ place: 5 }), 'lead 201'],
  [appointment({ key: 1 }), 'appointment 201'],
  [appointment({ key: 1, notes: false }), 'appointment 409 idempotency_mismatch'],
  [appointment({ project: 'own' }), 'appointment 201'],
  [appointment({ project: 'own', index: 1 }), 'appointment 201'],
  [appointment({ project: 'own', index: 2 }), 'appointment 400 invalid_argument'],
  [appointment({ lead: 'foreign' }), 'appointment 403 permission_denied'],
  // By way of BLOCKED and, last, to COMPLETE.
  ...[1, 2, 0, 0].map((to) => [change({ ...acknowledge, to }, { job: OTHER }), 'status 201'] as const),
  ...[
    { ...acknowledge, allowed: false, to: REPORTABLE_STATUSES.indexOf('BLOCKED') },
    schedule,
    assignments,
  ].map((asked) => [change(asked, { job: OTHER }), `${asked.change} 422 transition_not_allowed`] as const),
  [read('snapshot'), 'snapshot 200'],
  [read('newest'), 'newest 200'],
  [read('contractor jobs'), 'contractor jobs 200'],
  [{ step: 'assign', job: 0, client: 1, form: 'twice' }, 'assignment'],
  [{ step: 'assign', job: 0, client: 0, form: 'late' }, 'assignment'],
  [again(0), 'status 404 not_found'],
  [{ step: 'assign', job: 0, client: 0, form: 'once' }, 'assignment'],
  [again(0), 'status 201 again'],
];

const JOB = { seller: 0, installer: 0, unready: true, withProject: false };

/** A plan that meets every outcome worth meeting, whatever the random plans do. */
export const STEERED_PLAN: Plan = {
  jobs: [JOB, JOB],
  bursts: STEPS.map(([step]) => ({ steps: [step], copies: 1, kill: undefined })),
};

/** The outcomes of {@link STEERED_PLAN}, after the assignments of its jobs. */
export const STEERED_OUTCOMES: readonly string[] = [
  'assignment',
  'assignment',
  ...STEPS.map(([, outcome]) => outcome),
];

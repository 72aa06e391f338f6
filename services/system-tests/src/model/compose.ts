import { REPORTABLE_STATUSES } from '@partner/proto-contracts/resources/job/job';
import { JOB_STATUS_MOVES } from '@partner/proto-contracts/resources/job/job-status-moves';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { jobOf } from './expectations.js';
import type { JobChoice, Step } from './plan.js';
import {
  type Assignment,
  type Caller,
  type ReadRequest,
  writeRequest,
  type WriteRequest,
} from './requests.js';
import type { ModelState } from './state.js';
import type { World } from './world.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BEYOND_ANY_VERSION = 4_000_000_000;
/** Two UTF-16 units, one character. */
const WRENCH = '\u{1f527}';

/** Makes the requests of a step in a state. */
export interface Composer {
  compose(state: ModelState, step: Step): WriteRequest | ReadRequest | Assignment | undefined;
}

export function createComposer(world: World): Composer {
  const unknownJobId = newId('job');
  const sent: WriteRequest[] = [];
  const jobIds = [...world.jobs.keys()];
  let texts = 0;
  let assignments = 0;

  /** A text that no other request has. */
  const fresh = (what: string) => `${what} ${String((texts += 1)).padStart(5, '0')}`;

  function keyOf(choice: 'fresh' | 'none' | number, isRequired: boolean): string | undefined {
    if (typeof choice === 'number') return `pool_key.${choice}`;
    return choice === 'none' && !isRequired ? undefined : fresh('key').replace(' ', ':');
  }

  function choose(state: ModelState, caller: Caller, { own, index }: JobChoice): string {
    const owned = jobIds.filter((id) => {
      const { installerId } = jobOf(state, id);
      return installerId === (caller.boundCompanyId ?? caller.companyId);
    });
    return pick(own && owned.length > 0 ? owned : [...jobIds, unknownJobId], index);
  }

  function change(state: ModelState, step: Extract<Step, { step: 'change' }>): WriteRequest {
    const caller = pick(world.installers, step.client);
    const jobId = choose(state, caller, step.job);
    const job = jobOf(state, jobId);
    const expectedVersion = {
      current: Math.max(1, job.version),
      previous: Math.max(1, job.version - 1),
      huge: BEYOND_ANY_VERSION,
    }[step.version];
    const key = keyOf(step.key, true);
    const about = { jobId, expectedVersion };
    switch (step.change.change) {
      case 'status': {
        const { to, note, fault, blocker, allowed } = step.change;
        const moves = allowed ? JOB_STATUS_MOVES[job.status] : [];
        const status = pick(moves.length > 0 ? moves : REPORTABLE_STATUSES, to);
        const hasBlocker = (status === 'BLOCKED') !== (fault === 'no blocker');
        const offset = { 'too old': -31 * DAY_MS, 'too early': 10 * MINUTE_MS, none: 0, 'no blocker': 0 }[
          fault
        ];
        return writeRequest(
          caller,
          {
            kind: 'status',
            ...about,
            status,
            occurredAt: new Date(Date.now() - MINUTE_MS + offset).toISOString(),
            note: note ? fresh('note') : undefined,
            blockerCode: hasBlocker ? blocker : undefined,
          },
          key,
          fault === 'none' ? undefined : fault === 'no blocker' ? 'input' : 'clock',
        );
      }
      case 'schedule': {
        const { status, times, hours, timeZone } = step.change;
        const start = Date.UTC(2026, 9, 5, 14 + hours);
        const end = { given: start + DAY_MS, missing: undefined, 'end first': start - MINUTE_MS }[times];
        return writeRequest(
          caller,
          {
            kind: 'schedule',
            ...about,
            status,
            startsAt: new Date(start).toISOString(),
            endsAt: end === undefined ? null : new Date(end).toISOString(),
            timeZone,
          },
          key,
          timeZone === 'Mars/Olympus' ? 'input' : undefined,
        );
      }
      case 'assignments': {
        const { members, wrong } = step.change;
        const own = world.technicians.get(caller.companyId) ?? [];
        const foreign = world.technicians.get(pick(world.installers, step.client + 1).companyId) ?? [];
        const wrongIds = {
          none: [],
          inactive: own.slice(-1).map(({ membershipId }) => membershipId),
          foreign: foreign.slice(0, 1).map(({ membershipId }) => membershipId),
          unknown: [newId('mem')],
        }[wrong];
        const ids = members.map((member) => pick(own, member).membershipId);
        return writeRequest(
          caller,
          { kind: 'assignments', ...about, membershipIds: [...ids, ...wrongIds] },
          key,
        );
      }
    }
  }

  function note(state: ModelState, step: Extract<Step, { step: 'note' }>): WriteRequest {
    const caller = pick(pick(world.contractors, step.client), step.bound);
    const text = fresh('note');
    const padding = { short: 0, long: 2_000 - text.length, 'too long': 2_001 - text.length }[step.length];
    return writeRequest(
      caller,
      { kind: 'note', jobId: choose(state, caller, step.job), note: text + WRENCH.repeat(padding) },
      keyOf(step.key, false),
      step.length === 'too long' ? 'input' : undefined,
    );
  }

  function again(state: ModelState, step: Extract<Step, { step: 'again' }>): WriteRequest | undefined {
    const earlier = sent.filter(({ key }) => key !== undefined);
    if (earlier.length === 0) return undefined;
    const { caller, write, key, invalid, body } = pick(earlier, step.index);
    const moved =
      step.elsewhere !== undefined ? { ...write, jobId: choose(state, caller, step.elsewhere) } : write;
    const reordered = Object.fromEntries(Object.entries(body).reverse());
    return { ...writeRequest(caller, moved, key, invalid), body: reordered };
  }

  function read(state: ModelState, step: Extract<Step, { step: 'read' }>): ReadRequest {
    const { what, count } = step;
    const isContractor = what === 'contractor jobs';
    const caller = isContractor
      ? pick(pick(world.contractors, step.client), step.job.index)
      : pick(world.installers, step.client);
    const jobId = choose(state, caller, step.job);
    const request = { kind: 'read', caller } as const;
    switch (what) {
      case 'job':
        return { ...request, path: `/partner/v1/jobs/${jobId}`, what: { kind: what, jobId } };
      case 'technicians':
        return { ...request, path: '/partner/v1/technicians', what: { kind: what } };
      case 'newest':
        return { ...request, path: `/partner/v1/jobs?limit=${count}`, what: { kind: what, limit: count } };
      case 'snapshot':
        return { ...request, path: '/partner/v1/jobs?view=snapshot&limit=100', what: { kind: what } };
      case 'contractor jobs':
        return { ...request, path: `/inbound/jobs?take=${count}`, what: { kind: what, take: count } };
    }
  }

  function assign(step: Extract<Step, { step: 'assign' }>): Assignment {
    assignments += 1;
    const version = 1_000 + 10 * assignments;
    return {
      kind: 'assignment',
      jobId: pick(jobIds, step.job),
      installerId: pick(world.installers, step.client).companyId,
      // Between the versions of the two assignments before.
      version: step.form === 'late' ? version - 15 : version,
    };
  }

  function requestOf(state: ModelState, step: Step): WriteRequest | ReadRequest | Assignment | undefined {
    switch (step.step) {
      case 'change':
        return change(state, step);
      case 'note':
        return note(state, step);
      case 'again':
        return again(state, step);
      case 'read':
        return read(state, step);
      case 'assign':
        return assign(step);
    }
  }

  return {
    compose(state, step) {
      const request = requestOf(state, step);
      if (request?.kind === 'write') sent.push(request);
      return request;
    },
  };
}

/** The item at a place modulo their number. */
function pick<Item>(items: readonly Item[], place: number): Item {
  const item = items[place % items.length];
  invariant(item !== undefined, 'there is something to choose');
  return item;
}

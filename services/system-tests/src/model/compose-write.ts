import { REPORTABLE_STATUSES } from '@partner/proto-contracts/public-api/installer-job';
import { newId } from '@partner/kernel/ids';
import type { Caller, Write, WriteRequest } from './history.js';
import { allowedStatuses } from './job-model.js';
import type { Knowledge } from './knowledge.js';
import type { Markers } from './markers.js';
import { ALL_PLACES } from './places.js';
import type { ContractorStep, GeneralStep, JobChange, KeyChoice, VersionChoice } from './plan.js';
import { forbiddenFields, type World } from './world.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BEYOND_ANY_VERSION = 4_000_000_000;
/** Two UTF-16 units, one character. */
const WRENCH = '\u{1f527}';

/** Makes requests out of steps and what the clients know when a step's turn comes. */
export interface WriteComposer {
  change(
    caller: Caller,
    jobId: string,
    change: JobChange,
    given: { readonly version: VersionChoice; readonly key: KeyChoice; readonly unknownFields: boolean },
  ): WriteRequest;
  lead(
    caller: Caller,
    step: Pick<Extract<GeneralStep, { step: 'lead' }>, 'place' | 'spelling' | 'key' | 'unknownFields'>,
  ): WriteRequest;
  appointment(
    caller: Caller,
    step: Omit<Extract<GeneralStep, { step: 'appointment' }>, 'step' | 'copies'>,
  ): WriteRequest;
  /** The same key and body for another job; the same request when it is about none. */
  elsewhere(request: WriteRequest, jobId: string): WriteRequest;
  note(
    caller: Caller,
    jobId: string,
    step: Pick<Extract<ContractorStep, { step: 'note' }>, 'length' | 'key'>,
  ): WriteRequest;
}

/** Makes a composer whose fresh keys are fresh among its own. */
export function createWriteComposer(deps: {
  readonly world: Pick<World, 'installers' | 'sellers'>;
  readonly knowledge: Pick<Knowledge, 'job' | 'keys' | 'leads'>;
  readonly markers: Markers;
}): WriteComposer {
  const { world, knowledge, markers } = deps;
  let freshKeys = 0;

  function keyFor(companyId: string, choice: KeyChoice): string | undefined {
    const fresh = () => `fresh-key:${String((freshKeys += 1)).padStart(5, '0')}`;
    switch (choice.from) {
      case 'fresh':
        return fresh();
      case 'pool':
        return `pool_key.${String(choice.index).padStart(2, '0')}`;
      case 'earlier': {
        const keys = knowledge.keys(companyId);
        return keys[choice.index % Math.max(keys.length, 1)] ?? fresh();
      }
      case 'none':
        return undefined;
    }
  }

  function request(
    caller: Caller,
    write: Write,
    given: {
      readonly key: string | undefined;
      readonly isAtFault?: boolean;
      readonly unknownFields?: boolean;
    },
  ): WriteRequest {
    const { method, path, body } = httpForm(write, given.key);
    return {
      caller,
      write,
      method,
      path,
      body: { ...body, ...(given.unknownFields === true ? forbiddenFields(markers) : {}) },
      key: given.key,
      faultStatus: refusedCaller(caller, write) ?? (given.isAtFault === true ? 400 : undefined),
    };
  }

  function membershipIds(caller: Caller, change: Extract<JobChange, { change: 'assignments' }>): string[] {
    const company = world.installers.find(({ id }) => id === caller.companyId);
    const other = world.installers.find(({ id }) => id !== caller.companyId);
    const own = change.members.flatMap((place) => company?.technicians[place]?.membershipId ?? []);
    const wrong = {
      none: [],
      inactive:
        company?.technicians.filter(({ active }) => !active).map(({ membershipId }) => membershipId) ?? [],
      foreign: other?.technicians.slice(0, 1).map(({ membershipId }) => membershipId) ?? [],
      unknown: [newId('mem')],
    }[change.wrong];
    return [...own, ...wrong];
  }

  return {
    change(caller, jobId, change, given) {
      const key = keyFor(caller.companyId, given.key);
      const seen = knowledge.job(jobId);
      const expectedVersion = {
        current: seen.version,
        previous: Math.max(1, seen.version - 1),
        next: seen.version + 1,
        first: 1,
        huge: BEYOND_ANY_VERSION,
      }[given.version];
      const { unknownFields } = given;
      switch (change.change) {
        case 'status': {
          const allowed = change.allowed ? allowedStatuses(seen.status) : [];
          const among = allowed.length > 0 ? allowed : REPORTABLE_STATUSES;
          const status = among[change.to % among.length] ?? 'ACKNOWLEDGED';
          const isBlocked = status === 'BLOCKED';
          const hasCode = isBlocked
            ? change.fault !== 'blocker missing'
            : change.fault === 'blocker too many';
          const now = Date.now();
          const occurredAt = {
            'too old': now - 31 * DAY_MS,
            'too early': now + 10 * MINUTE_MS,
            none: now - MINUTE_MS,
            'blocker missing': now,
            'blocker too many': now,
          }[change.fault];
          const write = {
            kind: 'status',
            jobId,
            expectedVersion,
            status,
            occurredAt: new Date(occurredAt).toISOString(),
            note: change.note
              ? `note ${markers.mark({ to: 'company', companyId: caller.companyId })}`
              : undefined,
            blockerCode: hasCode ? change.blocker : undefined,
          } as const;
          const isAtFault =
            hasCode !== isBlocked || change.fault === 'too old' || change.fault === 'too early';
          return request(caller, write, { key, isAtFault, unknownFields });
        }
        case 'schedule': {
          const start = Date.UTC(2026, 9, 5, 14 + change.hours);
          const [startsAt, endsAt] = {
            given: [start, start + 2 * 60 * MINUTE_MS],
            missing: [start, null],
            'end first': [start, start - MINUTE_MS],
          }[change.times].map((time) => (time === null ? null : new Date(time).toISOString()));
          const write = {
            kind: 'schedule',
            jobId,
            expectedVersion,
            status: change.status,
            startsAt: startsAt ?? null,
            endsAt: endsAt ?? null,
            timeZone: change.zone,
          } as const;
          return request(caller, write, { key, isAtFault: change.zone === 'Mars/Olympus', unknownFields });
        }
        case 'assignments': {
          const write = {
            kind: 'assignments',
            jobId,
            expectedVersion,
            membershipIds: membershipIds(caller, change),
          } as const;
          return request(caller, write, { key, unknownFields });
        }
      }
    },
    lead(caller, step) {
      const place = step.place % ALL_PLACES.length;
      const spellings = ALL_PLACES[place] ?? [];
      const mark = markers.mark({ to: 'company', companyId: caller.companyId });
      const write = {
        kind: 'lead',
        place,
        fullName: `Ada ${mark}`,
        email: `${markers.canary()}@leads.example`,
        phone: '+1 512 555 0100',
        address: spellings[step.spelling % spellings.length] ?? '',
        smsConsent: step.spelling % 2 === 0 ? true : undefined,
      } as const;
      return request(caller, write, {
        key: keyFor(caller.companyId, step.key),
        unknownFields: step.unknownFields,
      });
    },
    appointment(caller, step) {
      const isOwn = (lead: { readonly companyId: string }) => lead.companyId === caller.companyId;
      const leads = knowledge.leads().filter((lead) => (step.lead.whose === 'own') === isOwn(lead));
      const lead =
        step.lead.whose === 'unknown' ? undefined : leads[step.lead.index % Math.max(leads.length, 1)];
      const projects = knowledge
        .leads()
        .filter((known) => known.projectId !== undefined && isOwn(known) === (step.project === 'own'));
      const project =
        step.project === 'none' ? undefined : projects[step.lead.index % Math.max(projects.length, 1)];
      const isOfAnotherLead =
        lead !== undefined &&
        project !== undefined &&
        isOwn(lead) &&
        isOwn(project) &&
        project.leadId !== lead.leadId;
      const startsAt = Date.UTC(2026, 9, 6, 9 + step.hours);
      const endsAt = startsAt + (step.times === 'given' ? 1 : -1) * 30 * MINUTE_MS;
      const write = {
        kind: 'appointment',
        leadId: lead?.leadId ?? newId('lead'),
        projectId: project?.projectId,
        startsAt: new Date(startsAt).toISOString(),
        endsAt: new Date(endsAt).toISOString(),
        notes: step.notes
          ? `call ${markers.mark({ to: 'company', companyId: caller.companyId })}`
          : undefined,
      } as const;
      return request(caller, write, {
        key: keyFor(caller.companyId, step.key),
        isAtFault: step.times === 'end first' || isOfAnotherLead,
      });
    },
    elsewhere(given, jobId) {
      if (!('jobId' in given.write)) return given;
      const write = { ...given.write, jobId };
      return { ...given, write, path: httpForm(write, given.key).path };
    },
    note(caller, jobId, step) {
      const mark = `note ${markers.mark({ to: 'company', companyId: caller.companyId })}`;
      const note = {
        short: mark,
        'two lines': `${mark}\nsecond line`,
        long: mark + WRENCH.repeat(2_000 - mark.length),
        'too long': mark + WRENCH.repeat(2_001 - mark.length),
      }[step.length];
      return request(
        caller,
        { kind: 'note', jobId, note },
        { key: keyFor(caller.companyId, step.key), isAtFault: step.length === 'too long' },
      );
    },
  };
}

function httpForm(
  write: Write,
  key: string | undefined,
): Pick<WriteRequest, 'method' | 'path'> & { readonly body: Readonly<Record<string, unknown>> } {
  switch (write.kind) {
    case 'status': {
      const { kind: _, jobId, ...body } = write;
      return { method: 'POST', path: `/partner/v1/jobs/${jobId}/status-events`, body };
    }
    case 'schedule': {
      const { kind: _, jobId, ...body } = write;
      return { method: 'PUT', path: `/partner/v1/jobs/${jobId}/schedule`, body };
    }
    case 'assignments': {
      const { kind: _, jobId, ...body } = write;
      return { method: 'PUT', path: `/partner/v1/jobs/${jobId}/assignments`, body };
    }
    case 'note':
      return { method: 'POST', path: `/inbound/jobs/${write.jobId}/status`, body: { note: write.note } };
    case 'lead': {
      const { kind: _, place: __, ...body } = write;
      return { method: 'POST', path: '/inbound/leads', body };
    }
    case 'appointment': {
      const { kind: _, ...body } = write;
      return { method: 'POST', path: '/inbound/appointments', body: { ...body, idempotencyKey: key } };
    }
  }
}

/** What a key of the wrong kind gets (decisions: Tenants, keys, boundaries); undefined for a right one. */
function refusedCaller({ kind }: Caller, { kind: write }: Write): 401 | 403 | undefined {
  const isInbound = write === 'lead' || write === 'appointment' || write === 'note';
  if (isInbound === (kind === 'installer-company')) return 401;
  if (!isInbound) return undefined;
  return (write === 'note') === (kind === 'installer-contractor') ? undefined : 403;
}

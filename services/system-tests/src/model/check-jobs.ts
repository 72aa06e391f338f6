import { isDeepStrictEqual } from 'node:util';
import { contractorJobsResponse } from '@partner/proto-contracts/public-api/contractor-job';
import { errorBody, type ErrorBody } from '@partner/proto-contracts/public-api/error-body';
import {
  jobResponse,
  jobFeedResponse,
  techniciansResponse,
} from '@partner/proto-contracts/public-api/installer-job';
import { type Asked, errorCodeOf, parseJson } from './asked.js';
import { describe } from './check-idempotency.js';
import type { FinalState } from './final-state.js';
import { isUncertain, type JobWrite, type Read } from './history.js';
import { shownOtherwise } from './job-chains.js';
import { judge, stageOf } from './job-model.js';
import type { ShownJob } from './sightings.js';
import type { Timeline } from './timeline.js';
import type { World } from './world.js';

/**
 * Checks every answer that shows a job: each version of a job has one text wherever it is shown, the rules make it so, the
 * company had the job, and it was the newest at the time unless the answer speaks of the past.
 */
export function checkShownJobs(
  timeline: Timeline,
  shown: readonly ShownJob[],
  final: Pick<FinalState, 'jobs' | 'feed'>,
): string[] {
  const faults: string[] = [];
  const texts = new Map<string, { text: string; where: string }>();
  const compare = (jobId: string, version: number, text: string, where: string) => {
    const place = `job ${jobId} version ${version}`;
    const other = texts.get(place);
    if (other === undefined) texts.set(place, { text, where });
    else if (other.text !== text) {
      faults.push(`${place} is shown in two ways: ${where}: ${text} <> ${other.where}: ${other.text}`);
    }
  };
  for (const { jobId, version, companyId, job, text, from, to, where, isPast } of shown) {
    compare(jobId, version, text, where);
    const chain = timeline.chain(jobId);
    if (chain === undefined) continue;
    const link = chain.links[version];
    if (link === undefined || version === 0) {
      faults.push(`${where} shows version ${version} of job ${jobId}, which it does not have`);
      continue;
    }
    faults.push(
      ...shownOtherwise(chain.job, link.state, job).map((what) => `${where}: job ${jobId}: ${what}`),
    );
    if (link.state.installerId !== companyId) {
      faults.push(`${where} shows ${companyId} version ${version} of job ${jobId} of another installer`);
    }
    if (link.from > to)
      faults.push(`${where} shows version ${version} of job ${jobId} before it was asked for`);
    if (!isPast && !timeline.canBeNewest(jobId, version, from, to)) {
      faults.push(`${where} shows version ${version} of job ${jobId}, which was not the newest then`);
    }
  }
  for (const { id, version, projection } of final.jobs) {
    if (projection !== null) compare(id, version, projection, 'the database');
  }
  for (const { job_id, resource, sequence, company_id } of final.feed) {
    const version = jobVersionIn(resource);
    if (version !== undefined) compare(job_id, version, resource, `entry ${sequence} of ${company_id}`);
  }
  return faults;
}

function jobVersionIn(resource: string): number | undefined {
  const value = parseJson(resource);
  return typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    typeof value.version === 'number'
    ? value.version
    : undefined;
}

/** Checks that every refusal of a job's write was right at some time while it was under way. */
export function checkRefusals(
  world: Pick<World, 'installers'>,
  timeline: Timeline,
  all: readonly Asked[],
): string[] {
  return all.flatMap((asked) => {
    const { write, caller, faultStatus } = asked.request;
    if (!('expectedVersion' in write) || faultStatus !== undefined) return [];
    return asked.sendings.flatMap((sending) => {
      const { endedAt, answer } = sending.tries.at(-1) ?? {};
      if (answer === undefined || endedAt === undefined || isUncertain(answer) || answer.status < 300)
        return [];
      const firstSentAt = sending.tries[0]?.sentAt ?? endedAt;
      const body = errorBody.safeParse(parseJson(answer.text)).data;
      const where = `${describe(sending)}: ${answer.status} ${answer.text}`;
      const isWrong = (why: string) => [`${where}: ${why}`];
      switch (body?.code) {
        case 'idempotency_mismatch':
          return [];
        case 'not_found': {
          const chain = timeline.chain(write.jobId);
          if (chain === undefined) return [];
          const links = timeline.linksBetween(write.jobId, firstSentAt, endedAt);
          return links.some(({ state }) => state.installerId !== caller.companyId)
            ? []
            : isWrong('the company had the job all the time');
        }
        case 'stale_version':
        case 'transition_not_allowed':
        case 'schedule_invalid':
        case 'technician_not_assignable': {
          // A repeat tells what was right for the first request.
          const window = { from: asked.firstSentAt, to: asked.kept?.knownAt ?? endedAt };
          return checkRefusal(world, timeline, write, caller.companyId, body, window).flatMap(isWrong);
        }
        default:
          return isWrong('no refusal of such a request');
      }
    });
  });
}

function checkRefusal(
  world: Pick<World, 'installers'>,
  timeline: Timeline,
  write: JobWrite,
  companyId: string,
  body: ErrorBody,
  { from, to }: { readonly from: number; readonly to: number },
): string[] {
  const { jobId, expectedVersion } = write;
  const links = timeline.chain(jobId)?.links;
  if (links === undefined) return [];
  if (body.code === 'stale_version') {
    const { currentVersion } = body;
    if (currentVersion === undefined) return ['it does not tell the current version'];
    if (currentVersion === expectedVersion) return ['the version named is the current one'];
    if (links[currentVersion]?.state.installerId !== companyId)
      return ['the company did not have the job at that version'];
    return timeline.canBeNewest(jobId, currentVersion, from, to)
      ? []
      : [`version ${currentVersion} was not the newest then`];
  }
  const link = links[expectedVersion];
  if (link === undefined) return ['a version that the job does not have is stale'];
  if (link.state.installerId !== companyId) return ['the company did not have the job at that version'];
  if (!timeline.canBeNewest(jobId, expectedVersion, from, to))
    return ['the version named was not the newest then'];
  const company = world.installers.find(({ id }) => id === companyId);
  const technicians = (company?.technicians ?? []).flatMap(({ membershipId, active }) =>
    active ? [membershipId] : [],
  );
  const verdict = judge(link.state, write, new Set(technicians));
  if (verdict.kind === 'changed') return ['the rules allow it'];
  if (verdict.code !== body.code) return [`the rules refuse it as ${verdict.code}`];
  if (verdict.code !== 'transition_not_allowed') return [];
  const isSame =
    verdict.currentStatus === body.currentStatus &&
    isDeepStrictEqual([...verdict.allowed].sort(), [...(body.allowed ?? [])].sort());
  return isSame ? [] : [`from ${verdict.currentStatus} one can go to ${verdict.allowed.join(', ')}`];
}

/** Checks the reads: who sees what, and that what is not shown could not be seen. */
export function checkReads(
  world: Pick<World, 'installers' | 'jobs'>,
  timeline: Timeline,
  reads: readonly Read[],
): string[] {
  return reads.flatMap((read) => {
    const { answer, what } = read;
    const isWrong = (why: string) => `#${read.id} GET ${read.path}: ${answer.status} ${answer.text}: ${why}`;
    switch (what.kind) {
      case 'trespass':
        return answer.status === what.status ? [] : [isWrong(`must be ${what.status}`)];
      case 'job':
        return checkJobRead(timeline, read, what.jobId).map(isWrong);
      case 'technicians': {
        const company = world.installers.find(({ id }) => id === read.caller.companyId);
        const found = techniciansResponse.safeParse(parseJson(answer.text)).data?.technicians ?? [];
        const byId = (a: { membershipId: string }, b: { membershipId: string }) =>
          a.membershipId < b.membershipId ? -1 : 1;
        const isRight = isDeepStrictEqual(
          [...found].sort(byId),
          [...(company?.technicians ?? [])].sort(byId),
        );
        return isRight ? [] : [isWrong('not the technicians of the company')];
      }
      case 'latest': {
        const page = jobFeedResponse.safeParse(parseJson(answer.text)).data;
        if (page === undefined) return [isWrong('no page of the feed')];
        const sequences = page.resources.map(({ sequence }) => sequence);
        const ascends = sequences.every(
          (sequence, place) => place === 0 || sequence > (sequences[place - 1] ?? 0),
        );
        return [
          ...(ascends ? [] : [isWrong('the sequences do not ascend')]),
          ...(page.hasMore ? [isWrong('there is nothing after the newest page')] : []),
          ...(page.resources.length > what.limit ? [isWrong('more entries than asked for')] : []),
        ];
      }
      case 'contractor jobs':
        return checkContractorJobs(world, timeline, read, what.take).map(isWrong);
    }
  });
}

function checkJobRead(
  timeline: Timeline,
  { caller, answer, sentAt, endedAt }: Read,
  jobId: string,
): string[] {
  if (answer.status === 200) {
    const parsed = jobResponse.safeParse(parseJson(answer.text));
    if (!parsed.success) return [`no job: ${parsed.error.message}`];
    return parsed.data.resource.id === jobId ? [] : ['another job'];
  }
  if (errorCodeOf(answer) !== 'not_found') return ['neither the job nor a 404'];
  if (timeline.chain(jobId) === undefined) return [];
  const links = timeline.linksBetween(jobId, sentAt, endedAt);
  return links.some(({ state }) => state.installerId !== caller.companyId)
    ? []
    : ['the company had the job all the time'];
}

function checkContractorJobs(
  world: Pick<World, 'jobs'>,
  timeline: Timeline,
  { caller, answer, sentAt, endedAt }: Read,
  take: number,
): string[] {
  const page = contractorJobsResponse.safeParse(parseJson(answer.text));
  if (!page.success) return [`no list of jobs: ${page.error.message}`];
  const { jobs } = page.data;
  const faults: string[] = [];
  if (jobs.length > take) faults.push('more jobs than asked for');
  if (new Set(jobs.map(({ id }) => id)).size < jobs.length) faults.push('a job is there twice');
  const times = jobs.map(({ lastUpdated }) => lastUpdated);
  if (!isDeepStrictEqual(times, [...times].sort().reverse()))
    faults.push('not the most recently updated first');
  for (const listed of jobs) {
    const job = world.jobs.find(({ id }) => id === listed.id);
    if (job?.sellerId !== caller.companyId) {
      faults.push(`job ${listed.id} is none that the company sold`);
      continue;
    }
    const { address } = job.shown.customer;
    const isSame = isDeepStrictEqual(
      [listed.workOrderNo, listed.address, listed.city, listed.state, listed.zip],
      [job.workOrderNo, address.line1, address.city, address.state, address.zip],
    );
    if (!isSame) faults.push(`job ${listed.id} is shown otherwise than it is`);
    if (timeline.chain(listed.id) === undefined) continue;
    const links = timeline
      .linksBetween(listed.id, sentAt, endedAt)
      .filter(({ state }) => state.installerId === caller.boundCompanyId);
    if (!links.some(({ state }) => stageOf(state) === listed.stage)) {
      faults.push(`job ${listed.id} is ${listed.stage}, or the installer's at all, at no time then`);
    }
  }
  if (jobs.length < take) {
    for (const { id, sellerId } of world.jobs) {
      if (sellerId !== caller.companyId || timeline.chain(id) === undefined) continue;
      const links = timeline.linksBetween(id, sentAt, endedAt);
      const wasThere = links.every(({ state }) => state.installerId === caller.boundCompanyId);
      if (wasThere && !jobs.some((listed) => listed.id === id)) faults.push(`job ${id} is missing`);
    }
  }
  return faults;
}

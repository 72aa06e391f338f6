import { jobFeedResponse } from '@partner/proto-contracts/public-api/installer-job';
import type { z } from 'zod';
import { parseJson } from './asked.js';
import type { FinalState } from './final-state.js';
import type { Following } from './history.js';
import type { ChainLink } from './chain-link.js';
import type { JobChain } from './job-chains.js';
import type { Timeline } from './timeline.js';
import type { World } from './world.js';

type FeedEntry = z.infer<typeof jobFeedResponse>['resources'][number];

/** One change of a job while a company had it. */
interface Change {
  readonly jobId: string;
  readonly link: ChainLink;
  /** Whether the job has left the company since. */
  readonly isWithdrawn: boolean;
}

/**
 * Checks the feed of each installer company (decisions: Installer v1, change feed): a number for each change and no other,
 * in the order of the commits; entries of jobs that have left are gone and their numbers are not used again; and every
 * reader that kept its cursor saw every change once and has the right picture in the end.
 */
export function checkFeeds(
  world: Pick<World, 'installers'>,
  timeline: Timeline,
  followings: readonly Following[],
  final: Pick<FinalState, 'feed' | 'feedHeads' | 'jobs'>,
): string[] {
  return world.installers.flatMap(({ id: companyId }) => {
    const changes = timeline.chains.flatMap((chain) => changesOf(chain, companyId));
    const entries = final.feed.filter((entry) => entry.company_id === companyId);
    const sequences = new Map(
      entries.map((entry) => [`${entry.job_id} ${versionIn(entry.resource)}`, entry.sequence]),
    );
    const last = final.feedHeads.find(({ company_id }) => company_id === companyId)?.last ?? 0;
    const faults = [
      ...checkNumbers(changes, sequences, entries, last),
      ...checkCommitOrder(changes, sequences),
      ...followings
        .filter(({ caller }) => caller.companyId === companyId)
        .flatMap((following) => {
          const name = `the reader from ${following.begins} by ${following.limit}`;
          return checkFollowing(following, { companyId, timeline, changes, sequences, last, final }).map(
            (fault) => `${name}: ${fault}`,
          );
        }),
    ];
    return faults.map((fault) => `feed of ${companyId}: ${fault}`);
  });
}

/** The changes of a job that a company's feed has told of. The last stretch counts when it has the job still. */
function changesOf({ job, links }: JobChain, companyId: string): Change[] {
  const start = links.findLastIndex(({ state }) => state.installerId !== companyId) + 1;
  return links.flatMap((link, place) =>
    link.state.installerId === companyId ? [{ jobId: job.id, link, isWithdrawn: place < start }] : [],
  );
}

function checkNumbers(
  changes: readonly Change[],
  sequences: ReadonlyMap<string, number>,
  entries: FinalState['feed'],
  last: number,
): string[] {
  const faults: string[] = [];
  if (last !== changes.length) faults.push(`its head is at ${last} after ${changes.length} changes`);
  const there = changes.filter(({ isWithdrawn }) => !isWithdrawn);
  for (const { jobId, link } of there) {
    if (!sequences.has(`${jobId} ${link.version}`))
      faults.push(`job ${jobId} version ${link.version} is missing`);
  }
  if (entries.length !== there.length)
    faults.push(`it has ${entries.length} entries for ${there.length} changes`);
  for (const { sequence, job_id } of entries) {
    if (sequence > last) faults.push(`entry ${sequence} of job ${job_id} is beyond its head ${last}`);
  }
  return faults;
}

/** What was acknowledged before something else was asked for has the lower number. */
function checkCommitOrder(changes: readonly Change[], sequences: ReadonlyMap<string, number>): string[] {
  const numbered = changes
    .flatMap(({ jobId, link }) => {
      const sequence = sequences.get(`${jobId} ${link.version}`);
      return sequence === undefined ? [] : [{ jobId, link, sequence }];
    })
    .sort((a, b) => a.sequence - b.sequence);
  const faults: string[] = [];
  let latest: (typeof numbered)[number] | undefined;
  for (const entry of numbered) {
    const { maker } = entry.link;
    const acknowledgedAt = maker.kind === 'write' ? (maker.asked.kept?.knownAt ?? Infinity) : Infinity;
    if (latest !== undefined && latest.link.from > acknowledgedAt) {
      faults.push(
        `entry ${entry.sequence} (job ${entry.jobId} version ${entry.link.version}) was acknowledged before entry ${latest.sequence} was asked for`,
      );
    }
    if (latest === undefined || entry.link.from > latest.link.from) latest = entry;
  }
  return faults;
}

function checkFollowing(
  following: Following,
  given: {
    readonly companyId: string;
    readonly timeline: Timeline;
    readonly changes: readonly Change[];
    readonly sequences: ReadonlyMap<string, number>;
    readonly last: number;
    readonly final: Pick<FinalState, 'jobs'>;
  },
): string[] {
  const { companyId, timeline, changes, sequences, last, final } = given;
  const faults: string[] = [];
  const seen = new Set<string>();
  const picture = new Map<string, string>();
  const numbers = new Set(sequences.values());
  let place: number | undefined = following.begins === 'start' ? 0 : undefined;
  let isSnapshot = following.begins === 'snapshot';
  for (const { path, sentAt, endedAt, answer } of following.pages) {
    if (answer.status === 304) {
      if (!isSnapshot) faults.push(...checkUpToDate(path, sentAt, place ?? 0, changes, sequences));
      continue;
    }
    const page = jobFeedResponse.safeParse(parseJson(answer.text)).data;
    if (page === undefined) return [...faults, `GET ${path}: ${answer.status} ${answer.text}`];
    if (page.resources.length > following.limit) faults.push(`GET ${path}: more entries than asked for`);
    for (const entry of page.resources) {
      faults.push(...checkVisible(entry, companyId, timeline, sentAt, endedAt));
      if (isSnapshot) {
        if (picture.has(entry.resource.id)) faults.push(`the snapshot has job ${entry.resource.id} twice`);
      } else {
        faults.push(...checkPlace(entry, place, sequences));
        const change = `${entry.resource.id} ${entry.resource.version}`;
        if (seen.has(change)) faults.push(`job ${change} is there twice`);
        seen.add(change);
        const hidden = numbersBetween(place, entry.sequence).filter((number) => numbers.has(number));
        if (hidden.length > 0) faults.push(`GET ${path}: the entries ${hidden.join(', ')} are left out`);
        place = entry.sequence;
      }
      const known = picture.get(entry.resource.id);
      const isNewer = known === undefined || versionIn(known) <= entry.resource.version;
      if (isNewer) picture.set(entry.resource.id, JSON.stringify(entry.resource));
    }
    if (isSnapshot) {
      // Every entry of a snapshot carries the number from which the feed goes on.
      place = page.resources[0]?.sequence ?? place;
      isSnapshot = page.hasMore || page.nextCursor === null;
    } else if (!page.hasMore) {
      faults.push(...checkUpToDate(path, sentAt, place ?? 0, changes, sequences));
    }
  }
  const missed = numbersBetween(place, last + 1).filter((number) => numbers.has(number));
  if (missed.length > 0) faults.push(`it never saw the entries ${missed.join(', ')}`);
  if (following.begins !== 'latest') {
    for (const { id, installer_company_id, projection } of final.jobs) {
      if (installer_company_id === companyId && picture.get(id) !== projection) {
        faults.push(`job ${id} is ${String(projection)}, but the reader has ${String(picture.get(id))}`);
      }
    }
  }
  return faults;
}

/** An entry of a job that has left the company for certain must not be there. */
function checkVisible(
  { resource, sequence }: FeedEntry,
  companyId: string,
  timeline: Timeline,
  from: number,
  to: number,
): string[] {
  if (timeline.chain(resource.id) === undefined) return [];
  return timeline.canHaveHad(resource.id, companyId, from, to)
    ? []
    : [`entry ${sequence} of job ${resource.id}, which has left the company`];
}

function checkPlace(
  { sequence, resource }: FeedEntry,
  place: number | undefined,
  sequences: ReadonlyMap<string, number>,
): string[] {
  const faults: string[] = [];
  if (place !== undefined && sequence <= place) faults.push(`entry ${sequence} comes after entry ${place}`);
  const kept = sequences.get(`${resource.id} ${resource.version}`);
  if (kept !== undefined && kept !== sequence) {
    faults.push(`job ${resource.id} version ${resource.version} has the numbers ${sequence} and ${kept}`);
  }
  return faults;
}

/** A page with nothing after it holds all that had been acknowledged before it was asked for. */
function checkUpToDate(
  path: string,
  sentAt: number,
  place: number,
  changes: readonly Change[],
  sequences: ReadonlyMap<string, number>,
): string[] {
  return changes.flatMap(({ jobId, link }) => {
    const sequence = sequences.get(`${jobId} ${link.version}`);
    const knownAt = link.maker.kind === 'write' ? link.maker.asked.kept?.knownAt : undefined;
    if (sequence === undefined || knownAt === undefined || knownAt > sentAt || sequence <= place) return [];
    return [`GET ${path} ends at ${place}, though entry ${sequence} had been acknowledged`];
  });
}

function numbersBetween(after: number | undefined, before: number): number[] {
  if (after === undefined) return [];
  return Array.from({ length: Math.max(0, before - after - 1) }, (_, index) => after + 1 + index);
}

function versionIn(resource: string): number {
  const value = parseJson(resource);
  return typeof value === 'object' && value !== null && 'version' in value ? Number(value.version) : 0;
}

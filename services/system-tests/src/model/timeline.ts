import type { ChainLink } from './chain-link.js';
import type { JobChain } from './job-chains.js';

/** That somebody was shown a version of a job in an answer that came at `to`. */
export interface Sighting {
  readonly jobId: string;
  readonly version: number;
  readonly to: number;
}

/**
 * When each version of each job can have been the newest, by the clients' clock: not before the write that made it was sent,
 * and not after a later version was shown to anybody. What an answer shows must fit into the time between its request and
 * itself; that makes the checks right whatever ran at the same time.
 */
export interface Timeline {
  readonly chains: readonly JobChain[];
  chain(jobId: string): JobChain | undefined;
  /** Whether the version can have been the newest at some time in between. */
  canBeNewest(jobId: string, version: number, from: number, to: number): boolean;
  /** The versions that can have been the newest at some time in between. */
  linksBetween(jobId: string, from: number, to: number): readonly ChainLink[];
  /** Whether the company can have had the job at some time in between. */
  canHaveHad(jobId: string, companyId: string, from: number, to: number): boolean;
}

/** Joins the chains with what was seen of them. */
export function createTimeline(chains: readonly JobChain[], sightings: readonly Sighting[]): Timeline {
  const byJob = new Map(chains.map((chain) => [chain.job.id, chain]));
  const overtaken = new Map(
    chains.map(({ job, links }) => {
      // At each place: when a version higher than this one was first seen.
      const knownBy = links.map(() => Infinity);
      for (const { jobId, version, to } of sightings) {
        if (jobId !== job.id) continue;
        const place = Math.min(version, links.length) - 1;
        knownBy[place] = Math.min(knownBy[place] ?? Infinity, to);
      }
      for (let place = links.length - 2; place >= 0; place -= 1) {
        knownBy[place] = Math.min(knownBy[place] ?? Infinity, knownBy[place + 1] ?? Infinity);
      }
      return [job.id, knownBy];
    }),
  );
  const timeline: Timeline = {
    chains,
    chain: (jobId) => byJob.get(jobId),
    canBeNewest: (jobId, version, from, to) =>
      timeline.linksBetween(jobId, from, to).some((link) => link.version === version),
    linksBetween(jobId, from, to) {
      const knownBy = overtaken.get(jobId) ?? [];
      return (byJob.get(jobId)?.links ?? []).filter(
        (link) => link.from <= to && (knownBy[link.version] ?? Infinity) >= from,
      );
    },
    canHaveHad: (jobId, companyId, from, to) =>
      timeline.linksBetween(jobId, from, to).some(({ state }) => state.installerId === companyId),
  };
  return timeline;
}

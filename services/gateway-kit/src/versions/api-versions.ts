import type { ApiVersionLife } from '@partner/proto-contracts/api/versions';
import { invariant } from '@partner/kernel/process/invariant';

export const API_VERSION_HEADER = 'x-svc-api-version';

interface ApiVersion {
  readonly date: string;
  /**
   * Headers of each response: the version and, if it is superseded, `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a
   * link to the change.
   */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ApiVersions {
  readonly current: ApiVersion;
  /** Selects the version of a request: the one that its `x-svc-api-version` header pins, else the current one. */
  select(header: string | undefined): {
    readonly version: ApiVersion;
    /** What is wrong with the header; undefined if it is valid. */
    readonly problem: string | undefined;
  };
}

/**
 * Creates the versions of a surface (spec: Versioning). After its end date, a version is refused as unknown. There is no conversion
 * between versions yet: the first breaking change adds one.
 */
export function createApiVersions(
  /** Oldest first; the last one is current. */
  lives: readonly ApiVersionLife[],
  now: () => Date,
): ApiVersions {
  const known = lives.map((life, place) => ({ life, version: versionOf(life, lives[place + 1]) }));
  const current = known.at(-1)?.version;
  invariant(current, 'there is a current version');
  return {
    current,
    select(header) {
      if (header === undefined) return { version: current, problem: undefined };
      const today = now().getTime();
      const working = known.filter(
        ({ life: { superseded } }) => superseded === undefined || today < startOf(superseded.ends),
      );
      const pinned = working.find(({ life }) => life.date === header);
      if (pinned !== undefined) return { version: pinned.version, problem: undefined };
      const dates = working.map(({ life }) => life.date).join(', ');
      const mustBe = working.length === 1 ? `must be ${dates}` : `must be one of ${dates}`;
      const ended = lives.find(({ date }) => date === header)?.superseded;
      const problem = ended === undefined ? mustBe : `${mustBe}; ${header} ended on ${ended.ends}`;
      return { version: current, problem };
    },
  };
}

function startOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getTime();
}

function versionOf({ date, superseded }: ApiVersionLife, successor: ApiVersionLife | undefined): ApiVersion {
  return {
    date,
    headers: {
      [API_VERSION_HEADER]: date,
      ...(superseded !== undefined &&
        successor !== undefined && {
          Deprecation: `@${startOf(successor.announced) / 1_000}`,
          Sunset: new Date(startOf(superseded.ends)).toUTCString(),
          Link: `<${superseded.link}>; rel="deprecation"`,
        }),
    },
  };
}

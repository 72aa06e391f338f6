import type { ApiVersionLife } from '@partner/proto-contracts/public-api/versions';
import { invariant } from '@partner/kernel/invariant';

/** The header that pins a version in a request, and tells in every answer which one was used. */
export const API_VERSION_HEADER = 'x-svc-api-version';

/** How long a version works after its successor was announced, at the least (spec: Versioning 3). */
const SUPPORTED_DAYS = 90;
const DAY_MS = 24 * 3_600_000;

/** A JSON object of which only some fields matter. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Turns an object of one version into one of the version next to it. Changes nothing in the object given. */
export type Rewrite = (object: JsonObject) => JsonObject;

/** How one operation of a superseded version differs from the same operation of the version after it. */
export interface VersionDifference {
  /**
   * Turn what a caller of the superseded version sends into what the version after it takes. They come before validation and
   * must bear anything: what they do not know they leave for validation to judge. A body that is no object is left alone.
   */
  readonly request?: { readonly query?: Rewrite; readonly body?: Rewrite };
  /** Turns the body of a successful answer of the version after it into one of the superseded version. */
  readonly answer?: Rewrite;
}

/** What differs in a superseded version from the version after it, by operation id. An operation that is missing is the same in both. */
export type VersionDifferences = Readonly<Record<string, VersionDifference>>;

/** What lies between one version of an operation and the current one; what is undefined is the same in both. */
export interface Translation {
  readonly query: Rewrite | undefined;
  readonly body: Rewrite | undefined;
  readonly answer: Rewrite | undefined;
}

/** One version as requests are served with it. */
export interface ApiVersion {
  readonly date: string;
  /**
   * The headers of each of its answers: which version it is and, for a superseded one, `Deprecation` (RFC 9745), `Sunset`
   * (RFC 8594) and where the change is described.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when the operation is the same in the current version. */
  translationOf(operationId: string): Translation | undefined;
}

/** The versions of a surface. */
export interface ApiVersions {
  readonly current: ApiVersion;
  /** Every operation that is not the same in all versions. */
  readonly differingOperations: ReadonlySet<string>;
  /** The version for a request with this `x-svc-api-version` header: the one it pins, else the current one. */
  select(header: string | undefined): {
    readonly version: ApiVersion;
    /** What is wrong with the header, if anything is. */
    readonly problem: string | undefined;
  };
}

/**
 * Makes the versions of a surface (spec: Versioning 3). Services know the current one only: a request of a superseded one is
 * brought up step by step, from each version to the one after it, and a successful answer is brought down the same way.
 * Errors are not versioned. From its end on a version is refused as one that never was, by the clock. Throws when the lives
 * are out of order, or a version is given less than its 90 days.
 */
export function createApiVersions(versions: {
  /** Oldest first; the last one is the current version. */
  readonly lives: readonly ApiVersionLife[];
  /** By the date of a superseded version. */
  readonly differences: Readonly<Record<string, VersionDifferences>>;
  readonly now: () => Date;
}): ApiVersions {
  const { lives, differences, now } = versions;
  assertInOrder(lives);
  for (const date of Object.keys(differences)) {
    invariant(
      lives.some((life) => life.date === date && life.superseded !== undefined),
      `differences are those of a superseded version, not of ${date}`,
    );
  }
  const known = lives.map((life, place) => {
    const steps = lives.slice(place).map(({ date }) => differences[date] ?? {});
    return { life, version: versionOf(life, lives[place + 1], steps) };
  });
  const current = known.at(-1)?.version;
  invariant(current !== undefined, 'there is a current version');
  return {
    current,
    differingOperations: new Set(Object.values(differences).flatMap((ofVersion) => Object.keys(ofVersion))),
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

/** The instant at which a day begins. */
function startOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getTime();
}

function assertInOrder(lives: readonly ApiVersionLife[]): void {
  for (const [place, { date, announced, superseded }] of lives.entries()) {
    for (const day of [date, announced, ...(superseded === undefined ? [] : [superseded.ends])]) {
      invariant(
        /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(startOf(day)),
        `a version's days are dates, not ${day}`,
      );
    }
    const before = lives[place - 1];
    invariant(before === undefined || date > before.date, `versions stand in order of date: ${date}`);
    const next = lives[place + 1];
    invariant(
      (next === undefined) === (superseded === undefined),
      `every version but the current one has an end: ${date}`,
    );
    if (next === undefined || superseded === undefined) continue;
    invariant(
      startOf(superseded.ends) - startOf(next.announced) >= SUPPORTED_DAYS * DAY_MS,
      `version ${date} works for at least ${SUPPORTED_DAYS} days after its successor was announced`,
    );
    invariant(
      next.superseded === undefined || superseded.ends <= next.superseded.ends,
      `version ${date} ends no later than its successor`,
    );
  }
}

/** `steps`: what differs in the version itself and in those between it and the current one, oldest first. */
function versionOf(
  { date, superseded }: ApiVersionLife,
  successor: ApiVersionLife | undefined,
  steps: readonly VersionDifferences[],
): ApiVersion {
  const ids = new Set(steps.flatMap((differences) => Object.keys(differences)));
  const translations = new Map([...ids].map((id) => [id, translationThrough(steps, id)]));
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
    translationOf: (operationId) => translations.get(operationId),
  };
}

function translationThrough(steps: readonly VersionDifferences[], operationId: string): Translation {
  const differences = steps.flatMap(({ [operationId]: difference }) => difference ?? []);
  return {
    query: oneAfterAnother(differences.flatMap(({ request }) => request?.query ?? [])),
    body: oneAfterAnother(differences.flatMap(({ request }) => request?.body ?? [])),
    answer: oneAfterAnother(differences.flatMap(({ answer }) => answer ?? []).reverse()),
  };
}

function oneAfterAnother(rewrites: readonly Rewrite[]): Rewrite | undefined {
  if (rewrites.length === 0) return undefined;
  return (object) => rewrites.reduce((rewritten, rewrite) => rewrite(rewritten), object);
}

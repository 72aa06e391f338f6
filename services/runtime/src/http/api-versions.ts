import { invariant } from '../invariant.js';

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

/** A version that still works and has a newer one after it. */
export interface SupersededVersion {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly deprecated: {
    /** When the version after it was announced. */
    readonly since: Date;
    /** From when on it may stop working, at least 90 days later (spec: Versioning 3). */
    readonly sunset: Date;
    /** Where the change is described: a URL, or a path on the same base address. */
    readonly link: string;
  };
  /** By operation id. An operation that is not named here is the same in both versions. */
  readonly differences: Readonly<Record<string, VersionDifference>>;
}

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
 * Errors are not versioned. Throws when dates are out of order, or a version is given less than its 90 days.
 */
export function createApiVersions(versions: {
  /** Oldest first. */
  readonly superseded: readonly SupersededVersion[];
  /** `YYYY-MM-DD` */
  readonly current: string;
}): ApiVersions {
  const dates = [...versions.superseded.map(({ date }) => date), versions.current];
  for (const [place, date] of dates.entries()) {
    invariant(/^\d{4}-\d{2}-\d{2}$/.test(date), `a version is named by its date, not ${date}`);
    invariant(place === 0 || date > (dates[place - 1] ?? ''), `versions stand in order of date: ${date}`);
  }
  const superseded = versions.superseded.map((version, place) =>
    supersededVersion(version, versions.superseded.slice(place)),
  );
  const current: ApiVersion = {
    date: versions.current,
    headers: { [API_VERSION_HEADER]: versions.current },
    translationOf: () => undefined,
  };
  const byDate = new Map([...superseded, current].map((version) => [version.date, version]));
  const problem = dates.length === 1 ? `must be ${versions.current}` : `must be one of ${dates.join(', ')}`;
  return {
    current,
    differingOperations: new Set(versions.superseded.flatMap(({ differences }) => Object.keys(differences))),
    select(header) {
      if (header === undefined) return { version: current, problem: undefined };
      const version = byDate.get(header);
      return version === undefined ? { version: current, problem } : { version, problem: undefined };
    },
  };
}

/** `steps`: the version itself and those between it and the current one, oldest first. */
function supersededVersion(
  { date, deprecated: { since, sunset, link } }: SupersededVersion,
  steps: readonly SupersededVersion[],
): ApiVersion {
  invariant(
    sunset.getTime() - since.getTime() >= SUPPORTED_DAYS * DAY_MS,
    `version ${date} works for at least ${SUPPORTED_DAYS} days after its successor was announced`,
  );
  const ids = new Set(steps.flatMap(({ differences }) => Object.keys(differences)));
  const translations = new Map([...ids].map((id) => [id, translationThrough(steps, id)]));
  return {
    date,
    headers: {
      [API_VERSION_HEADER]: date,
      Deprecation: `@${Math.floor(since.getTime() / 1_000)}`,
      Sunset: sunset.toUTCString(),
      Link: `<${link}>; rel="deprecation"`,
    },
    translationOf: (operationId) => translations.get(operationId),
  };
}

function translationThrough(steps: readonly SupersededVersion[], operationId: string): Translation {
  const differences = steps.flatMap(({ differences: { [operationId]: difference } }) => difference ?? []);
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

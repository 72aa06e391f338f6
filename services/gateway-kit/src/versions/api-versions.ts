import type { ApiVersionLife } from '@partner/proto-contracts/api/versions';
import { invariant } from '@partner/kernel/process/invariant';

/** Header that pins the version of a request and names the version of every response. */
export const API_VERSION_HEADER = 'x-svc-api-version';

/** Minimum days that a version keeps working after its successor is announced (spec: Versioning 3). */
const SUPPORTED_DAYS = 90;
const DAY_MS = 24 * 3_600_000;

/** A JSON object of which the code reads only some fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether a JSON value is an object: not an array, `null` or a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts an object of one version to the adjacent version. Must not mutate its input. */
export type Rewrite = (object: JsonObject) => JsonObject;

/** How one operation of a superseded version differs from the next version. */
interface VersionDifference {
  /**
   * Converts the request to the next version. Runs before validation, so it must accept any input and leave unknown
   * values for validation to judge. A body that is not an object is left unchanged.
   */
  readonly request?: { readonly query?: Rewrite; readonly body?: Rewrite };
  /** Converts the body of a successful response of the next version to the superseded version. */
  readonly response?: Rewrite;
}

/**
 * Differences of a superseded version from the next version, by operation id. An operation without an entry is
 * unchanged.
 */
export type VersionDifferences = Readonly<Record<string, VersionDifference>>;

/** Conversion between one version of an operation and the current one. An undefined side needs no conversion. */
export interface Translation {
  readonly query: Rewrite | undefined;
  readonly body: Rewrite | undefined;
  readonly response: Rewrite | undefined;
}

/** One version of the API. */
interface ApiVersion {
  readonly date: string;
  /**
   * Headers of each response: the version and, if it is superseded, `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a
   * link to the change.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the operation is the same in the current version. */
  translationOf(operationId: string): Translation | undefined;
}

/** The versions of a surface. */
export interface ApiVersions {
  readonly current: ApiVersion;
  /** Operations that differ between versions. */
  readonly differingOperations: ReadonlySet<string>;
  /** Selects the version of a request: the one that its `x-svc-api-version` header pins, else the current one. */
  select(header: string | undefined): {
    readonly version: ApiVersion;
    /** What is wrong with the header; undefined if it is valid. */
    readonly problem: string | undefined;
  };
}

/**
 * Creates the versions of a surface (spec: Versioning 3). Services only implement the current version. A request of a
 * superseded version is converted step by step to the current one; a successful response is converted back the same
 * way. Errors are not versioned. After its end date, a version is refused as unknown. Throws if the lifetimes are out
 * of order or a version has less than its 90 days.
 */
export function createApiVersions(versions: {
  /** Oldest first; the last one is current. */
  readonly lives: readonly ApiVersionLife[];
  /** Keyed by the date of a superseded version. */
  readonly differences: Readonly<Record<string, VersionDifferences>>;
  readonly now: () => Date;
}): ApiVersions {
  const { lives, differences, now } = versions;
  assertInOrder(lives);
  for (const date of Object.keys(differences)) {
    invariant(
      lives.some((life) => life.date === date && life.superseded !== undefined),
      `differences must belong to a superseded version, not to ${date}`,
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

/** Returns the first instant of a day. */
function startOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getTime();
}

function assertInOrder(lives: readonly ApiVersionLife[]): void {
  for (const [place, { date, announced, superseded }] of lives.entries()) {
    for (const day of [date, announced, ...(superseded === undefined ? [] : [superseded.ends])]) {
      invariant(
        /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(startOf(day)),
        `a version's days must be dates, not ${day}`,
      );
    }
    const before = lives[place - 1];
    invariant(before === undefined || date > before.date, `versions must be in order of date: ${date}`);
    const next = lives[place + 1];
    invariant(
      (next === undefined) === (superseded === undefined),
      `every version but the current one must have an end: ${date}`,
    );
    if (next === undefined || superseded === undefined) continue;
    invariant(
      startOf(superseded.ends) - startOf(next.announced) >= SUPPORTED_DAYS * DAY_MS,
      `version ${date} must work for at least ${SUPPORTED_DAYS} days after its successor was announced`,
    );
    invariant(
      next.superseded === undefined || superseded.ends <= next.superseded.ends,
      `version ${date} must end no later than its successor`,
    );
  }
}

/** `steps`: the differences from this version to the current one, oldest first. */
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
    response: oneAfterAnother(differences.flatMap(({ response }) => response ?? []).reverse()),
  };
}

function oneAfterAnother(rewrites: readonly Rewrite[]): Rewrite | undefined {
  if (rewrites.length === 0) return undefined;
  return (object) => rewrites.reduce((rewritten, rewrite) => rewrite(rewritten), object);
}

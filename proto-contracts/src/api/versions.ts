/** The installer API's current version date (spec: Versioning 1), in `x-svc-api-version` and every `apiVersion`. */
export const CURRENT_API_VERSION = '2026-08-26';

/** Lifetime of one version of the installer API. Days are `YYYY-MM-DD` and begin at 00:00 UTC. */
export interface ApiVersionLife {
  readonly date: string;
  /** The day on which the changelog and the email to the technical contacts announce it. */
  readonly announced: string;
  /** Set for every version but the current one. */
  readonly superseded?: {
    /** The first day on which it is refused, at least 90 days after its successor is announced (spec: Versioning 3). */
    readonly ends: string;
    /** Link to the description of the change: a URL, or a path on the same base address. */
    readonly link: string;
  };
}

/** Every version of the installer API, oldest first, including versions that have ended. */
export const API_VERSION_LIVES: readonly ApiVersionLife[] = [
  { date: CURRENT_API_VERSION, announced: '2026-08-26' },
];

export const CURRENT_SCHEMA_VERSION = 1;

/** The version of the signature scheme: the label before `=` in `x-svc-signature`. */
export const SIGNATURE_SCHEME = 'v1';

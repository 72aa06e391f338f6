/** The installer API's current version date (spec: Versioning 1), in `x-svc-api-version` and every `apiVersion`. */
export const CURRENT_API_VERSION = '2026-08-26';

/** The current schema version of webhook payloads (spec: Versioning 4). */
export const CURRENT_SCHEMA_VERSION = 1;

/** The version of the signature scheme, the label before `=` in `x-svc-signature`. */
export const SIGNATURE_SCHEME = 'v1';

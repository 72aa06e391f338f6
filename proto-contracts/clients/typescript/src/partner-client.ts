import createClient, { type MaybeOptionalInit, type ParseAsResponse } from 'openapi-fetch';
import type {
  PathsWithMethod,
  Readable,
  RequiredKeysOf,
  ResponseObjectMap,
  SuccessResponse,
} from 'openapi-typescript-helpers';
import { delay } from './delay.js';
import { API_VERSION, type paths } from './gen/schema.js';
import { errorOf, PartnerError } from './partner-error.js';
import { requireVisible } from './require-visible.js';
import { createRetryingFetch, type RetryLimits, type Surroundings } from './send-with-retries.js';
import { eventFeedSecret, refusalOf } from './verify-signature.js';

/** The same as that of openapi-fetch, which does not export it. */
type InitParam<Init> =
  RequiredKeysOf<Init> extends never
    ? [(Init & { [key: string]: unknown })?]
    : [Init & { [key: string]: unknown }];

type PathOf<Method extends 'get' | 'post' | 'put' | 'delete'> = PathsWithMethod<paths, Method>;
type InitOf<Path extends keyof paths, Method extends keyof paths[Path]> = MaybeOptionalInit<
  paths[Path],
  Method
>;

/** Named, because the types that the compiler would write instead are not among those of openapi-fetch for CommonJS. */
type BodyOf<Operation extends Record<string | number, unknown>, Init> = Promise<
  NonNullable<
    ParseAsResponse<Readable<SuccessResponse<ResponseObjectMap<Operation>, 'application/json'>>, Init>
  >
>;

/**
 * The operations that an API key can use, typed by the API description. Each takes the path and its input, resolves to the body of
 * the success, and throws a `PartnerError` otherwise. Safe to share.
 */
export type PartnerClient = ReturnType<typeof createPartnerClient>;

export interface PartnerClientOptions {
  /** For example `https://api.partner.example`. */
  readonly baseUrl: string;
  /** `<keyId>.<secret>`. */
  readonly apiKey: string;
  readonly retries?: RetryLimits;
  /** Default: that of the runtime. */
  readonly fetch?: Surroundings['fetch'];
}

/**
 * Creates a client that pins the API version of its types. A write without an `Idempotency-Key` gets one, which every retry
 * repeats, so a write takes effect once however often it is sent. It verifies the signature of manifests. Throws a `TypeError` for a key with white
 * space.
 */
export function createPartnerClient(
  { baseUrl, apiKey, retries = {}, fetch = (request) => globalThis.fetch(request) }: PartnerClientOptions,
  surroundings: Omit<Surroundings, 'fetch'> = { now: Date.now, random: Math.random, delay },
) {
  requireVisible('apiKey', apiKey);
  const calls = createClient<paths, 'application/json'>({
    baseUrl,
    headers: { 'x-api-key': apiKey, 'x-svc-api-version': API_VERSION },
    fetch: createRetryingFetch(retries, { fetch, ...surroundings }),
  });
  calls.use({
    onRequest({ request }) {
      if (request.method === 'GET' || request.headers.has('idempotency-key')) return undefined;
      request.headers.set('idempotency-key', globalThis.crypto.randomUUID());
      return request;
    },
    async onResponse({ request, response, schemaPath, options }) {
      const idempotencyKey = request.headers.get('idempotency-key') ?? undefined;
      if (!response.ok) throw await errorOf(response, idempotencyKey);
      if (options.parseAs === 'json' && !(await isJson(response.clone())))
        throw new PartnerError(`the response of ${schemaPath} is not JSON`, {
          idempotencyKey,
          retryable: true,
        });
      if (schemaPath.endsWith('/manifest')) {
        const refusal = await refusalOf(
          (name) => response.headers.get(name) ?? undefined,
          new Uint8Array(await response.clone().arrayBuffer()),
          { secrets: [eventFeedSecret(apiKey)], toleranceSeconds: 300, now: surroundings.now() },
        );
        if (refusal !== undefined) throw new PartnerError(`the response of ${schemaPath}: ${refusal}`);
      }
      return undefined;
    },
  });
  return {
    GET: async <Path extends PathOf<'get'>, Init extends InitOf<Path, 'get'>>(
      path: Path,
      ...init: InitParam<Init>
    ): BodyOf<paths[Path]['get'], Init> => bodyOf(path, await calls.GET<Path, Init>(path, ...init)),
    POST: async <Path extends PathOf<'post'>, Init extends InitOf<Path, 'post'>>(
      path: Path,
      ...init: InitParam<Init>
    ): BodyOf<paths[Path]['post'], Init> => bodyOf(path, await calls.POST<Path, Init>(path, ...init)),
    PUT: async <Path extends PathOf<'put'>, Init extends InitOf<Path, 'put'>>(
      path: Path,
      ...init: InitParam<Init>
    ): BodyOf<paths[Path]['put'], Init> => bodyOf(path, await calls.PUT<Path, Init>(path, ...init)),
    DELETE: async <Path extends PathOf<'delete'>, Init extends InitOf<Path, 'delete'>>(
      path: Path,
      ...init: InitParam<Init>
    ): BodyOf<paths[Path]['delete'], Init> => bodyOf(path, await calls.DELETE<Path, Init>(path, ...init)),
  };
}

async function isJson(response: Response): Promise<boolean> {
  return response.json().then(
    (body) => body !== null,
    () => false,
  );
}

function bodyOf<T>(path: string, { data }: { readonly data?: T }): NonNullable<T> {
  if (data === undefined || data === null) throw new PartnerError(`the response of ${path} has no body`);
  return data;
}

import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { Scope, Surface } from '@partner/proto-contracts/api/scopes';
import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { isSpanContextValid, type Span, SpanStatusCode } from '@opentelemetry/api';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { runWithRequestId } from '@partner/kernel/telemetry/request-context';
import { memoryLimitBytes } from '@partner/kernel/process/memory-limit';
import { createShareGate, type ShareGate } from '@partner/kernel/process/share-gate';
import { isFailure, ServiceError } from '@partner/kernel/process/service-error';
import { withSpan } from '@partner/kernel/telemetry/tracing';
import { type After, afterMs } from '@partner/kernel/process/timers';
import { createStrangerLimits, type StrangerLimits, type StrangerLimitOptions } from './stranger-limits.js';
import { conditionalResponse } from './entity-tag.js';
import { API_VERSION_HEADER, type ApiVersions } from '../versions/api-versions.js';
import type { SentJson } from './canonical-json.js';
import { clientAddress, clientNetwork } from '../auth/client-address.js';
import { withContentCoding } from './content-coding.js';
import { countRequest, setRateLimitHeaders } from '../limits/count-request.js';
import { type AnyEndpoint, type EndpointResponse, methodsByPath } from './endpoint.js';
import { protocolViolation } from './protocol-violation.js';
import { createFairTurns } from '../limits/fair-turns.js';
import type { RateLimiter } from '../limits/rate-limiter.js';
import { readInput } from './read-input.js';
import { createRequestBodies, type RequestBodies } from './request-body.js';
import { createCalls, signalOfGone } from './request-calls.js';
import { requestIdFrom } from '@partner/kernel/telemetry/request-id';
import { requireScope } from '../auth/require-scope.js';
import { createRequestLog, type RequestRecord } from './request-log.js';
import { createSecurityHeaders } from './security-headers.js';
import { refuse, send } from './send-response.js';
import type { AuthenticationRequest, SurfaceRequest } from '../auth/surface-request.js';
import { createUnreadResponses, type UnreadResponses } from './unread-responses.js';
import { invalidArgument } from '@partner/kernel/process/validation';

/**
 * Shares of the memory limit of the process. Bodies are held up to three times: as bytes, as text and as values. Idle, a process
 * uses a third of the smallest limit in the charts.
 */
const MEMORY_SHARES = { bodies: 1 / 8, unreadResponses: 1 / 8 } as const;
/** Requests that start in one turn of the event loop, each of which keeps it busy for about a millisecond, and that wait for theirs. */
const TURNS = { perTurn: 2, maxWaiting: 1_000 } as const;

/** An authenticated request that has passed the rate limit and the scope check. */
export interface AdmittedRequest {
  /** Runs the endpoint. Call it at most once. */
  respond(): Promise<EndpointResponse>;
  readonly signal: AbortSignal;
  /** Sets rate limit headers that report an exhausted limit for this time. */
  showExhausted(seconds: number): void;
}

export interface HttpAppOptions<Principal> {
  readonly endpoints: readonly AnyEndpoint<Principal>[];
  /** Resolves to the caller. Throws a `ServiceError`; `unauthenticated` for invalid credentials. */
  readonly authenticate: (request: AuthenticationRequest) => Promise<Principal>;
  /** `WWW-Authenticate` of a 401 (RFC 9110, 11.6.1). */
  readonly challenge: string;
  readonly scopesOf: (principal: Principal) => readonly Scope[];
  /** For API keys: the surface whose key kinds a 403 lists. */
  readonly keySurface?: Surface;
  readonly rateLimit: {
    readonly limiter: RateLimiter;
    /** Key of the count, e.g. `inbound:cmp_…`. */
    readonly keyOf: (principal: Principal) => string;
    readonly limitOf: (principal: Principal) => number;
    /** Counted requests, in the words of a 429 after "requests a minute". */
    readonly countedAs: string;
  };
  /**
   * Limit of failed authentications per client address (IPv6: per /64). Successful requests are never counted or refused by it.
   * The limiter may be the same one.
   */
  readonly failedAuthentication: StrangerLimitOptions['failedAuthentication'];
  /** Limit of requests to operations that need no credentials and take a body. Required if there are any. */
  readonly withoutCredentials?: StrangerLimitOptions['withoutCredentials'];
  /** Maximum bytes of a body, unless its operation states them; 1 MB without it. */
  readonly maxBodyBytes?: number;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** The caller's company. Its requests in flight share this process's RPCs with those of other companies. */
  readonly companyOf: (principal: Principal) => string;
  /** Total time of the RPCs of one request, in ms. */
  readonly rpcTimeoutMs: number;
  readonly trustedProxyHops: number;
  /** For a versioned surface: each response has an `x-svc-api-version`, and a request may pin one (spec: Versioning 1). */
  readonly versions?: ApiVersions;
  /** Runs with the scope check. Throws a `ServiceError` to refuse the endpoint to the caller. */
  readonly admit?: (principal: Principal, endpoint: AnyEndpoint<Principal>) => void;
  /** Sandbox only: responds right after the scope check instead of the endpoint, which it may run. */
  readonly injectFaults?:
    | ((principal: Principal, request: AdmittedRequest) => Promise<EndpointResponse>)
    | undefined;
  readonly memoryBytes?: number;
  readonly after?: After;
  /** Runs after the scope check and before the input is validated. Throws a `ServiceError` to refuse the request. */
  readonly beforeEndpoint?: (request: SurfaceRequest) => void;
  /** Returns what a browser shows for a path that does not exist; undefined for the error. */
  readonly pageOfUnknownPath?: (
    path: string,
    header: SurfaceRequest['header'],
  ) => EndpointResponse | undefined;
  readonly logFieldsOf?: (principal: Principal) => Readonly<Record<string, string>>;
  readonly companyClassOf?: (principal: Principal) => CompanyClassName;
}

/**
 * Creates the app of one surface.
 *
 * Before authentication it refuses requests that violate HTTP/1.1 (400, 501), unknown paths (404) and other methods (405). Then it
 * checks credentials (401), rate limit (429), scope (403), the caller's shares of memory and slots (413, 503), and parameters and body
 * (400), and runs the endpoint. Nothing reads the body before the shares are taken. Each response
 * has an `x-request-id`, and each error an `ErrorBody`, never a stack trace or a page of the framework. A 200 of a conditional
 * operation has an `ETag` for private caches; it becomes a 304 without a body if `If-None-Match` names that tag.
 *
 * Each request has one span, one log line `http.request_completed` and, unless its response is a stream, one observation of
 * `partner_http_request_duration_seconds`.
 */
export function createHttpApp<Principal>(options: HttpAppOptions<Principal>): RequestListener {
  const log = createRequestLog(options);
  const { memoryBytes = memoryLimitBytes(), after = afterMs } = options;
  const state: AppState = {
    unread: createUnreadResponses(memoryBytes * MEMORY_SHARES.unreadResponses),
    inFlight: createShareGate({ slots: 200, queue: 600, work: 'requests' }),
    bodies: createRequestBodies({ bytes: memoryBytes * MEMORY_SHARES.bodies, after }),
    strangerLimits: createStrangerLimits(options),
  };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');

  for (const endpoint of options.endpoints) {
    app.route(endpoint.path)[endpoint.method](async (request, response) => {
      await serve({ ...options, ...state }, endpoint, request, response, log.recordOf(request));
    });
  }
  for (const [path, methods] of methodsByPath(options.endpoints)) {
    app.all(path, (request, response) => {
      log.recordOf(request).route = path;
      response.setHeader('allow', methods.join(', '));
      throw new ServiceError(
        'method_not_allowed',
        `method: ${request.method} is not allowed here; allowed: ${methods.join(', ')}`,
      );
    });
  }
  app.use((request, response) => {
    const page = options.pageOfUnknownPath?.(request.path, (name) => request.get(name));
    if (page === undefined) throw new ServiceError('not_found', 'path: does not exist');
    send(request, response, page);
  });
  // Express recognises an error handler by its four parameters.
  app.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    // Express throws a URIError for a path that it cannot decode.
    const error =
      thrown instanceof URIError
        ? invalidArgument([{ path: 'path', message: 'must be percent-encoded UTF-8' }])
        : ServiceError.from(thrown);
    refuse(error, request, response, log.recordOf(request));
  });

  // With a third argument, which its types omit, Express calls it instead of sending its own page.
  const route: (request: IncomingMessage, response: ServerResponse, last: (thrown: unknown) => void) => void =
    app;
  const securityHeaders = createSecurityHeaders();
  const turns = createFairTurns(TURNS);
  return (request, response) => {
    const requestId = requestIdFrom(request.headers['x-request-id']?.toString());
    log.begin(request, response, requestId);
    turns(clientNetwork(addressOf(request, options)), () => {
      if (!response.closed) begin(request, response, requestId);
    });
  };

  function begin(request: IncomingMessage, response: ServerResponse, requestId: string): void {
    response.setHeader('x-request-id', requestId);
    response.setHeaders(securityHeaders);
    response.setHeader('cache-control', 'no-store');
    const selected = options.versions?.select(request.headers[API_VERSION_HEADER]?.toString());
    if (selected !== undefined) {
      const { date, headers } = selected.version;
      log.recordOf(request).apiVersion = date;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    }
    runWithRequestId(requestId, () => {
      const violation = protocolViolation(request);
      if (violation !== undefined) {
        response.setHeader('connection', 'close');
        refuse(violation, request, response, log.recordOf(request));
        return;
      }
      route(request, response, (thrown) => {
        // Without an error Express found no path in the target and called no handler.
        const error =
          thrown === undefined
            ? invalidArgument([{ path: 'path', message: 'must be present in the request target' }])
            : ServiceError.from(thrown);
        refuse(error, request, response, log.recordOf(request));
      });
    });
  }
}

function addressOf(
  request: IncomingMessage,
  { trustedProxyHops }: { readonly trustedProxyHops: number },
): string {
  const forwarded = request.headers['x-forwarded-for'];
  return clientAddress(request.socket.remoteAddress, forwarded?.toString(), trustedProxyHops);
}

interface AppState {
  readonly unread: UnreadResponses;
  /** Authenticated requests in flight, by company. */
  readonly inFlight: ShareGate;
  /** Bodies in flight, by company, or of requests without credentials by client. */
  readonly bodies: RequestBodies;
  readonly strangerLimits: StrangerLimits;
}

async function serve<Principal>(
  options: HttpAppOptions<Principal> & AppState,
  endpoint: AnyEndpoint<Principal>,
  request: Request,
  response: Response,
  record: RequestRecord,
): Promise<void> {
  record.route = endpoint.path;
  await withSpan(
    {
      name: `${request.method} ${endpoint.path}`,
      kind: 'SERVER',
      stranger: request.headers,
      attributes: { 'http.request.method': request.method, 'http.route': endpoint.path },
    },
    async (span) => {
      if (isSpanContextValid(span.spanContext())) record.traceId = span.spanContext().traceId;
      try {
        const result = await withContentCoding(
          await respondTo(options, endpoint, request, response, record),
          {
            method: request.method,
            accepts: (coding) => request.acceptsEncodings(coding) !== false,
          },
        );
        record.isStream = result.stream !== undefined;
        record.fields = result.logFields ?? {};
        send(request, response, result);
        record.respondedAt = performance.now();
        if (request.method !== 'HEAD') {
          options.unread.add(response, Number(response.getHeader('content-length') ?? 0));
        }
      } catch (thrown) {
        const error = ServiceError.from(thrown);
        markFailure(span, error);
        if (error.reason === 'unauthenticated') response.setHeader('WWW-Authenticate', options.challenge);
        refuse(error, request, response, record);
      }
      span.setAttribute('http.response.status_code', response.statusCode);
    },
  );
}

async function respondTo<Principal>(
  options: HttpAppOptions<Principal> & AppState,
  endpoint: AnyEndpoint<Principal>,
  request: Request,
  response: Response,
  record: RequestRecord,
): Promise<EndpointResponse> {
  const surfaceRequest: SurfaceRequest = {
    method: request.method,
    path: request.baseUrl + request.path,
    header: (name) => request.get(name),
    remoteAddress: addressOf(request, options),
  };
  const gone = signalOfGone(response);
  const callWith = createCalls(options.rpcTimeoutMs, gone);

  // oxlint-disable-next-line typescript/no-explicit-any -- an unauthenticated endpoint does not read it
  let principal: any;
  let caller: string;
  if (endpoint.unauthenticated === true) {
    caller = await options.strangerLimits.admit(surfaceRequest, endpoint, response);
  } else {
    const known = await callWith((call) =>
      options.strangerLimits.authenticate({ ...surfaceRequest, call }, options.authenticate, response),
    );
    caller = options.companyOf(known);
    record.principal = options.logFieldsOf?.(known) ?? {};
    if (options.companyClassOf !== undefined) record.companyClass = options.companyClassOf(known);
    principal = known;
    const { limiter, keyOf, limitOf, countedAs } = options.rateLimit;
    const [key, limit] = [keyOf(known), limitOf(known)];
    const verdict = await countRequest(request, response, { limiter, key, limit, countedAs });
    requireScope(endpoint, options.scopesOf(known), options.keySurface);
    options.admit?.(known, endpoint);
    if (options.injectFaults !== undefined) {
      return options.injectFaults(known, {
        respond: respondAdmitted,
        signal: gone,
        showExhausted: (seconds) =>
          setRateLimitHeaders(response, {
            policy: 'default',
            limit,
            verdict: { ...verdict, remaining: 0, resetSeconds: seconds },
          }),
      });
    }
  }
  return respondAdmitted();

  async function respondAdmitted(): Promise<EndpointResponse> {
    options.beforeEndpoint?.(surfaceRequest);
    const { body, bodyType, maxBodyBytes = options.maxBodyBytes ?? LIMITS.bodyBytes } = endpoint;
    const share = body && options.bodies.open(request, caller, maxBodyBytes, bodyType);
    const leaves = share === undefined ? [] : [() => share.release()];
    try {
      if (endpoint.unauthenticated !== true) {
        const enter = ({ timeoutMs = options.rpcTimeoutMs }) => options.inFlight.enter(caller, { timeoutMs });
        leaves.push(await callWith(enter));
      }
      const startedAt = performance.now();
      const sentBody = await share?.read().finally(() => (record.bodyMs = performance.now() - startedAt));
      return await respondWith(sentBody);
    } finally {
      for (const leave of leaves) leave();
    }
  }

  async function respondWith(sentBody: SentJson | undefined): Promise<EndpointResponse> {
    const selected = options.versions?.select(request.get(API_VERSION_HEADER));
    const input = readInput(endpoint, request, sentBody, selected?.problem);
    const apiVersion = selected?.version.date ?? CURRENT_API_VERSION;
    const handled = await callWith((call) =>
      endpoint.handle({
        ...input,
        // oxlint-disable-next-line typescript/no-unsafe-assignment -- known, or not read
        principal,
        operation: `${request.method} ${surfaceRequest.path}`,
        requestId: record.requestId,
        apiVersion,
        header: (name) => request.get(name),
        get headers() {
          return joinedHeaders(request);
        },
        call,
        remoteAddress: surfaceRequest.remoteAddress,
      }),
    );
    return endpoint.conditional === true
      ? conditionalResponse(handled, apiVersion, request.get('if-none-match'))
      : handled;
  }
}

function joinedHeaders({ headersDistinct }: IncomingMessage): Readonly<Record<string, string>> {
  const given = Object.entries(headersDistinct);
  return Object.fromEntries(given.map(([name, values = []]) => [name, values.join(', ')]));
}

function markFailure(span: Span, error: ServiceError): void {
  span.setAttribute('error.type', error.reason);
  if (isFailure(error)) span.setStatus({ code: SpanStatusCode.ERROR });
}

import type { CallOptions } from '@connectrpc/connect';
import { missingScope, requestLimitReached } from '@partner/proto-contracts/api/refusals';
import type { Scope, Surface } from '@partner/proto-contracts/api/scopes';
import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { isSpanContextValid, type Span, SpanStatusCode } from '@opentelemetry/api';
import express, { type NextFunction, type Request, type Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { serviceErrorFrom } from '@partner/kernel/amqp/rpc-error';
import { invariant } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import { runWithRequestId } from '@partner/kernel/request-context';
import { createShareGate, type ShareGate } from '@partner/kernel/share-gate';
import { httpStatusOf, ServiceError } from '@partner/kernel/service-error';
import { withSpan } from '@partner/kernel/telemetry/tracing';
import { conditionalResponse, rewrittenResponse } from './response-variants.js';
import { API_VERSION_HEADER, type ApiVersions } from './api-versions.js';
import { clientNetwork, plainAddress } from './client-address.js';
import { withContentCoding } from './content-coding.js';
import type { AnyEndpoint, EndpointResponse } from './endpoint.js';
import { protocolViolation } from './protocol-violation.js';
import { setRateLimitHeaders } from './rate-limit-headers.js';
import type { RateLimiter, RateLimitVerdict } from './rate-limiter.js';
import { readInput } from './read-input.js';
import { createCalls, signalOfGone } from './request-calls.js';
import { requestIdFrom } from '@partner/kernel/request-id';
import { createRequestLog, type RequestRecord } from './request-log.js';
import { createSecurityHeaders } from './security-headers.js';
import { refuse, send } from './send-response.js';
import { createUnreadResponses, type UnreadResponses } from './unread-responses.js';
import { invalidArgument } from '@partner/kernel/validation';

/** What a process keeps of responses that clients do not take: a small part of the memory that it is given. */
const UNREAD_ANSWERS_BYTES = 64 * 1_024 * 1_024;

/** Client networks that a process remembers as over the limit of failed authentications. */
const OVER_LIMIT_NETWORKS = 10_000;

/** What a surface may look at before it knows who the caller is. */
export interface SurfaceRequest {
  /** In upper case. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** A header by its lower-case name. A repeated one comes joined by commas. */
  header(name: string): string | undefined;
  /** The client's address, by `x-forwarded-for` only as far as the proxies are trusted. */
  readonly remoteAddress: string;
}

/** A request whose caller is to be found out. */
export interface AuthenticationRequest extends SurfaceRequest {
  /** Options for an RPC that finds the caller: deadline, cancellation and `x-request-id`. */
  readonly call: CallOptions;
  /** The last failed authentication of the client's network was over the limit, and the next one would be. */
  readonly isOverFailureLimit: boolean;
}

/** A request whose caller is known, within its limit and allowed to make it. */
export interface PlayedRequest {
  /** Responds to it; to be called at most once. */
  answer(): Promise<EndpointResponse>;
  /** Fires when the client has gone. */
  readonly signal: AbortSignal;
  /** Has the response say that the caller's limit is used up for so many seconds. */
  showExhausted(seconds: number): void;
}

/** Responds in place of its endpoint, which it may ask, or throws a `ServiceError`. */
export type FaultPlayer<Principal> = (
  principal: Principal,
  request: PlayedRequest,
) => Promise<EndpointResponse>;

/** One surface: its endpoints, and how callers are known and limited. */
export interface HttpAppOptions<Principal> {
  readonly endpoints: readonly AnyEndpoint<Principal>[];
  /** Resolves to the caller. Throws a `ServiceError`, `unauthenticated` when the caller cannot be told. */
  readonly authenticate: (request: AuthenticationRequest) => Promise<Principal>;
  /** The credentials that a 401 asks for in `WWW-Authenticate` (RFC 9110, 11.6.1). */
  readonly challenge: string;
  readonly scopesOf: (principal: Principal) => readonly Scope[];
  /** Of API keys: the surface whose kinds of keys a 403 names. */
  readonly keySurface?: Surface;
  readonly rateLimit: {
    readonly limiter: RateLimiter;
    /** What requests are counted by, e.g. `inbound:cmp_…`. */
    readonly keyOf: (principal: Principal) => string;
    /** Requests in any 60 seconds. */
    readonly limitOf: (principal: Principal) => number;
    /** What is counted, as a 429 says it after "requests a minute". */
    readonly countedAs: string;
  };
  /**
   * Requests that fail authentication, by client address (an IPv6 client by its /64). Others are never charged and never
   * refused for them. The limiter may be the same one.
   */
  readonly failedAuthentication: { readonly limiter: RateLimiter; readonly limitPerMinute: number };
  readonly logger: Logger;
  readonly metrics: Registry;
  /** The company, whose requests in flight get at most a quarter of the RPCs of this process. */
  readonly companyOf: (principal: Principal) => string;
  /** How long the RPCs of one request may take together. */
  readonly rpcTimeoutMs: number;
  /** Proxies in front whose `x-forwarded-for` is believed. */
  readonly trustedProxyHops: number;
  /** Of a versioned surface: every response says its `x-svc-api-version`, and a request may pin one (spec: Versioning 1). */
  readonly versions?: ApiVersions;
  /** In the sandbox only: has requests go wrong on purpose, after the scope check and before anything else. */
  readonly playFaults?: FaultPlayer<Principal> | undefined;
  /** Runs after the scope check and before parameters and body are looked at. Throws a `ServiceError` to refuse. */
  readonly beforeEndpoint?: (request: SurfaceRequest) => void;
  /** Fields of the principal for the log line of the request, e.g. `companyId` and `keyId`. */
  readonly logFieldsOf?: (principal: Principal) => Readonly<Record<string, string>>;
  /** The class of the principal's company, by which durations are measured. */
  readonly companyClassOf?: (principal: Principal) => CompanyClassName;
}

/**
 * Makes the app of one surface. A request that breaks HTTP/1.1 (400, 501), an unknown path (404) and a known path with another method (405) are answered
 * before authentication; for an endpoint the checks run in the order credentials (401), rate limit (429), scope (403),
 * parameters and body (400, 413), then the endpoint itself. Every response has `x-request-id`, every error response an
 * `ErrorBody`; nothing ever responds with a stack trace or a page of the framework. A response of 200 of a conditional
 * operation has an `ETag` and may be kept by private caches, or becomes a 304 without a body when `If-None-Match` names it. Each request makes one span, one
 * log line `http.request_completed` and, unless its response is a stream, one observation of
 * `partner_http_request_duration_seconds`.
 *
 * Throws when a version differs in an operation that no endpoint serves.
 */
export function createHttpApp<Principal>(options: HttpAppOptions<Principal>): RequestListener {
  for (const id of options.versions?.differingOperations ?? []) {
    invariant(
      options.endpoints.some((endpoint) => endpoint.id === id),
      `a version differs in ${id}, which is no operation of the surface`,
    );
  }
  const log = createRequestLog(options);
  const unread = createUnreadResponses(UNREAD_ANSWERS_BYTES);
  const inFlight = createShareGate({ slots: 200, queue: 600, work: 'requests' });
  const overFailureLimit = new LRUCache<string, true>({ max: OVER_LIMIT_NETWORKS });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', options.trustedProxyHops);

  for (const endpoint of options.endpoints) {
    app.route(endpoint.path)[endpoint.method](async (request, response) => {
      await serve(
        { ...options, unread, inFlight, overFailureLimit },
        endpoint,
        request,
        response,
        log.recordOf(request),
      );
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
  app.use(() => {
    throw new ServiceError('not_found', 'path: there is no such path');
  });
  // Express knows an error handler by its four parameters.
  app.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    const error = isUndecodable(thrown)
      ? invalidArgument([{ path: 'path', message: 'must be percent-encoded UTF-8' }])
      : serviceErrorFrom(thrown);
    refuse(error, request, response, log.recordOf(request));
  });

  // Express calls its third argument, which its types leave out for a server, in place of its own page.
  const route: (request: IncomingMessage, response: ServerResponse, last: (thrown: unknown) => void) => void =
    app;
  const securityHeaders = createSecurityHeaders();
  return (request, response) => {
    const requestId = requestIdFrom(request.headers['x-request-id']?.toString());
    log.begin(request, response, requestId);
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
        refuse(violation, request, response, log.recordOf(request));
        return;
      }
      route(request, response, (thrown) => {
        // Without a failure: no handler was asked, because Express found no path in the target.
        const error =
          thrown === undefined
            ? invalidArgument([{ path: 'path', message: 'must be readable from the request target' }])
            : serviceErrorFrom(thrown);
        refuse(error, request, response, log.recordOf(request));
      });
    });
  };
}

interface AppState {
  readonly unread: UnreadResponses;
  /** Authenticated requests by company; as many as RPCs. */
  readonly inFlight: ShareGate;
  /** By client network; an entry ends when one more failure fits. */
  readonly overFailureLimit: LRUCache<string, true>;
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
        const answer = await withContentCoding(await answerTo(options, endpoint, request, response, record), {
          method: request.method,
          acceptEncoding: request.get('accept-encoding'),
        });
        record.isStream = answer.stream !== undefined;
        send(request, response, answer);
        if (request.method !== 'HEAD') {
          options.unread.add(response, Number(response.getHeader('content-length') ?? 0));
        }
      } catch (thrown) {
        const error = serviceErrorFrom(thrown);
        markFailure(span, error);
        if (error.reason === 'unauthenticated') response.setHeader('WWW-Authenticate', options.challenge);
        refuse(error, request, response, record);
      }
      span.setAttribute('http.response.status_code', response.statusCode);
    },
  );
}

async function answerTo<Principal>(
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
    remoteAddress: plainAddress(request.ip),
  };
  const gone = signalOfGone(response);
  const callWith = createCalls(options.rpcTimeoutMs, record.requestId, gone);

  // oxlint-disable-next-line typescript/no-explicit-any -- an unauthenticated endpoint does not look at it
  let principal: any;
  if (endpoint.unauthenticated !== true) {
    const known = await callWith(async (call) =>
      authenticated(options, { ...surfaceRequest, call }, response),
    );
    record.principal = options.logFieldsOf?.(known) ?? {};
    if (options.companyClassOf !== undefined) record.companyClass = options.companyClassOf(known);
    principal = known;
    const { limiter, keyOf, limitOf, countedAs } = options.rateLimit;
    const limit = limitOf(known);
    const verdict = await limiter.take(keyOf(known), limit);
    setRateLimitHeaders(response, { policy: 'default', limit, verdict });
    if (!verdict.accepted) {
      const { retryAfterSeconds } = verdict;
      const message = requestLimitReached(limit, countedAs, retryAfterSeconds);
      throw new ServiceError('rate_limited', message, { retryAfterSeconds });
    }
    if (endpoint.scope !== undefined && !options.scopesOf(known).includes(endpoint.scope)) {
      invariant(options.keySurface, 'only API keys have scopes');
      throw new ServiceError('permission_denied', missingScope(options.keySurface, endpoint.scope));
    }
    if (options.playFaults !== undefined) {
      return options.playFaults(known, {
        answer: answerAdmitted,
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
  return answerAdmitted();

  async function answerAdmitted(): Promise<EndpointResponse> {
    options.beforeEndpoint?.(surfaceRequest);
    const selected = options.versions?.select(request.get(API_VERSION_HEADER));
    const translation = selected?.version.translationOf(endpoint.id);
    const input = await readInput(endpoint, request, { versionProblem: selected?.problem, translation });
    const apiVersion = selected?.version.date ?? CURRENT_API_VERSION;
    const leave = await callWith(async ({ timeoutMs = options.rpcTimeoutMs }) =>
      endpoint.unauthenticated === true
        ? undefined
        : // oxlint-disable-next-line typescript/no-unsafe-argument -- known, as the endpoint is authenticated
          options.inFlight.enter(options.companyOf(principal), timeoutMs),
    );
    const answer = await callWith((call) =>
      endpoint.handle({
        ...input,
        // oxlint-disable-next-line typescript/no-unsafe-assignment -- known, or not looked at
        principal,
        operation: `${request.method} ${surfaceRequest.path}`,
        requestId: record.requestId,
        apiVersion,
        header: (name) => request.get(name),
        call,
        remoteAddress: surfaceRequest.remoteAddress,
      }),
    ).finally(() => leave?.());
    const shown = translation?.answer === undefined ? answer : rewrittenResponse(answer, translation.answer);
    return endpoint.conditional === true
      ? conditionalResponse(shown, apiVersion, request.get('if-none-match'))
      : shown;
  }
}

/** Charges a failure of authentication to the client's address, and says so; over that limit the response is 429 in place of 401. */
async function authenticated<Principal>(
  options: Pick<HttpAppOptions<Principal>, 'authenticate' | 'failedAuthentication'> & AppState,
  request: Omit<AuthenticationRequest, 'isOverFailureLimit'>,
  response: Response,
): Promise<Principal> {
  const { limiter, limitPerMinute: limit } = options.failedAuthentication;
  const network = clientNetwork(request.remoteAddress);
  try {
    return await options.authenticate({
      ...request,
      isOverFailureLimit: options.overFailureLimit.has(network),
    });
  } catch (thrown) {
    const error = serviceErrorFrom(thrown);
    if (error.reason !== 'unauthenticated') throw error;
    const verdict = await limiter.take(`failed-authentication:${network}`, limit, 'stranger');
    if (!verdict.accepted) {
      options.overFailureLimit.set(network, true, { ttl: verdict.retryAfterSeconds * 1_000 });
    }
    setRateLimitHeaders(response, { policy: 'failed-authentication', limit, verdict });
    throw verdict.accepted ? error : tooManyFailures(limit, verdict);
  }
}

function tooManyFailures(limit: number, { retryAfterSeconds }: RateLimitVerdict): ServiceError {
  return new ServiceError(
    'rate_limited',
    `too many failed authentications from this address: the limit is ${limit} a minute; retry after ${retryAfterSeconds} seconds`,
    { retryAfterSeconds },
  );
}

function markFailure(span: Span, error: ServiceError): void {
  span.setAttribute('error.type', error.reason);
  if (httpStatusOf(error.reason) >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

function methodsByPath<Principal>(
  endpoints: readonly AnyEndpoint<Principal>[],
): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of endpoints) {
    const names = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
    methods.set(path, [...(methods.get(path) ?? []), ...names]);
  }
  return methods;
}

/** Express could not decode the path: its own error of status 400. */
function isUndecodable(thrown: unknown): boolean {
  return thrown instanceof URIError;
}

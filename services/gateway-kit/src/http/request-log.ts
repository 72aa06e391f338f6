import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Histogram, type Registry } from 'prom-client';
import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { isFailure, type ServiceError } from '@partner/kernel/process/service-error';

export interface RequestRecord {
  readonly requestId: string;
  /** Path pattern of the endpoint; `unmatched` if there is none. */
  route: string;
  traceId?: string;
  /** Date of the version of the response, on a versioned surface. */
  apiVersion?: string;
  /** Time for which the client sent the body, in ms. */
  bodyMs?: number;
  /** When the response was complete, on the monotonic clock; later only the client reads it. */
  respondedAt?: number;
  /** True for a streamed response. Its duration says nothing about the service, so it is not observed. */
  isStream?: boolean;
  companyClass?: CompanyClassName;
  fields?: Readonly<Record<string, string>>;
  principal: Readonly<Record<string, string>>;
  error?: ServiceError;
}

/** The apps of one process share its metrics. */
const metricsOf = new WeakMap<Registry, ReturnType<typeof createMetrics>>();

function createMetrics(registry: Registry) {
  const durations = new Histogram({
    name: 'partner_http_request_duration_seconds',
    help: 'Time that the service spends on a request, without the time in which the client sends its body and reads the response',
    labelNames: ['route', 'method', 'status_class'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const ofClasses = new Histogram({
    name: 'partner_http_company_class_request_duration_seconds',
    help: 'partner_http_request_duration_seconds of authenticated requests, by company class',
    labelNames: ['company_class', 'status_class'] as const,
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const metrics = { durations, ofClasses };
  metricsOf.set(registry, metrics);
  return metrics;
}

/** Creates the request log of one surface. Bodies, queries and headers are never logged: they hold personal data. */
export function createRequestLog(deps: { readonly logger: Logger; readonly metrics: Registry }) {
  const records = new WeakMap<IncomingMessage, RequestRecord>();
  const { durations, ofClasses } = metricsOf.get(deps.metrics) ?? createMetrics(deps.metrics);

  function complete(
    request: IncomingMessage,
    response: ServerResponse,
    record: RequestRecord,
    startedAt: number,
  ) {
    const now = performance.now();
    // What the client takes to send its body and to read the response says nothing about the service.
    const seconds = ((record.respondedAt ?? now) - startedAt - (record.bodyMs ?? 0)) / 1_000;
    // A client that leaves a stream has not missed a response.
    const isAborted = !response.writableFinished && record.isStream !== true;
    const method = KNOWN_METHODS.has(request.method ?? '') ? (request.method ?? '') : 'other';
    const { error } = record;
    const isOfCaller = response.statusCode >= 500 && error !== undefined && !isFailure(error);
    const statusClass = isAborted
      ? 'aborted'
      : isOfCaller
        ? 'refused'
        : `${Math.floor(response.statusCode / 100)}xx`;
    if (record.isStream !== true) {
      durations.observe({ route: record.route, method, status_class: statusClass }, seconds);
      if (record.companyClass !== undefined) {
        const company_class = record.companyClass.toLowerCase();
        ofClasses.observe({ company_class, status_class: statusClass }, seconds);
      }
    }
    deps.logger[isOfCaller ? 'info' : levelOf(response.statusCode)](
      {
        method: request.method,
        route: record.route,
        status: response.statusCode,
        durationMs: Math.round(now - startedAt),
        requestId: record.requestId,
        ...record.principal,
        ...record.fields,
        ...(record.traceId === undefined ? {} : { traceId: record.traceId }),
        ...(record.apiVersion === undefined ? {} : { apiVersion: record.apiVersion }),
        ...(isAborted ? { aborted: true } : {}),
        ...(error === undefined ? {} : { code: error.reason }),
        ...(response.statusCode < 500 || isOfCaller ? {} : { err: error?.cause ?? error }),
      },
      'http.request_completed',
    );
  }

  return {
    begin(request: IncomingMessage, response: ServerResponse, requestId: string): void {
      const startedAt = performance.now();
      const record: RequestRecord = { requestId, route: 'unmatched', principal: {} };
      records.set(request, record);
      response.once('close', () => complete(request, response, record, startedAt));
    },
    recordOf(request: IncomingMessage): RequestRecord {
      const record = records.get(request);
      invariant(record, 'every request has begun');
      return record;
    },
  };
}

const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

function levelOf(status: number): 'info' | 'warn' | 'error' {
  if (status < 500) return 'info';
  return status === 503 ? 'warn' : 'error';
}

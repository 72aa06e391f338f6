import {
  context,
  type Context,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { currentRequestId } from './request-context.js';

/** Headers that propagate a trace between processes: W3C `traceparent` and `tracestate`. */
export type TraceCarrier = Record<string, string>;

const tracer = trace.getTracer('partner-integration-service');

export function injectTrace(from: Context = context.active()): TraceCarrier {
  const carrier: TraceCarrier = {};
  propagation.inject(from, carrier);
  return carrier;
}

/** Returns the trace context of the headers; a new trace if they are absent or malformed. */
export function extractTrace(carrier: Readonly<Record<string, unknown>>): Context {
  const texts: TraceCarrier = {};
  for (const name of ['traceparent', 'tracestate']) {
    const value = carrier[name];
    if (typeof value === 'string') texts[name] = value;
  }
  return propagation.extract(ROOT_CONTEXT, texts);
}

/**
 * Runs work inside a span, as its active context, and ends the span with the work. The span carries the id of the
 * current request as `partner.request_id`. An error is rethrown and recorded by name only, because messages can hold
 * personal data.
 *
 * An untrusted `traceparent` never decides the trace's id or whether it is sampled.
 */
export async function withSpan<T>(
  options: {
    readonly name: string;
    readonly kind: keyof typeof SpanKind;
    readonly parent?: Context;
    /** Headers of an untrusted request: the span starts a new trace with a link to theirs. */
    readonly stranger?: Readonly<Record<string, unknown>>;
    readonly attributes?: Readonly<Record<string, string | number | boolean>>;
  },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const requestId = currentRequestId();
  const attributes = {
    ...options.attributes,
    ...(requestId !== undefined && { 'partner.request_id': requestId }),
  };
  const theirs = options.stranger && trace.getSpanContext(extractTrace(options.stranger));
  return tracer.startActiveSpan(
    options.name,
    {
      kind: SpanKind[options.kind],
      attributes,
      root: options.stranger !== undefined,
      ...(theirs !== undefined && { links: [{ context: theirs }] }),
    },
    options.parent ?? context.active(),
    async (span) => {
      try {
        return await work(span);
      } catch (error) {
        span.setStatus({
          code: SpanStatusCode.ERROR,
          message: error instanceof Error ? error.name : 'error',
        });
        throw error;
      } finally {
        span.end();
      }
    },
  );
}

/**
 * Like {@link withSpan} inside a trace. Outside a trace the work runs without a span, so that loops start no traces.
 */
export async function withChildSpan<T>(
  options: Omit<Parameters<typeof withSpan>[0], 'parent'>,
  work: () => Promise<T>,
): Promise<T> {
  return trace.getActiveSpan() === undefined ? work() : withSpan(options, work);
}

/** Exports all pending spans. Call it before the process ends. */
export async function flushTraces(): Promise<void> {
  const provider = trace.getTracerProvider();
  const registered = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  if (isFlushable(registered)) await registered.forceFlush();
}

/** Not `instanceof`: the SDK's provider is a class of a package that only the SDK depends on. */
function isFlushable(provider: object): provider is { forceFlush(): Promise<void> } {
  return 'forceFlush' in provider && typeof provider.forceFlush === 'function';
}

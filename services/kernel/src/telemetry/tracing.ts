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
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { currentRequestId } from '../request-context.js';

/** Text headers that carry a trace from one process to the next: W3C `traceparent` and `tracestate`. */
export type TraceCarrier = Record<string, string>;

const tracer = trace.getTracer('partner-integration-service');

/** The headers that continue the active trace elsewhere; empty when there is none. */
export function injectTrace(from: Context = context.active()): TraceCarrier {
  const carrier: TraceCarrier = {};
  propagation.inject(from, carrier);
  return carrier;
}

/** The context that such headers continue: a new trace when there are none or they are malformed. */
export function extractTrace(carrier: Readonly<Record<string, unknown>>): Context {
  const texts: TraceCarrier = {};
  for (const name of ['traceparent', 'tracestate']) {
    const value = carrier[name];
    if (typeof value === 'string') texts[name] = value;
  }
  return propagation.extract(ROOT_CONTEXT, texts);
}

/**
 * Runs work inside a span, as its active context, and ends the span with the work. The span has the id of the present
 * request as `partner.request_id`. An error is recorded by name only, since messages can hold personal data, and passed on.
 */
export async function withSpan<T>(
  options: {
    readonly name: string;
    readonly kind: keyof typeof SpanKind;
    readonly parent?: Context;
    readonly attributes?: Readonly<Record<string, string | number | boolean>>;
  },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const requestId = currentRequestId();
  const attributes = {
    ...options.attributes,
    ...(requestId !== undefined && { 'partner.request_id': requestId }),
  };
  return tracer.startActiveSpan(
    options.name,
    { kind: SpanKind[options.kind], attributes },
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

/** As {@link withSpan} inside of a trace; outside of one the work runs without a span, so that loops begin no traces. */
export async function withChildSpan<T>(
  options: Omit<Parameters<typeof withSpan>[0], 'parent'>,
  work: () => Promise<T>,
): Promise<T> {
  return trace.getActiveSpan() === undefined ? work() : withSpan(options, work);
}

/** Sends the spans that wait to be exported; to be called before the process ends. */
export async function flushTraces(): Promise<void> {
  const provider = trace.getTracerProvider();
  const registered = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  if (registered instanceof BasicTracerProvider) await registered.forceFlush();
}

import { startReceiver } from '@partner/test-kit/receiver';
import { z } from 'zod';

const attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });

const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              kind: z.number(),
              attributes: z.array(attribute).optional(),
              links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const;

/** A span as a service has exported it. */
export interface ExportedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty when it begins its trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** An OTLP endpoint that keeps the traces that services export. */
export interface TraceReceiver {
  readonly url: string;
  /** All that was exported, as it arrived. */
  readonly texts: readonly string[];
  /** Those that were exported as `http/json`. */
  readonly spans: readonly ExportedSpan[];
  close(): Promise<void>;
}

/** Starts a receiver on loopback. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const texts: string[] = [];
  const spans: ExportedSpan[] = [];
  const { port, close } = await startReceiver({
    respond({ headers, body }, response) {
      const text = body.toString('utf8');
      texts.push(text);
      if (headers['content-type'] === 'application/json') spans.push(...spansIn(text));
      response.writeHead(200).end();
    },
  });
  return { url: `http://127.0.0.1:${port}`, texts, spans, close };
}

function spansIn(text: string): ExportedSpan[] {
  return exported.parse(JSON.parse(text)).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        service,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: KINDS[span.kind] ?? String(span.kind),
        attributes: attributesOf(span.attributes ?? []),
        links: span.links ?? [],
      })),
    );
  });
}

function attributesOf(list: readonly z.infer<typeof attribute>[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
}

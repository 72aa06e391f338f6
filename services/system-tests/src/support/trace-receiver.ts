import { startReceiver } from '@partner/test-kit/receiver';
import { z } from 'zod';

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const;

const attributes = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }))
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]])));

const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  /** Empty when it begins its trace. */
  parentSpanId: z.string().default(''),
  name: z.string(),
  kind: z.number().transform((kind) => KINDS[kind] ?? String(kind)),
  attributes: attributes.default({}),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
});

const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

/** A span as a service has exported it. */
export type ExportedSpan = Readonly<z.infer<typeof span> & { service: string }>;

/** An OTLP endpoint that keeps the traces that services export. */
export interface TraceReceiver {
  readonly url: string;
  readonly texts: readonly string[];
  readonly spans: readonly ExportedSpan[];
  close(): Promise<void>;
}

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
    const service = String(resource.attributes['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((one) => ({ ...one, service })));
  });
}

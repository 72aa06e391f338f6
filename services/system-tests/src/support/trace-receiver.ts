import { createServer } from 'node:http';
import { closeServer, listen } from '@partner/kernel/listen';
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
}

/** What takes the traces of a stack: an OTLP endpoint that understands JSON, and keeps everything. */
export interface TraceReceiver {
  /** The settings of a service that have it export its traces here, soon. */
  readonly settings: Readonly<Record<string, string>>;
  readonly spans: readonly ExportedSpan[];
  /** All that was exported, as it came. */
  readonly texts: readonly string[];
  close(): Promise<void>;
}

/** Starts a receiver on loopback. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ExportedSpan[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      texts.push(text);
      spans.push(...spansIn(text));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'OTEL_EXPORTER_OTLP_ENDPOINT' });
  return {
    settings: {
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    spans,
    texts,
    close: () => closeServer(server),
  };
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
      })),
    );
  });
}

function attributesOf(list: readonly z.infer<typeof attribute>[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/**
 * Starts OpenTelemetry before anything else: run by `node --import`. Without `OTEL_TRACES_EXPORTER` (`otlp` or `console`)
 * nothing is exported, but traces still begin here and go on through the broker to the webhook.
 */
import path from 'node:path';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { NoopSpanProcessor } from '@opentelemetry/sdk-trace-base';

// The program is `…/<service>/dist/main.js`.
process.env['OTEL_SERVICE_NAME'] ??= path.basename(path.resolve(process.argv[1] ?? '.', '../..'));
process.env['OTEL_TRACES_EXPORTER'] ??= 'none';
process.env['OTEL_METRICS_EXPORTER'] ??= 'none';
process.env['OTEL_LOGS_EXPORTER'] ??= 'none';

// Without any span processor the SDK would make no spans, and a delivery outside a trace would carry no `traceparent`.
const withoutExport = process.env['OTEL_TRACES_EXPORTER'] === 'none';
const sdk = new NodeSDK({
  instrumentations: [],
  serviceName: process.env['OTEL_SERVICE_NAME'],
  autoDetectResources: false,
  ...(withoutExport && { spanProcessors: [new NoopSpanProcessor()] }),
});
sdk.start();

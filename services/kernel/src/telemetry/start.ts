/**
 * Starts OpenTelemetry before all other modules; loaded with `node --import`. Without `OTEL_TRACES_EXPORTER` (`otlp` or
 * `console`) nothing is exported, but traces still start here and propagate through the broker to the webhook.
 */
import path from 'node:path';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { NoopSpanProcessor } from '@opentelemetry/sdk-trace-base';

// The program is `…/<service>/dist/main.js`.
process.env['OTEL_SERVICE_NAME'] ??= path.basename(path.resolve(process.argv[1] ?? '.', '../..'));
process.env['OTEL_TRACES_EXPORTER'] ??= 'none';
process.env['OTEL_METRICS_EXPORTER'] ??= 'none';
process.env['OTEL_LOGS_EXPORTER'] ??= 'none';

// Without a span processor the SDK creates no spans, and a delivery outside a trace would carry no `traceparent`.
const withoutExport = process.env['OTEL_TRACES_EXPORTER'] === 'none';
const sdk = new NodeSDK({
  instrumentations: [],
  serviceName: process.env['OTEL_SERVICE_NAME'],
  autoDetectResources: false,
  ...(withoutExport && { spanProcessors: [new NoopSpanProcessor()] }),
});
sdk.start();

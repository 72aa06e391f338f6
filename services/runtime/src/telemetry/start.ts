/**
 * Starts OpenTelemetry before anything else: run by `node --import`. Without `OTEL_TRACES_EXPORTER` (`otlp` or `console`)
 * nothing is exported, but traces still begin here and go on through the broker to the webhook.
 */
import { NodeSDK } from '@opentelemetry/sdk-node';
import { NoopSpanProcessor } from '@opentelemetry/sdk-trace-base';

process.env['OTEL_TRACES_EXPORTER'] ??= 'none';
process.env['OTEL_METRICS_EXPORTER'] ??= 'none';
process.env['OTEL_LOGS_EXPORTER'] ??= 'none';

// Without any span processor the SDK would make no spans, and a delivery outside a trace would carry no `traceparent`.
const withoutExport = process.env['OTEL_TRACES_EXPORTER'] === 'none';
const sdk = new NodeSDK({
  instrumentations: [],
  autoDetectResources: false,
  ...(withoutExport && { spanProcessors: [new NoopSpanProcessor()] }),
});
sdk.start();
process.once('beforeExit', () => void sdk.shutdown());

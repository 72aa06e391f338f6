/**
 * Starts OpenTelemetry before all other modules; loaded with `node --import`. Without `OTEL_TRACES_EXPORTER` (`otlp` or
 * `console`) nothing is exported, but traces still start here and propagate through the broker to the webhook.
 */
import path from 'node:path';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

// The program is `…/<service>/dist/main.js`.
process.env['OTEL_SERVICE_NAME'] ??= path.basename(path.resolve(process.argv[1] ?? '.', '../..'));
process.env['OTEL_TRACES_EXPORTER'] ??= 'none';
process.env['OTEL_METRICS_EXPORTER'] ??= 'none';
process.env['OTEL_LOGS_EXPORTER'] ??= 'none';

const sampler = new AlwaysOffSampler();
const { OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER, OTEL_LOGS_EXPORTER } = process.env;
if ([OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER, OTEL_LOGS_EXPORTER].every((name) => name === 'none')) {
  // Spans without a reader are not recorded; their ids still travel.
  new NodeTracerProvider({ sampler }).register();
} else {
  // Its exporters of every kind take longer to load than most services.
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  new NodeSDK({
    instrumentations: [],
    serviceName: process.env['OTEL_SERVICE_NAME'],
    autoDetectResources: false,
    ...(OTEL_TRACES_EXPORTER === 'none' && { sampler }),
  }).start();
}

/**
 * Starts OpenTelemetry before anything else: run by `node --import`. Without `OTEL_TRACES_EXPORTER` (`otlp` or `console`)
 * nothing is exported, but a trace that comes in still goes on through the broker to the webhook.
 */
import { NodeSDK } from '@opentelemetry/sdk-node';

process.env['OTEL_TRACES_EXPORTER'] ??= 'none';
process.env['OTEL_METRICS_EXPORTER'] ??= 'none';
process.env['OTEL_LOGS_EXPORTER'] ??= 'none';

const sdk = new NodeSDK({ instrumentations: [], autoDetectResources: false });
sdk.start();
process.once('beforeExit', () => void sdk.shutdown());

import type { ServiceName } from '@partner/local-stack/stack/services';
import type { createChartWorkspace } from './chart-workspace.js';
import { imageOf } from './service-values.js';

/** Sends traces to the collector that follows. */
export const TRACES = 'config.otelTracesExporter=otlp,config.otelExporterOtlpEndpoint';

/** Tries values on charts, in the notation of `helm --set`. */
export function valueTrials(workspace: Awaited<ReturnType<typeof createChartWorkspace>>) {
  /** Renders a chart with the values, and with an image unless they name one. */
  const templateWith = (chart: ServiceName, set: string) =>
    workspace.template({ chart, values: { image: imageOf(chart) }, set });
  return {
    templateWith,
    /** Returns what Helm says about values that a chart must refuse. Throws if it renders anything. */
    async refusalOf(service: ServiceName, set: string): Promise<string> {
      const { exitCode, stdout, stderr } = await templateWith(service, set);
      if (exitCode !== 1 || stdout !== '') throw new Error(`${service} accepts ${set}`);
      return stderr;
    },
  };
}

import type { RenderedChart } from '../chart-objects.js';

/** What the chart of a service renders with one set of values. */
export interface RenderedService extends RenderedChart {
  readonly title: string;
  /** For a developer's cluster, which need not survive failures. */
  readonly isDevelopment: boolean;
}

import type { RenderedChart } from '../chart-objects.js';

export interface RenderedService extends RenderedChart {
  readonly title: string;
  /** For a developer's cluster, which need not survive failures. */
  readonly isDevelopment: boolean;
}

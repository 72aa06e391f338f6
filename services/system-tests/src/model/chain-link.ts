import type { Asked } from './asked.js';
import type { JobWrite } from './history.js';
import type { JobState } from './job-model.js';

/** What made a version of a job. */
type Maker =
  { readonly kind: 'platform' } | { readonly kind: 'write'; readonly asked: Asked; readonly write: JobWrite };

/** One version of a job, and when it can have been the newest. */
export interface ChainLink {
  /** 0: before the first assignment, when no installer sees it. */
  readonly version: number;
  readonly state: JobState;
  readonly maker: Maker;
  /** It cannot have existed earlier. */
  readonly from: number;
}

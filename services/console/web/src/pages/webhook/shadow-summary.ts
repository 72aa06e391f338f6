import type { Shadow } from '../../api/shadow.js';
import { formatCountOf, formatShare } from '../../format.js';

/** What one of both URLs did with the mirrored deliveries. */
interface ShadowSide {
  readonly accepted: number;
  /** Undefined before the first comparison. */
  readonly share: string | undefined;
}

/** The counts of a comparison. */
interface ShadowSummary {
  readonly live: ShadowSide;
  readonly shadow: ShadowSide;
  /** In one sentence. */
  readonly text: string;
}

/** Sums up how a shadow compares with the current URL. */
export function summarizeShadow({ outcomes, skipped }: Pick<Shadow, 'outcomes' | 'skipped'>): ShadowSummary {
  const total = sum(outcomes);
  const side = (accepted: number): ShadowSide => ({ accepted, share: formatShare(accepted, total) });
  const different = sum(outcomes.filter(({ live, shadow }) => live !== shadow));
  const compared = `${formatCountOf(total, 'delivery', 'deliveries')} compared`;
  const differences = different === 0 ? 'all with the same outcome' : `${different} with different outcomes`;
  return {
    live: side(sum(outcomes.filter(({ live }) => live === 'delivered'))),
    shadow: side(sum(outcomes.filter(({ shadow }) => shadow === 'delivered'))),
    text:
      (total === 0 ? 'No delivery compared yet' : `${compared}, ${differences}`) +
      (skipped === 0 ? '' : `. ${formatCountOf(skipped, 'delivery was', 'deliveries were')} not mirrored`),
  };
}

function sum(outcomes: Shadow['outcomes']): number {
  return outcomes.reduce((total, { count }) => total + count, 0);
}

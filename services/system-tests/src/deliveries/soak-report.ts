import type { DeliveryHistory } from './delivery-history.js';
import { type DoneFault, timelineOf } from './fault-mix.js';
import { INVARIANTS } from './invariants.js';

/** A report of a run with faults, as Markdown: what was done, which guarantee held, and when each fault was. */
export function soakReport(run: {
  readonly title: string;
  readonly history: Pick<DeliveryHistory, 'writes' | 'leads' | 'requests'>;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly violations: readonly string[];
  readonly faults: readonly DoneFault[];
}): string {
  const { history, violations, faults } = run;
  const counts = {
    'acknowledged writes': history.writes.length,
    'acknowledged leads': history.leads.length,
    'received POSTs': history.requests.length,
    ...run.counts,
    faults: faults.length,
  };
  const held = Object.keys(INVARIANTS).filter(
    (one) => !violations.some((violation) => violation.includes(one)),
  );
  return [
    `# ${run.title}`,
    Object.entries(counts)
      .map(([what, count]) => `- ${what}: ${String(count)}`)
      .join('\n'),
    '## Violations',
    violations.length === 0 ? 'none' : violations.map((violation) => `- ${violation}`).join('\n'),
    '## Guarantees that held',
    held.map((guarantee) => `- ${guarantee}`).join('\n'),
    '## Faults',
    `\`\`\`\n${timelineOf(faults)}\n\`\`\`\n`,
  ].join('\n\n');
}

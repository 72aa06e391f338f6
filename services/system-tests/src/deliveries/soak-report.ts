import type { DeliveryHistory } from './delivery-history.js';
import { type DoneFault, timelineOf } from './fault-mix.js';
import { INVARIANTS } from './invariants.js';
import type { SoakFigures } from './soak-figures.js';

/** A report of a run with faults, as Markdown: what was done, which guarantee held, and when each fault was. */
export function soakReport(run: {
  readonly title: string;
  readonly history: Pick<DeliveryHistory, 'writes' | 'leads' | 'requests'>;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly violations: readonly string[];
  readonly faults: readonly DoneFault[];
  readonly figures: SoakFigures;
}): string {
  const { history, violations, faults, figures } = run;
  const counts = {
    'acknowledged writes': history.writes.length,
    'acknowledged leads': history.leads.length,
    'received POSTs': history.requests.length,
    ...run.counts,
    faults: faults.length,
    lost: figures.lost,
    'taken twice': `${figures.twice} of ${figures.taken}`,
    'longest time to be back': `${(figures.longestReturnMs / 1_000).toFixed(1)} s`,
    ...Object.fromEntries(
      Object.entries(figures.memory).map(([service, { first, last }]) => [
        `memory of ${service}`,
        `${first} MiB at first, ${last} MiB at last`,
      ]),
    ),
  };
  const repeated = figures.repeats.map(({ path, ...span }) => ({ ...span, what: `twice ${path}`, note: '' }));
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
    '## Faults, and what was taken twice',
    `\`\`\`\n${timelineOf([...faults, ...repeated])}\n\`\`\`\n`,
  ].join('\n\n');
}

import { Group } from '@mantine/core';
import type { AttemptCounts, CompanyStatistics, Webhook, WebhookTotals } from '../../api/hooks.js';
import { formatCount, formatCountOf, formatDuration, formatShare } from '../../format.js';
import { WebhookBadges, WebhookLink } from '../../parts/badges.js';
import { DataTable } from '../../parts/data-table.js';
import { useNow } from '../../parts/times.js';
import { Sparkline } from '../../parts/traffic.js';
import { TextLink } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { chartPoints, SPAN_TEXTS, type SpanName } from '../../statistics-span.js';

/** Table of all subscriptions with their health. */
export function WebhookTable(props: {
  readonly webhooks: readonly Webhook[];
  /** Undefined: not loaded. */
  readonly statistics: CompanyStatistics | undefined;
  readonly span: SpanName;
}) {
  const { webhooks, statistics, span } = props;
  const now = useNow();
  const byId = statistics && new Map(statistics.webhooks.map((each) => [each.webhookId, each]));
  return (
    <DataTable
      caption={`Webhooks and their health in ${SPAN_TEXTS[span]}`}
      rows={webhooks}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Webhook',
          isName: true,
          cell: (webhook) => <WebhookLink webhook={webhook} />,
        },
        {
          header: 'State',
          cell: (webhook) => (
            <Group gap={6} component="span">
              <WebhookBadges webhook={webhook} />
            </Group>
          ),
        },
        {
          header: 'Attempts over time',
          cell: ({ id }) => {
            if (statistics === undefined) return 'Unknown';
            return <Trend of={byId?.get(id)} minutes={statistics.trendMinutes} span={span} now={now} />;
          },
        },
        {
          header: 'Success rate',
          isNumber: true,
          cell: ({ id }) => {
            if (byId === undefined) return 'Unknown';
            const totals = byId.get(id)?.totals;
            return (totals && formatShare(totals.delivered, totals.attempts)) ?? '–';
          },
        },
        {
          header: 'p95',
          isNumber: true,
          cell: ({ id }) => {
            if (byId === undefined) return 'Unknown';
            const duration = byId.get(id)?.totals.p95Ms ?? null;
            return duration === null ? '–' : formatDuration(duration);
          },
        },
        {
          header: 'Failures',
          cell: ({ id }) =>
            byId === undefined ? 'Unknown' : <Failures id={id} totals={byId.get(id)?.totals} />,
        },
      ]}
    />
  );
}

function Failures({ id, totals }: { readonly id: string; readonly totals: AttemptCounts | undefined }) {
  if (totals === undefined || totals.failed === 0) return <span>None</span>;
  const isDead = totals.deadLettered > 0;
  return (
    <TextLink
      to={PATHS.deliveries({ webhook: id, status: isDead ? 'dead_lettered' : 'retry_scheduled' })}
      size="sm"
    >
      {isDead ? `${formatCount(totals.deadLettered)} dead-lettered` : `${formatCount(totals.failed)} failed`}
    </TextLink>
  );
}

function Trend(props: {
  readonly of: WebhookTotals | undefined;
  /** Width of a step. */
  readonly minutes: number;
  readonly span: SpanName;
  readonly now: Date;
}) {
  const { of, minutes, span, now } = props;
  // A webhook that was created since the statistics were loaded.
  if (of === undefined) return <span aria-hidden>–</span>;
  const { delivered, failed } = of.totals;
  return (
    <Sparkline
      points={chartPoints({ buckets: of.trend, bucketMinutes: minutes }, span, now)}
      label={`${formatCountOf(delivered, 'attempt', 'attempts')} delivered and ${failed} failed in ${SPAN_TEXTS[span]}`}
    />
  );
}

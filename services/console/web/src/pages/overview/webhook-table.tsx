import { Group } from '@mantine/core';
import { type AttemptCounts, useWebhookStatistics } from '../../api/statistics.js';
import type { Webhook } from '../../api/webhooks.js';
import { formatCount, formatCountOf, formatDuration, formatShare } from '../../format.js';
import { HealthBadge, StateBadge } from '../../parts/badges.js';
import { DataTable } from '../../parts/data-table.js';
import { useNow } from '../../parts/relative-time.js';
import { Sparkline } from '../../parts/sparkline.js';
import { TextLink } from '../../parts/text-link.js';
import { WebhookLink } from '../../parts/webhook-link.js';
import { PATHS } from '../../paths.js';
import { chartPoints, SPAN_TEXTS, type SpanName, spanUntil } from '../../statistics-span.js';

/** Table of all subscriptions with their health. */
export function WebhookTable(props: {
  readonly webhooks: readonly Webhook[];
  /** Undefined: not loaded. */
  readonly totalsOf: ReadonlyMap<string, AttemptCounts> | undefined;
  readonly span: SpanName;
}) {
  const { webhooks, totalsOf, span } = props;
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
              <StateBadge state={webhook.state} />
              <HealthBadge webhook={webhook} />
            </Group>
          ),
        },
        {
          header: 'Attempts over time',
          cell: ({ id }) => <WebhookSparkline id={id} span={span} />,
        },
        {
          header: 'Success rate',
          isNumber: true,
          cell: ({ id }) => {
            if (totalsOf === undefined) return 'Unknown';
            const totals = totalsOf.get(id);
            return (totals && formatShare(totals.delivered, totals.attempts)) ?? '–';
          },
        },
        {
          header: 'p95',
          isNumber: true,
          cell: ({ id }) => {
            if (totalsOf === undefined) return 'Unknown';
            const duration = totalsOf.get(id)?.p95Ms ?? null;
            return duration === null ? '–' : formatDuration(duration);
          },
        },
        {
          header: 'Failures',
          cell: ({ id }) =>
            totalsOf === undefined ? 'Unknown' : <Failures id={id} totals={totalsOf.get(id)} />,
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

function WebhookSparkline({ id, span }: { readonly id: string; readonly span: SpanName }) {
  const now = useNow();
  const { data, error } = useWebhookStatistics(id, spanUntil(span, now));
  if (data === undefined) return error === null ? <span aria-hidden>–</span> : <span>Unknown</span>;
  const { delivered, failed } = data.totals;
  return (
    <Sparkline
      points={chartPoints(data, span, now)}
      label={`${formatCountOf(delivered, 'attempt', 'attempts')} delivered and ${failed} failed in ${SPAN_TEXTS[span]}`}
    />
  );
}

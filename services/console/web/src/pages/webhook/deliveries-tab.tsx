import { Group, Stack, Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { useOperation } from '../../api/hooks.js';
import { DeliveryTable } from '../../parts/delivery-table.js';
import { LinkButton } from '../../parts/owner.js';
import { Panel } from '../../parts/page.js';
import { QueryView } from '../../parts/query-view.js';
import { PATHS } from '../../paths.js';
import { AttemptFigures, LazyTrafficChart, SpanSwitch } from '../../parts/traffic.js';
import { useNow } from '../../parts/times.js';
import { chartPoints, SPAN_TEXTS, spanNamed, spanUntil } from '../../statistics-span.js';

/** The newest deliveries to a webhook. */
export function RecentDeliveries({ webhookId }: { readonly webhookId: string }) {
  const recent = useOperation('listDeliveries', { params: { id: webhookId }, query: { limit: 10 } });
  return (
    <Panel
      title="Recent deliveries"
      actions={
        <Group gap="xs">
          <LinkButton to={PATHS.deliveries({ webhook: webhookId })} variant="default" size="xs">
            View all
          </LinkButton>
          <LinkButton to={PATHS.bulkReplay(webhookId)} variant="default" size="xs">
            Bulk replay
          </LinkButton>
        </Group>
      }
    >
      <QueryView query={recent} label="the deliveries">
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Text c="dimmed">No deliveries yet</Text>
          ) : (
            <DeliveryTable rows={deliveries} />
          )
        }
      </QueryView>
    </Panel>
  );
}

/** Attempts to one subscription over time. */
export function TrafficPanel({ id }: { readonly id: string }) {
  const now = useNow();
  const [query] = useSearchParams();
  const span = spanNamed(query.get('span'));
  const statistics = useOperation(
    'getWebhookStatistics',
    { params: { id }, query: spanUntil(span, now) },
    { keepsPrevious: true, isSum: true },
  );
  return (
    <Panel title="Webhook health" actions={<SpanSwitch span={span} />}>
      <QueryView query={statistics} label="the statistics">
        {(data) =>
          data.totals.attempts === 0 ? (
            <Text c="dimmed">{`No deliveries in ${SPAN_TEXTS[span]}. Tests are not counted.`}</Text>
          ) : (
            <Stack gap="lg">
              <AttemptFigures totals={data.totals} />
              <LazyTrafficChart points={chartPoints(data, span, now)} spanText={SPAN_TEXTS[span]} />
            </Stack>
          )
        }
      </QueryView>
    </Panel>
  );
}

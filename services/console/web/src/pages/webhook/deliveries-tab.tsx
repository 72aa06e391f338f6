import { Group, Text } from '@mantine/core';
import { useOperation } from '../../api/hooks.js';
import { DeliveryTable } from '../../parts/delivery-table.js';
import { LinkButton, Panel, QueryView } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { TrafficPanel, useSpan } from '../../parts/traffic.js';

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
export function HealthPanel({ id }: { readonly id: string }) {
  const { since } = useSpan();
  const statistics = useOperation(
    'getWebhookStatistics',
    { params: { id }, query: since },
    { keepsPrevious: true, isSum: true },
  );
  return (
    <TrafficPanel
      title="Webhook health"
      label="the statistics"
      query={statistics}
      note=" Tests are not counted."
    />
  );
}

import { Group, Text } from '@mantine/core';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { ListedDelivery, Webhook } from '../api/hooks.js';
import { formatDuration } from '../format.js';
import { PATHS } from '../paths.js';
import { webhookName } from '../webhook-facts.js';
import { Badge, DELIVERY_LOOKS, OUTCOME_LOOKS } from './badges.js';
import { type Column, DataTable } from './data-table.js';
import { NextAttempt, nextAttemptOf, PastTime } from './times.js';
import { TextLink } from './page.js';

const EVENT: Column<ListedDelivery> = {
  header: 'Event',
  isName: true,
  cell: ({ id, event, resource, isTest, replayOf }) => (
    <div>
      <TextLink to={PATHS.delivery(id)} fw={600}>
        {event}
      </TextLink>
      <Text size="xs" c="dimmed">
        {`${resource.id}${isTest ? ' · test' : ''}${replayOf === null ? '' : ' · replay'}`}
      </Text>
    </div>
  ),
};

const RESULT: readonly Column<ListedDelivery>[] = [
  {
    header: 'State',
    cell: (delivery) => (
      <Group gap={6} component="span">
        <Badge {...DELIVERY_LOOKS[delivery.state]} />
        {nextAttemptOf(delivery) !== null && (
          <Text component="span" size="xs" c="dimmed">
            <NextAttempt delivery={delivery} />
          </Text>
        )}
      </Group>
    ),
  },
  {
    header: 'Status',
    cell: ({ lastAttempt }) =>
      lastAttempt === null ? '–' : (lastAttempt.responseStatus ?? OUTCOME_LOOKS[lastAttempt.outcome].label),
  },
  {
    header: 'Duration',
    isNumber: true,
    cell: ({ lastAttempt }) => (lastAttempt === null ? '–' : formatDuration(lastAttempt.durationMs)),
  },
  {
    header: 'Attempts',
    isNumber: true,
    cell: ({ attempts }) => `${attempts} of ${LIMITS.webhookAttempts}`,
  },
  { header: 'Created', cell: ({ createdAt }) => <PastTime at={createdAt} /> },
];

/** Of the event among those of its webhook, which the deliveries have in common. */
const NUMBER: Column<ListedDelivery> = {
  header: 'Number',
  isNumber: true,
  cell: ({ number }) => number ?? '–',
};

/** A list of deliveries with their last attempt: with their webhook if the webhooks are given, else with their numbers at the webhook. */
export function DeliveryTable(props: {
  readonly rows: readonly ListedDelivery[];
  readonly webhooks?: readonly Webhook[];
}) {
  const { rows, webhooks } = props;
  return (
    <DataTable
      caption="Deliveries, newest first"
      columns={[EVENT, webhooks === undefined ? NUMBER : webhookColumn(webhooks), ...RESULT]}
      rows={rows}
      rowKey={({ id }) => id}
      isClickable
    />
  );
}

function webhookColumn(webhooks: readonly Webhook[]): Column<ListedDelivery> {
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  return {
    header: 'Webhook',
    cell: ({ subscriptionId }) => {
      const webhook = byId.get(subscriptionId);
      if (webhook === undefined) return 'Deleted webhook';
      return (
        <TextLink to={PATHS.webhook(webhook.id)} size="sm">
          {webhookName(webhook)}
        </TextLink>
      );
    },
  };
}

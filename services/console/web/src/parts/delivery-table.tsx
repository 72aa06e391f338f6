import { Group } from '@mantine/core';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { ListedDelivery, Webhook } from '../api/hooks.js';
import { formatDuration } from '../format.js';
import { PATHS } from '../paths.js';
import { nextAttemptOf, webhookName } from '../webhook-facts.js';
import {
  Badge,
  type Columns,
  DataTable,
  DELIVERY_LOOKS,
  NextAttempt,
  OUTCOME_LOOKS,
  PastTime,
  RowLink,
} from './data.js';
import { Hint, SmallLink } from './page.js';

const EVENT: Columns<ListedDelivery> = {
  Event: ({ id, event, resource, isTest, replayOf }) => (
    <RowLink to={PATHS.delivery(id)} name={event}>
      <Hint>{`${resource.id}${isTest ? ' · test' : ''}${replayOf === null ? '' : ' · replay'}`}</Hint>
    </RowLink>
  ),
};

const RESULT: Columns<ListedDelivery> = {
  State: (delivery) => (
    <Group gap={6} component="span">
      <Badge {...DELIVERY_LOOKS[delivery.state]} />
      {nextAttemptOf(delivery) !== null && (
        <Hint span>
          <NextAttempt delivery={delivery} />
        </Hint>
      )}
    </Group>
  ),
  Status: ({ lastAttempt }) =>
    lastAttempt === null ? '–' : (lastAttempt.responseStatus ?? OUTCOME_LOOKS[lastAttempt.outcome].label),
  Duration: ({ lastAttempt }) => formatDuration(lastAttempt?.durationMs),
  Attempts: ({ attempts }) => `${attempts} of ${LIMITS.webhookAttempts}`,
  Created: ({ createdAt }) => <PastTime at={createdAt} />,
};

/** Of the event among those of its webhook, which the deliveries have in common. */
const NUMBER: Columns<ListedDelivery> = { Number: ({ number }) => number ?? '–' };

/** A list of deliveries with their last attempt: with their webhook if the webhooks are given, else with their numbers at the webhook. */
export function DeliveryTable(props: {
  readonly rows: readonly ListedDelivery[];
  readonly webhooks?: readonly Webhook[];
}) {
  const { rows, webhooks } = props;
  return (
    <DataTable
      caption="Deliveries, newest first"
      columns={{ ...EVENT, ...(webhooks === undefined ? NUMBER : webhookColumn(webhooks)), ...RESULT }}
      numbers={['Number', 'Duration', 'Attempts']}
      rows={rows}
      rowKey={({ id }) => id}
      isClickable
    />
  );
}

function webhookColumn(webhooks: readonly Webhook[]): Columns<ListedDelivery> {
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  return {
    Webhook: ({ subscriptionId }) => {
      const webhook = byId.get(subscriptionId);
      if (webhook === undefined) return 'Deleted webhook';
      return <SmallLink to={PATHS.webhook(webhook.id)}>{webhookName(webhook)}</SmallLink>;
    },
  };
}

import { LIMITS } from '@partner/proto-contracts/api/limits';
import { IconArrowDown, IconArrowUp, IconArrowsDiagonal, IconX } from '@tabler/icons-react';
import { type Output, useDelivery, useWebhook } from '../../api/hooks.js';
import { DeliveryState, useNow } from '../../parts/data.js';
import { Hint, LinkButton, QueryView } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { ActionIcon, Group, Stack } from '../../parts/ui.js';
import { webhookName } from '../../webhook-facts.js';
import { Details } from '../delivery/details.js';
import { canRetryNow, RetryButton } from '../delivery/retry-button.js';
import classes from './deliveries.module.css';

/** A delivery beside the list. */
export function DeliveryPanel(props: {
  readonly id: string;
  readonly onMove: (by: number) => void;
  readonly onClose: () => void;
}) {
  const { id, onMove, onClose } = props;
  return (
    <aside aria-label="Delivery" className={classes['panel']}>
      <Group gap={4} justify="flex-end">
        <ActionIcon aria-label="Newer delivery" onClick={() => onMove(-1)}>
          <IconArrowUp size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon aria-label="Older delivery" onClick={() => onMove(1)}>
          <IconArrowDown size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon to={PATHS.delivery(id)} aria-label="Open the delivery">
          <IconArrowsDiagonal size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon aria-label="Close" onClick={onClose}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Group>
      <QueryView key={id} query={useDelivery(id)} label="the delivery">
        {(data) => <Content data={data} />}
      </QueryView>
    </aside>
  );
}

function Content({ data }: { readonly data: Output<'getDelivery'> }) {
  const { delivery } = data;
  const now = useNow();
  const webhook = useWebhook(delivery.subscriptionId).data;
  return (
    <Stack gap="md">
      <div>
        <h2>{delivery.event}</h2>
        <Hint>
          {`${delivery.workOrderNo ?? 'Sent'} to ${webhook === undefined ? 'its webhook' : webhookName(webhook)} · ${delivery.attempts} of ${LIMITS.webhookAttempts} attempts`}
        </Hint>
      </div>
      <Group justify="space-between">
        <DeliveryState of={delivery} />
        <Group gap="xs">
          <LinkButton to={PATHS.whyEvent(delivery.eventId)} variant="default">
            Trace
          </LinkButton>
          {canRetryNow(delivery, now) && <RetryButton delivery={delivery} />}
        </Group>
      </Group>
      <Details {...data} isNarrow />
    </Stack>
  );
}

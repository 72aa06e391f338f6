import { ActionIcon, Group, Stack, Title } from '@mantine/core';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { IconArrowDown, IconArrowUp, IconArrowsDiagonal, IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import { type Output, useDelivery, useWebhook } from '../../api/hooks.js';
import { DeliveryState, useNow } from '../../parts/data.js';
import { Hint, LinkButton, QueryView } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-facts.js';
import { Details } from '../delivery/details.js';
import { canRetryNow, RetryButton } from '../delivery/retry-button.js';
import classes from './deliveries.module.css';

const ICON = { variant: 'subtle', color: 'gray' } as const;

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
        <ActionIcon {...ICON} aria-label="Newer delivery" onClick={() => onMove(-1)}>
          <IconArrowUp size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon {...ICON} aria-label="Older delivery" onClick={() => onMove(1)}>
          <IconArrowDown size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon {...ICON} component={Link} to={PATHS.delivery(id)} aria-label="Open the delivery">
          <IconArrowsDiagonal size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon {...ICON} aria-label="Close" onClick={onClose}>
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
        <Title order={2} fz="md">
          {delivery.event}
        </Title>
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

import { ActionIcon, Group, Stack, Tabs, Title } from '@mantine/core';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { IconArrowDown, IconArrowUp, IconArrowsDiagonal, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { type Output, useDelivery, useWebhook } from '../../api/hooks.js';
import { Advice, DeliveryState, useNow } from '../../parts/data.js';
import { Hint, LinkButton, Notice, QueryView } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-facts.js';
import { sumUp } from '../delivery/explain-attempt.js';
import { Request } from '../delivery/request.js';
import { Response } from '../delivery/response.js';
import { canRetryNow, RetryButton } from '../delivery/retry-button.js';
import { Timeline } from '../delivery/timeline.js';
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
        <ActionIcon variant="subtle" color="gray" aria-label="Newer delivery" onClick={() => onMove(-1)}>
          <IconArrowUp size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" aria-label="Older delivery" onClick={() => onMove(1)}>
          <IconArrowDown size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon
          component={Link}
          to={PATHS.delivery(id)}
          variant="subtle"
          color="gray"
          aria-label="Open the delivery"
        >
          <IconArrowsDiagonal size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" aria-label="Close" onClick={onClose}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Group>
      <QueryView key={id} query={useDelivery(id)} label="the delivery">
        {(data) => <Details {...data} />}
      </QueryView>
    </aside>
  );
}

function Details({ delivery, attempts, body }: Output<'getDelivery'>) {
  const now = useNow();
  const webhook = useWebhook(delivery.subscriptionId).data;
  const [tab, setTab] = useState<string | null>('response');
  const [pickedId, setPickedId] = useState<string>();
  const newest = attempts.at(-1);
  const attempt = attempts.find(({ deliveryId }) => deliveryId === pickedId) ?? newest;
  const perSecond = webhook?.deliveriesPerSecond ?? null;
  const { tone, what, advice } = sumUp(delivery, attempts, now, perSecond);
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
      <Notice tone={tone} title={what}>
        {advice.length > 0 && <Advice advice={advice} />}
      </Notice>
      <Group justify="space-between">
        <DeliveryState of={delivery} />
        <Group gap="xs">
          <LinkButton to={PATHS.whyEvent(delivery.eventId)} variant="default">
            Trace
          </LinkButton>
          {canRetryNow(delivery, now) && <RetryButton delivery={delivery} />}
        </Group>
      </Group>
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md" aria-label="Delivery">
          <Tabs.Tab value="response">Response</Tabs.Tab>
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="attempts">Attempts</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="response">
          <Response attempt={attempt} isNewest={attempt === newest} isNarrow />
        </Tabs.Panel>
        <Tabs.Panel value="request">
          <Request
            delivery={delivery}
            attempt={attempt}
            body={body}
            url={delivery.testUrl === null ? webhook?.url : undefined}
          />
        </Tabs.Panel>
        <Tabs.Panel value="attempts">
          <Timeline
            {...{ delivery, attempts, perSecond, selected: attempt }}
            onSelect={({ deliveryId }) => {
              setPickedId(deliveryId);
              setTab('response');
            }}
          />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

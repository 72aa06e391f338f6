import { LIMITS } from '@partner/proto-contracts/api/limits';
import { IconArrowDown, IconArrowUp, IconArrowsDiagonal, IconX } from '@tabler/icons-react';
import { type Output, useDelivery, useWebhook } from '../../api/hooks.js';
import { DeliveryState, useNow } from '../../parts/data.js';
import { LinkButton, QueryView } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { ActionIcon } from '../../parts/ui.js';
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
      <div className="row">
        <ActionIcon aria-label="Newer delivery" onClick={() => onMove(-1)}>
          <IconArrowUp size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon aria-label="Older delivery" onClick={() => onMove(1)}>
          <IconArrowDown size={16} aria-hidden />
        </ActionIcon>
        <LinkButton to={PATHS.delivery(id)} variant="subtle" size="icon" aria-label="Open the delivery">
          <IconArrowsDiagonal size={16} aria-hidden />
        </LinkButton>
        <ActionIcon aria-label="Close" onClick={onClose}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </div>
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
    <div className="stack">
      <div>
        <h2>{delivery.event}</h2>
        <small>
          {`${delivery.workOrderNo ?? 'Sent'} to ${webhook === undefined ? 'its webhook' : webhookName(webhook)} · ${delivery.attempts} of ${LIMITS.webhookAttempts} attempts`}
        </small>
      </div>
      <div className="row between">
        <DeliveryState of={delivery} />
        <div className="row">
          <LinkButton to={PATHS.whyEvent(delivery.eventId)} variant="default">
            Trace
          </LinkButton>
          {canRetryNow(delivery, now) && <RetryButton delivery={delivery} />}
        </div>
      </div>
      <Details {...data} isNarrow />
    </div>
  );
}

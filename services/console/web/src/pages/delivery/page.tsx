import { IconRefresh } from '@tabler/icons-react';
import { useNavigate, useParams } from 'react-router';
import { Link } from '../../parts/link.js';
import { type Delivery, useAction, useDelivery, useWebhook } from '../../api/hooks.js';
import { LinkButton, OwnerOnly, PageHeader, QueryView } from '../../parts/page.js';
import { DeliveryState, useNow } from '../../parts/data.js';
import { ConfirmedButton } from '../../parts/form.js';
import { webhookName } from '../../webhook-facts.js';
import { PATHS } from '../../paths.js';
import { Details } from './details.js';
import { canRetryNow, RetryButton } from './retry-button.js';

/** Page of one delivery: outcome, reason and advice. */
export function Page() {
  const { id = '' } = useParams();
  const loaded = useDelivery(id);
  const now = useNow();
  const delivery = loaded.data?.delivery;
  const blockedReason = loaded.data && replayBlockedReason(loaded.data.delivery, loaded.data.body);
  return (
    <>
      <PageHeader
        title={delivery?.event ?? 'Delivery'}
        description={delivery && <Summary delivery={delivery} />}
        back={{
          to: PATHS.deliveries(delivery === undefined ? {} : { webhook: delivery.subscriptionId }),
          label: 'Deliveries',
        }}
        actions={
          delivery !== undefined && (
            <>
              <LinkButton to={PATHS.whyEvent(delivery.eventId)} variant="default">
                Trace event
              </LinkButton>
              {canRetryNow(delivery, now) && <RetryButton delivery={delivery} />}
              {blockedReason === undefined && <ReplayButton delivery={delivery} />}
            </>
          )
        }
      />
      <QueryView query={loaded} label="the delivery">
        {(data) => (
          <Details
            key={data.delivery.id}
            {...data}
            noReplay={data.delivery.finishedAt === null ? undefined : blockedReason}
          />
        )}
      </QueryView>
    </>
  );
}

/** State, work order and webhook in one line. */
function Summary({ delivery }: { readonly delivery: Delivery }) {
  const webhook = useWebhook(delivery.subscriptionId).data;
  return (
    <span className="row">
      <DeliveryState of={delivery} />
      {delivery.workOrderNo}
      {' to '}
      <Link to={PATHS.webhook(delivery.subscriptionId)}>
        {webhook === undefined ? 'its webhook' : webhookName(webhook)}
      </Link>
    </span>
  );
}

/** Returns why a delivery cannot be replayed; undefined if it can. */
function replayBlockedReason(delivery: Delivery, body: string | null): string | undefined {
  if (delivery.isTest) return 'Tests cannot be replayed. Send a new one from the webhook.';
  switch (delivery.state) {
    case 'pending':
    case 'retry_scheduled':
    case 'held':
      return 'Still in progress, so it cannot be replayed.';
    case 'cancelled':
      return 'The webhook was deleted, so it cannot be replayed.';
    case 'delivered':
    case 'dead_lettered':
      return body === null ? 'The event is no longer stored, so it cannot be replayed.' : undefined;
  }
}

/** Replays the delivery after a confirmation and opens the new delivery. */
function ReplayButton({ delivery }: { readonly delivery: Delivery }) {
  const navigate = useNavigate();
  const replay = useAction('replayDelivery', {
    done: 'Replay queued',
    onDone: ({ id }) => void navigate(PATHS.delivery(id)),
  });
  return (
    <OwnerOnly>
      <ConfirmedButton
        label="Replay"
        button={{ variant: 'filled', leftSection: <IconRefresh size={18} aria-hidden /> }}
        title="Replay this delivery?"
        confirmLabel="Replay now"
        action={replay}
        given={{ params: { id: delivery.id } }}
      >
        Sends the same event and body to the webhook’s current URL as a new delivery with up to 8 attempts.
        This delivery stays unchanged.
        {delivery.state === 'delivered' &&
          ' Your server already accepted this event. It receives the event again, with the same event ID.'}
      </ConfirmedButton>
    </OwnerOnly>
  );
}

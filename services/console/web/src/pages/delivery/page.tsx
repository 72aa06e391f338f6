import { Code, Group, Stack } from '@mantine/core';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { useParams } from 'react-router';
import {
  type Attempt,
  type Delivery,
  useAction,
  useDelivery,
  useWebhook,
  type Webhook,
} from '../../api/hooks.js';
import { LinkButton, Notice, PageHeader, Panel, QueryView, TextLink } from '../../parts/page.js';
import { Advice, Badge, DELIVERY_LOOKS, ExactTime, Facts, NextAttempt, useNow } from '../../parts/data.js';
import { CopyButton } from '../../parts/code.js';
import { FormFailure } from '../../parts/form.js';
import { nextAttemptOf, webhookName } from '../../webhook-facts.js';
import { PATHS } from '../../paths.js';
import { AttemptList } from './attempt-list.js';
import { canRetryNow, replayBlockedReason, ReplayButton, RetryButton } from './again-buttons.js';
import { RequestSent } from './request-sent.js';
import { sumUp } from './sum-up.js';

/** Page of one delivery: outcome, reason and advice. */
export function Page() {
  const { id = '' } = useParams();
  const loaded = useDelivery(id);
  const now = useNow();
  const retry = useAction('retryDelivery', { done: 'Retry queued' });
  const delivery = loaded.data?.delivery;
  const canReplay =
    loaded.data !== undefined && replayBlockedReason(loaded.data.delivery, loaded.data.body) === undefined;
  return (
    <>
      <PageHeader
        title={delivery === undefined ? 'Delivery' : `Delivery of ${delivery.event}`}
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
              {canRetryNow(delivery, now) && <RetryButton delivery={delivery} retry={retry} />}
              {canReplay && <ReplayButton delivery={delivery} />}
            </>
          )
        }
      />
      <FormFailure error={retry.error} mb="lg" />
      <QueryView query={loaded} label="the delivery">
        {(data) => <Details key={data.delivery.id} {...data} />}
      </QueryView>
    </>
  );
}

function Details(props: {
  readonly delivery: Delivery;
  readonly attempts: readonly Attempt[];
  readonly body: string | null;
}) {
  const { delivery, attempts, body } = props;
  const now = useNow();
  const webhook = useWebhook(delivery.subscriptionId).data;
  const { tone, what, advice } = sumUp(delivery, attempts, now, webhook?.deliveriesPerSecond);
  const noReplay = replayBlockedReason(delivery, body);
  return (
    <Stack gap="lg">
      <Notice tone={tone} title={what}>
        {advice.length > 0 && <Advice advice={advice} />}
      </Notice>
      <Panel title="Details">
        <DeliveryFacts delivery={delivery} webhook={webhook} noReplay={noReplay} />
      </Panel>
      <Panel title="Attempts">
        <AttemptList attempts={attempts} />
      </Panel>
      <RequestSent
        delivery={delivery}
        attempt={attempts.at(-1)}
        body={body}
        url={delivery.testUrl === null ? webhook?.url : undefined}
        secretVersion={webhook?.secretVersion}
      />
    </Stack>
  );
}

function DeliveryFacts(props: {
  readonly delivery: Delivery;
  readonly webhook: Webhook | undefined;
  /** Explains why the delivery cannot be replayed. */
  readonly noReplay: string | undefined;
}) {
  const { delivery, webhook, noReplay } = props;
  const next = nextAttemptOf(delivery);
  return (
    <Facts
      facts={{
        State: <Badge {...DELIVERY_LOOKS[delivery.state]} />,
        Webhook: (
          <TextLink size="sm" to={PATHS.webhook(delivery.subscriptionId)}>
            {webhook === undefined ? delivery.subscriptionId : webhookName(webhook)}
          </TextLink>
        ),
        'Sent to': delivery.testUrl ?? webhook?.url,
        Attempts: `${delivery.attempts} of ${LIMITS.webhookAttempts}`,
        'Next attempt': next && (
          <>
            <NextAttempt delivery={delivery} perSecond={webhook?.deliveriesPerSecond ?? null} /> (
            <ExactTime at={next} />)
          </>
        ),
        Created: <ExactTime at={delivery.createdAt} />,
        Finished: delivery.finishedAt && <ExactTime at={delivery.finishedAt} />,
        About: (
          <TextLink size="sm" to={PATHS.why(delivery.resource.id)}>
            {`${delivery.resource.type.replaceAll('_', ' ')} ${delivery.resource.id}`}
          </TextLink>
        ),
        'Event ID': (
          <Group gap={4} component="span">
            <Code>{delivery.eventId}</Code>
            <CopyButton value={delivery.eventId} what="event ID" isSmall />
          </Group>
        ),
        'Number at this webhook': delivery.number,
        'Replay of': delivery.replayOf && (
          <TextLink size="sm" to={PATHS.delivery(delivery.replayOf)}>
            {delivery.replayOf}
          </TextLink>
        ),
        'Queued by': delivery.bulkReplayId && (
          <TextLink size="sm" to={PATHS.bulkReplay(delivery.subscriptionId)}>
            {`Bulk replay ${delivery.bulkReplayId}`}
          </TextLink>
        ),
        Replay: noReplay,
      }}
    />
  );
}

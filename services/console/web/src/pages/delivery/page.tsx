import { Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { useNavigate, useParams } from 'react-router';
import {
  type Attempt,
  type Delivery,
  useAction,
  useDelivery,
  useWebhook,
  type Webhook,
} from '../../api/hooks.js';
import {
  LinkButton,
  Notice,
  OwnerOnly,
  PageHeader,
  Panel,
  QueryView,
  SmallLink,
  TextLink,
} from '../../parts/page.js';
import { Advice, DeliveryState, ExactTime, Facts, useNow } from '../../parts/data.js';
import { CopyButton } from '../../parts/code.js';
import { ConfirmedButton } from '../../parts/form.js';
import { webhookName } from '../../webhook-facts.js';
import { PATHS } from '../../paths.js';
import classes from './delivery.module.css';
import { sumUp } from './explain-attempt.js';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { Request, Script } from './request.js';
import { Response } from './response.js';
import { canRetryNow, RetryButton } from './retry-button.js';
import { Timeline } from './timeline.js';

/** Page of one delivery: outcome, reason and advice. */
export function Page() {
  const { id = '' } = useParams();
  const loaded = useDelivery(id);
  const now = useNow();
  const delivery = loaded.data?.delivery;
  const canReplay =
    loaded.data !== undefined && replayBlockedReason(loaded.data.delivery, loaded.data.body) === undefined;
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
              {canReplay && <ReplayButton delivery={delivery} />}
            </>
          )
        }
      />
      <QueryView query={loaded} label="the delivery">
        {(data) => <Details key={data.delivery.id} {...data} />}
      </QueryView>
    </>
  );
}

/** State, work order and webhook in one line. */
function Summary({ delivery }: { readonly delivery: Delivery }) {
  const webhook = useWebhook(delivery.subscriptionId).data;
  return (
    <Group gap={8} component="span">
      <DeliveryState of={delivery} />
      {delivery.workOrderNo}
      {' to '}
      <TextLink to={PATHS.webhook(delivery.subscriptionId)}>
        {webhook === undefined ? 'its webhook' : webhookName(webhook)}
      </TextLink>
    </Group>
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
  const newest = attempts.at(-1);
  // A choice holds until there is a newer attempt, which opens automatically.
  const [picked, setPicked] = useState({ id: newest?.deliveryId, newest: newest?.deliveryId });
  const attempt =
    picked.newest === newest?.deliveryId
      ? attempts.find(({ deliveryId }) => deliveryId === picked.id)
      : newest;
  const perSecond = webhook?.deliveriesPerSecond ?? null;
  const { tone, what, advice } = sumUp(delivery, attempts, now, perSecond);
  const url = delivery.testUrl === null ? webhook?.url : undefined;
  const sent = { delivery, attempt, body, url };
  return (
    <Stack gap="lg">
      <Notice tone={tone} title={what}>
        {advice.length > 0 && <Advice advice={advice} />}
      </Notice>
      <div className={classes['columns']}>
        <Stack gap="md">
          <Panel title={`Attempts: ${delivery.attempts} of ${LIMITS.webhookAttempts}`}>
            <Timeline
              {...{ delivery, attempts, perSecond, selected: attempt }}
              onSelect={({ deliveryId }) => setPicked({ id: deliveryId, newest: newest?.deliveryId })}
            />
          </Panel>
          <DeliveryFacts
            delivery={delivery}
            webhook={webhook}
            attempt={attempt}
            noReplay={delivery.finishedAt === null ? undefined : replayBlockedReason(delivery, body)}
          />
        </Stack>
        <div>
          <Tabs defaultValue="response" keepMounted={false}>
            <Tabs.List mb="md" aria-label={attempt === undefined ? 'Delivery' : `Attempt ${attempt.number}`}>
              <Tabs.Tab value="response">Response</Tabs.Tab>
              <Tabs.Tab value="request">Request</Tabs.Tab>
              <Tabs.Tab value="script">Script</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="response">
              <Response attempt={attempt} isNewest={attempt === newest} isNarrow={false} />
            </Tabs.Panel>
            <Tabs.Panel value="request">
              <Request {...sent} />
            </Tabs.Panel>
            <Tabs.Panel value="script">
              <Script {...sent} secretVersion={webhook?.secretVersion ?? attempt?.secretVersion ?? 1} />
            </Tabs.Panel>
          </Tabs>
        </div>
      </div>
    </Stack>
  );
}

/** An id with its middle cut out, and a button that copies it. */
function Id({ id, what }: { readonly id: string; readonly what: string }) {
  return (
    <Group gap={4} component="span" wrap="nowrap">
      <Code title={id}>{shortId(id)}</Code>
      <CopyButton value={id} what={what} isSmall />
    </Group>
  );
}

const shortId = (id: string) => `${id.slice(0, 8)}…${id.slice(-5)}`;

function DeliveryFacts(props: {
  readonly delivery: Delivery;
  readonly webhook: Webhook | undefined;
  readonly attempt: Attempt | undefined;
  /** Explains why the delivery cannot be replayed. */
  readonly noReplay: string | undefined;
}) {
  const { delivery, webhook, attempt, noReplay } = props;
  const { resource, finishedAt, replayOf, bulkReplayId } = delivery;
  return (
    <Facts
      facts={{
        Delivery: <Id id={delivery.id} what="delivery ID" />,
        Attempt: attempt && <Id id={attempt.deliveryId} what="attempt ID" />,
        Event: <Id id={delivery.eventId} what="event ID" />,
        About: (
          <SmallLink to={PATHS.why(resource.id)}>
            {delivery.workOrderNo ?? `${resource.type.replaceAll('_', ' ')} ${shortId(resource.id)}`}
          </SmallLink>
        ),
        'Sent to': delivery.testUrl ?? webhook?.url,
        Finished: finishedAt && <ExactTime at={finishedAt} />,
        'Signed with': attempt && `Secret version ${attempt.secretVersion}`,
        Number: delivery.number,
        'Replay of': replayOf && <SmallLink to={PATHS.delivery(replayOf)}>{shortId(replayOf)}</SmallLink>,
        'Queued by': bulkReplayId && (
          <SmallLink to={PATHS.bulkReplay(delivery.subscriptionId)}>Bulk replay</SmallLink>
        ),
        Replay: noReplay,
      }}
    />
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
      return body === null ? 'The event is past its retention, so it cannot be replayed.' : undefined;
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
        <Stack gap="xs">
          <Text size="sm">
            Sends the same event and body to the webhook’s current URL as a new delivery with up to 8
            attempts. This delivery stays unchanged.
          </Text>
          {delivery.state === 'delivered' && (
            <Text size="sm">
              Your server already accepted this event. It receives the event again, with the same event ID.
            </Text>
          )}
        </Stack>
      </ConfirmedButton>
    </OwnerOnly>
  );
}

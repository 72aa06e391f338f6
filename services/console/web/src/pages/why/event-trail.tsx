import { Code, Group, Stack, Text } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { type Output, useOperation, useWebhooks, type Webhook } from '../../api/hooks.js';
import { formatCountOf, formatDuration } from '../../format.js';
import { Hint, LinkButton, Notice, Panel, QueryView, Small, TextLink } from '../../parts/page.js';
import {
  Badge,
  DataTable,
  DELIVERY_LOOKS,
  ExactTime,
  NextAttempt,
  OUTCOME_LOOKS,
  PastTime,
  RowLink,
} from '../../parts/data.js';
import { CodeBlock } from '../../parts/code.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-facts.js';
import { readText } from '../delivery/sent-text.js';
import { type Verdict, VERDICT_TEXTS } from './verdicts.js';

type Trail = Output<'getEvent'>;
type SubscriptionTrail = Trail['subscriptions'][number];
type TracedDelivery = SubscriptionTrail['deliveries'][number];

/** Trace of an event: its record, and its outcome for each webhook. */
export function EventTrail({ eventId }: { readonly eventId: string }) {
  const loaded = useOperation('getEvent', { params: { id: eventId } });
  const webhooks = useWebhooks().data?.subscriptions ?? [];
  return (
    <QueryView query={loaded} label="the event">
      {(trail) => <Shown trail={trail} webhooks={webhooks} />}
    </QueryView>
  );
}

function Shown({ trail, webhooks }: { readonly trail: Trail; readonly webhooks: readonly Webhook[] }) {
  const { event, subscriptions, body } = trail;
  const read = readText(body);
  const nameOf = (id: string) => {
    const found = webhooks.find((webhook) => webhook.id === id);
    return found === undefined ? `Webhook ${id}` : webhookName(found);
  };
  // Deliveries come first, then outcomes that the owner can still change.
  const order: readonly Verdict[] = ['queued', 'paused'];
  const rank = ({ verdict }: SubscriptionTrail) =>
    (order.indexOf(verdict) + order.length + 1) % (order.length + 1);
  // Webhooks that were already deleted are only counted: they explain little and can be many.
  const gone = subscriptions.filter(
    ({ verdict, deliveries }) => verdict === 'deleted' && deliveries.length === 0,
  );
  const sorted = subscriptions
    .filter((each) => !gone.includes(each))
    .sort((one, other) => rank(one) - rank(other));
  return (
    <Stack gap="lg">
      <Notice {...summary(subscriptions)} />
      <Stack component="ol" className="plain" aria-label="Event trace">
        <li>
          <Panel title={`${event.isTest ? 'Sent as a test' : 'Occurred'}: ${event.event}`}>
            <Stack gap="sm">
              {event.summary !== null && <Text fw={600}>{event.summary}</Text>}
              <Text size="sm">
                It was recorded on <ExactTime at={event.committedAt} /> and is about{' '}
                <TextLink to={PATHS.why(event.resource.id)}>
                  {`${event.resource.type.replaceAll('_', ' ')} ${event.resource.id}`}
                </TextLink>
                {`, version ${event.resource.version}.`}
              </Text>
              <Small c="dimmed">
                Event <Code>{event.id}</Code>
                {event.requestId !== null && (
                  <>
                    , caused by request <Code>{event.requestId}</Code>
                  </>
                )}
              </Small>
              <details>
                <summary>Show body</summary>
                <CodeBlock
                  label="Body"
                  code={read.kind === 'json' ? read.pretty : body}
                  wraps
                  maxHeight="20rem"
                />
              </details>
            </Stack>
          </Panel>
        </li>
        {subscriptions.length === 0 && (
          <li>
            <Panel title="No webhook">
              <Stack gap="sm" align="flex-start">
                <Text size="sm">Not sent: your company had no webhook.</Text>
                <LinkButton to={PATHS.createWebhook} leftSection={<IconWebhook size={18} aria-hidden />}>
                  Create a webhook
                </LinkButton>
              </Stack>
            </Panel>
          </li>
        )}
        {sorted.map((each) => (
          <li key={each.subscriptionId}>
            <ForWebhook
              trail={each}
              name={nameOf(each.subscriptionId)}
              perSecond={webhooks.find(({ id }) => id === each.subscriptionId)?.deliveriesPerSecond ?? null}
            />
          </li>
        ))}
        {gone.length > 0 && (
          <li>
            <Panel title="Deleted webhooks">
              <Text size="sm">
                {`${formatCountOf(gone.length, 'webhook', 'webhooks')} of your company had been deleted by then and did not receive it.`}
              </Text>
            </Panel>
          </li>
        )}
      </Stack>
    </Stack>
  );
}

function ForWebhook(props: {
  readonly trail: SubscriptionTrail;
  readonly name: string;
  readonly perSecond: number | null;
}) {
  const { trail, name, perSecond } = props;
  const { verdict, subscriptionId, deliveries } = trail;
  const { why, advice, ...look } = VERDICT_TEXTS[verdict];
  return (
    <Panel title={name} actions={<Badge {...look} />}>
      <Stack gap="sm">
        <Text size="sm">
          {why}
          {advice !== undefined && ` ${advice}`}
        </Text>
        {verdict !== 'deleted' && verdict !== 'queued' && (
          <Text size="sm">
            <TextLink to={PATHS.webhook(subscriptionId)}>View webhook</TextLink>
          </Text>
        )}
        {deliveries.length > 0 && <Deliveries deliveries={deliveries} perSecond={perSecond} />}
      </Stack>
    </Panel>
  );
}

function Deliveries(props: {
  readonly deliveries: readonly TracedDelivery[];
  readonly perSecond: number | null;
}) {
  return (
    <DataTable
      caption="Deliveries of the event to this webhook, newest first"
      rows={props.deliveries}
      rowKey={({ delivery }) => delivery.id}
      columns={{
        Delivery: ({ delivery }) => (
          <RowLink
            to={PATHS.delivery(delivery.id)}
            name={delivery.replayOf === null ? 'First delivery' : 'Replay'}
          >
            <Hint>{delivery.id}</Hint>
          </RowLink>
        ),
        State: ({ delivery }) => <Badge {...DELIVERY_LOOKS[delivery.state]} />,
        Created: ({ delivery }) => <PastTime at={delivery.createdAt} />,
        'Last attempt': LastAttempt,
        'Next attempt': ({ delivery }) => <NextAttempt delivery={delivery} perSecond={props.perSecond} />,
      }}
    />
  );
}

function LastAttempt({ attempts }: TracedDelivery) {
  const last = attempts.at(-1);
  if (last === undefined) return <span>None yet</span>;
  return (
    <Group gap={6} component="span">
      <Badge {...OUTCOME_LOOKS[last.outcome]} />
      <Hint span>
        {`${formatCountOf(attempts.length, 'attempt', 'attempts')}${last.responseStatus === null ? '' : `, status ${last.responseStatus}`}, ${formatDuration(last.durationMs)}`}
      </Hint>
    </Group>
  );
}

function summary(subscriptions: readonly SubscriptionTrail[]) {
  const deliveries = subscriptions.flatMap((trail) => trail.deliveries.map(({ delivery }) => delivery));
  const states = new Set(deliveries.map(({ state }) => state));
  if (deliveries.length === 0) {
    return { tone: 'warn', title: 'Not sent to any webhook. See the reasons below.' } as const;
  }
  if (states.has('delivered')) {
    return states.has('dead_lettered') || states.has('retry_scheduled')
      ? ({ tone: 'warn', title: 'Delivered at least once; other deliveries failed.' } as const)
      : ({ tone: 'good', title: 'Delivered: your server accepted it.' } as const);
  }
  return states.has('dead_lettered')
    ? ({
        tone: 'bad',
        title: 'Sent, but not accepted by your server. Select the delivery to see why.',
      } as const)
    : ({ tone: 'info', title: 'In progress, not delivered yet.' } as const);
}

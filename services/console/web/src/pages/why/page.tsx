import { Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { IconSearch, IconWebhook, IconZoomQuestion } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import {
  type Output,
  useDelivery,
  useOperation,
  useOperationList,
  useWebhooks,
  type Webhook,
} from '../../api/hooks.js';
import {
  EmptyState,
  Hint,
  LinkButton,
  LoadMore,
  Notice,
  PageHeader,
  Panel,
  QueryView,
  Small,
  TextLink,
} from '../../parts/page.js';
import {
  StateDot,
  DataTable,
  DELIVERY_LOOKS,
  ExactTime,
  NextAttempt,
  OUTCOME_LOOKS,
  PastTime,
  RowLink,
} from '../../parts/data.js';
import { PATHS } from '../../paths.js';
import { formatCountOf, formatDuration } from '../../format.js';
import { CodeBlock } from '../../parts/code.js';
import { webhookName } from '../../webhook-facts.js';
import { readText } from '../delivery/sent-text.js';
import { type Verdict, VERDICT_TEXTS } from './verdicts.js';

/** What can be traced, by the query parameter with its id: an event, a delivery, or all events about a resource. */
const SUBJECTS = ['eventId', 'deliveryId', 'resourceId'] as const;

/** Returns the kind of an id. */
function subjectOf(id: string): (typeof SUBJECTS)[number] {
  if (id.startsWith('evt_')) return 'eventId';
  return id.startsWith('dlv_') ? 'deliveryId' : 'resourceId';
}

/** Page that traces an event to its deliveries. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const subject = SUBJECTS.find((each) => query.get(each));
  const id = subject === undefined ? '' : (query.get(subject) ?? '');
  return (
    <>
      <PageHeader title="Trace an event" description="Find out what happened to an event, step by step." />
      <Stack gap="lg">
        <SubjectForm key={id} id={id} onSubmit={(next) => setQuery({ [subjectOf(next)]: next })} />
        {subject === 'eventId' && <EventTrail eventId={id} />}
        {subject === 'deliveryId' && <OfDelivery deliveryId={id} />}
        {subject === 'resourceId' && <EventList key={id} resourceId={id} />}
        {subject === undefined && <EventList />}
      </Stack>
    </>
  );
}

function SubjectForm(props: { readonly id: string; readonly onSubmit: (id: string) => void }) {
  const [text, setText] = useState(props.id);
  const [error, setError] = useState<string>();
  return (
    <Panel>
      <form
        role="search"
        aria-label="Events"
        onSubmit={(event) => {
          event.preventDefault();
          const id = text.trim();
          setError(id === '' ? 'Enter an ID' : undefined);
          if (id !== '') props.onSubmit(id);
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label="ID of a job, an event or a delivery"
            description="For example the job ID, the webhook-id header or the x-svc-delivery-id header."
            placeholder="job_…, evt_… or dlv_…"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={error}
            flex="1 1 20rem"
            autoComplete="off"
            spellCheck={false}
          />
          <Button type="submit" leftSection={<IconSearch size={18} aria-hidden />}>
            Look up
          </Button>
        </Group>
      </form>
    </Panel>
  );
}

function OfDelivery({ deliveryId }: { readonly deliveryId: string }) {
  const delivery = useDelivery(deliveryId);
  return (
    <QueryView query={delivery} label="the delivery">
      {({ delivery }) => <EventTrail eventId={delivery.eventId} />}
    </QueryView>
  );
}

/** Events about a resource, or the company's latest events, each with a link to its trace. */
function EventList({ resourceId }: { readonly resourceId?: string }) {
  const list = useOperationList('listEvents', { query: { resourceId, limit: 20 } }, (page) => page.events);
  const explanation = list.pages?.[0]?.explanation ?? null;
  return (
    <QueryView query={list} label="events">
      {(events) => <Events events={events} list={list} explanation={explanation} resourceId={resourceId} />}
    </QueryView>
  );
}

function Events(props: {
  readonly events: Output<'listEvents'>['events'];
  readonly list: Parameters<typeof LoadMore>[0]['list'];
  readonly explanation: string | null;
  readonly resourceId: string | undefined;
}) {
  const { events, list, explanation, resourceId } = props;
  if (events.length === 0 && !list.hasMore) {
    return (
      <Panel>
        {resourceId === undefined ? (
          <EmptyState title="No events yet" icon={<IconZoomQuestion size={28} />}>
            All events of your company appear here, with or without a subscribed webhook.
          </EmptyState>
        ) : (
          <EmptyState title="No events for this ID" icon={<IconZoomQuestion size={28} />}>
            {explanation !== null && <Text mb="sm">{explanation}</Text>}
            <List size="sm" ta="start">
              <List.Item>Check the ID for typos.</List.Item>
              <List.Item>Check that the job is assigned to your company and has changed since.</List.Item>
            </List>
          </EmptyState>
        )}
      </Panel>
    );
  }
  return (
    <section aria-labelledby="events-heading">
      <Text component="h2" id="events-heading" fz="h2" fw={650} mt={0} mb="sm">
        {resourceId === undefined ? 'Latest events' : `Events of ${resourceId}`}
      </Text>
      <DataTable
        caption="Events, newest first"
        rows={events}
        rowKey={({ id }) => id}
        columns={{
          Event: ({ id, event, isTest, summary }) => (
            <RowLink to={PATHS.whyEvent(id)} name={event}>
              {summary !== null && <Text size="sm">{summary}</Text>}
              <Hint>{`${id}${isTest ? ' · test' : ''}`}</Hint>
            </RowLink>
          ),
          About: ({ resource }) =>
            `${resource.type.replaceAll('_', ' ')} ${resource.id}, version ${resource.version}`,
          Deliveries: ({ deliveryStates }) =>
            deliveryStates.length === 0 ? (
              'None'
            ) : (
              <Group gap={6} component="span">
                {deliveryStates.map((state) => (
                  <StateDot key={state} {...DELIVERY_LOOKS[state]} />
                ))}
              </Group>
            ),
          Recorded: ({ committedAt }) => <PastTime at={committedAt} />,
        }}
      />
      <LoadMore shown={events.length} what={events.length === 1 ? 'event' : 'events'} list={list} />
    </section>
  );
}

type Trail = Output<'getEvent'>;
type SubscriptionTrail = Trail['subscriptions'][number];
type TracedDelivery = SubscriptionTrail['deliveries'][number];

/** Trace of an event: its record, and its outcome for each webhook. */
function EventTrail({ eventId }: { readonly eventId: string }) {
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
    <Panel title={name} actions={<StateDot {...look} />}>
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
        State: ({ delivery }) => <StateDot {...DELIVERY_LOOKS[delivery.state]} />,
        Created: ({ delivery }) => <PastTime at={delivery.createdAt} />,
        'Last attempt': LastAttempt,
        'Next attempt': ({ delivery }) => <NextAttempt of={delivery} perSecond={props.perSecond} />,
      }}
    />
  );
}

function LastAttempt({ attempts }: TracedDelivery) {
  const last = attempts.at(-1);
  if (last === undefined) return <span>None yet</span>;
  return (
    <Group gap={6} component="span">
      <StateDot {...OUTCOME_LOOKS[last.outcome]} />
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

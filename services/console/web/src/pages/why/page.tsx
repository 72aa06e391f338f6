import { IconRoute, IconSearch, IconWebhook } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Link } from '../../parts/link.js';
import {
  type Output,
  useDelivery,
  useOperation,
  useOperationList,
  useWebhooks,
  type Webhook,
} from '../../api/hooks.js';
import {
  Details,
  EmptyState,
  LinkButton,
  LoadMore,
  OwnerOnly,
  PageHeader,
  QueryView,
} from '../../parts/page.js';
import {
  DataTable,
  DELIVERY_LOOKS,
  ExactTime,
  NextAttempt,
  OUTCOME_LOOKS,
  PastTime,
  RowLink,
  StateDot,
} from '../../parts/data.js';
import { CodeBlock, CopyButton } from '../../parts/code.js';
import { PATHS } from '../../paths.js';
import { formatCountOf, formatDuration } from '../../format.js';
import { nextAttemptOf, webhookName } from '../../webhook-facts.js';
import { TextInput } from '../../parts/fields.js';
import { Button } from '../../parts/ui.js';
import { readText } from '../delivery/sent-text.js';
import { notSent, orderOf, reachedText, summaryText, type Traced, worstOf } from './trace.js';
import classes from './why.module.css';

/** Page that traces events to their deliveries: the events about a resource, and for one of them a row for each webhook. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const resourceId = query.get('resourceId') ?? undefined;
  const deliveryId = query.get('deliveryId') ?? undefined;
  const delivery = useDelivery(deliveryId);
  const eventId = query.get('eventId') ?? delivery.data?.delivery.eventId;
  const input = { params: { id: eventId ?? '' } };
  const event = useOperation('getEvent', input, { enabled: eventId !== undefined });
  const about = resourceId ?? event.data?.event.resource.id;
  const isKnown = about !== undefined || (eventId === undefined && deliveryId === undefined);
  const list = useOperationList(
    'listEvents',
    { query: { resourceId: about, limit: 20 } },
    (page) => page.events,
    isKnown,
  );
  const text = resourceId ?? deliveryId ?? query.get('eventId') ?? '';
  // Those of the text before are not shown below the new one.
  const found = list.isStale ? undefined : list.data;
  const shown = eventId ?? (resourceId === undefined ? undefined : found?.[0]?.id);
  const isFound = event.data !== undefined || (eventId === undefined && deliveryId === undefined);
  const missing = eventId === undefined ? delivery : event;
  return (
    <>
      <PageHeader title="Trace" />
      <SubjectForm key={text} text={text} onSubmit={(next) => setQuery({ [subjectOf(next)]: next })} />
      <div className={classes['trace']}>
        {isFound ? (
          <>
            <QueryView query={{ ...list, data: found }} label="events">
              {(events) => <Events {...{ events, list, shown }} resourceId={about} text={resourceId} />}
            </QueryView>
            {shown !== undefined && <EventTrail key={shown} eventId={shown} />}
          </>
        ) : (
          <QueryView
            query={{ ...missing, data: undefined }}
            label={eventId === undefined ? 'the delivery' : 'the event'}
          >
            {() => null}
          </QueryView>
        )}
      </div>
    </>
  );
}

/** Returns the parameter for what someone entered: the id of an event or a delivery, or of a resource, or a work order. */
function subjectOf(text: string): 'eventId' | 'deliveryId' | 'resourceId' {
  if (text.startsWith('evt_')) return 'eventId';
  return text.startsWith('dlv_') ? 'deliveryId' : 'resourceId';
}

function SubjectForm(props: { readonly text: string; readonly onSubmit: (text: string) => void }) {
  const [text, setText] = useState(props.text);
  return (
    <form
      className="row bottom"
      style={{ flexWrap: 'nowrap' }}
      role="search"
      aria-label="Events"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') props.onSubmit(text.trim());
      }}
    >
      <TextInput
        label="Work order, or the ID of a job, event or delivery"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        required
        style={{ flex: '0 1 560px' }}
        autoComplete="off"
        spellCheck={false}
      />
      <Button type="submit" variant="default">
        Trace
      </Button>
    </form>
  );
}

function Events(props: {
  readonly events: Output<'listEvents'>['events'];
  readonly list: Parameters<typeof LoadMore>[0]['list'];
  readonly resourceId: string | undefined;
  /** What the owner looked for. */
  readonly text: string | undefined;
  readonly shown: string | undefined;
}) {
  const { events, list, resourceId, text } = props;
  if (events.length === 0 && !list.hasMore) {
    const [title, help] =
      resourceId === undefined
        ? ['No events yet', 'All events of your company appear here, with or without a webhook.']
        : [
            'No events found for this text',
            'Check it for typos, and that the job is assigned to your company and has changed since.',
          ];
    return (
      <EmptyState title={title} icon={<IconRoute size={28} />}>
        {help}
      </EmptyState>
    );
  }
  return (
    <section aria-labelledby="events">
      <h2 id="events">
        {text ?? (resourceId === undefined ? 'Latest events' : 'Events of the same resource')}
      </h2>
      <ol className={`plain ${classes['events']}`}>
        {events.map(({ id, event, summary, committedAt, deliveryStates, isTest }) => (
          <li key={id}>
            <Link to={PATHS.whyEvent(id, text)} {...(id === props.shown && { 'aria-current': 'true' })}>
              <StateDot
                tone={worstOf(deliveryStates)}
                label={summary === null ? event : summaryText(summary)}
              />
              <PastTime at={committedAt} />
              {(summary !== null || isTest) && <small>{`${event}${isTest ? ' · test' : ''}`}</small>}
            </Link>
          </li>
        ))}
      </ol>
      {list.hasMore && <LoadMore shown={events.length} what="events" list={list} />}
    </section>
  );
}

/** An event and its outcome for each webhook. */
function EventTrail({ eventId }: { readonly eventId: string }) {
  const loaded = useOperation('getEvent', { params: { id: eventId } });
  return (
    <QueryView query={loaded} label="the event">
      {(trail) => <Trail {...trail} />}
    </QueryView>
  );
}

function Trail({ event, subscriptions, body }: Output<'getEvent'>) {
  const read = readText(body);
  const { rows, gone } = orderOf(subscriptions);
  return (
    <section className="stack" aria-labelledby="reached">
      <div className="row">
        <h2 id="reached">{event.summary === null ? event.event : summaryText(event.summary)}</h2>
        <code>{event.id}</code>
        <CopyButton value={event.id} what="event ID" />
      </div>
      <p className="small">
        <strong>{reachedText(rows)}</strong>{' '}
        <span className="dim">
          {event.isTest ? 'A test, sent ' : `${event.event}, `}
          <ExactTime at={event.committedAt} />
        </span>
      </p>
      {rows.length === 0 ? (
        <EmptyState
          title="Your company had no webhooks"
          icon={<IconWebhook size={28} />}
          action={<LinkButton to={PATHS.createWebhook}>Create a webhook</LinkButton>}
        />
      ) : (
        <Outcomes rows={rows} />
      )}
      {gone.length > 0 && (
        <small>{`${formatCountOf(gone.length, 'webhook', 'webhooks')} had already been deleted.`}</small>
      )}
      <Details summary="Show the body">
        {() => <CodeBlock label="Body" code={read.kind === 'json' ? read.pretty : body} />}
      </Details>
    </section>
  );
}

/** A row for each webhook, of several deliveries to it with the newest. */
function Outcomes({ rows }: { readonly rows: readonly Traced[] }) {
  const webhooks = useWebhooks().data?.subscriptions ?? [];
  const outcomes = rows.map((traced) => ({
    traced,
    newest: traced.deliveries[0],
    webhook: webhooks.find(({ id }) => id === traced.subscriptionId),
  }));
  return (
    <DataTable
      caption="Outcome for each webhook"
      rows={outcomes}
      rowKey={({ traced }) => traced.subscriptionId}
      widths={{ State: '9rem', Attempts: '5rem', Took: '5rem' }}
      numbers={['Attempts', 'Took']}
      columns={{
        Webhook: ({ traced: { subscriptionId, deliveries }, newest, webhook }) => (
          <RowLink
            to={newest === undefined ? PATHS.webhook(subscriptionId) : PATHS.delivery(newest.delivery.id)}
            name={webhook === undefined ? 'Deleted webhook' : webhookName(webhook)}
          >
            {deliveries.length > 1 && (
              <small>{`Newest of ${formatCountOf(deliveries.length, 'delivery', 'deliveries')}`}</small>
            )}
          </RowLink>
        ),
        State: ({ newest }) =>
          newest === undefined ? (
            <StateDot tone="quiet" label="Not sent" />
          ) : (
            <StateDot {...DELIVERY_LOOKS[newest.delivery.state]} />
          ),
        Why: ({ traced, newest, webhook }) =>
          newest === undefined ? (
            <WhyNot verdict={traced.verdict} webhook={webhook} />
          ) : (
            <>
              {lastResponse(newest)}
              {newest.delivery.waitsFor !== null && (
                <Link to={PATHS.delivery(newest.delivery.waitsFor)}>Waits for the event before it</Link>
              )}
              {nextAttemptOf(newest.delivery) !== null && (
                <span className="dim">
                  {' Next attempt: '}
                  <NextAttempt of={newest.delivery} perSecond={webhook?.deliveriesPerSecond ?? null} />
                </span>
              )}
            </>
          ),
        Attempts: ({ newest }) => newest?.attempts.length ?? '',
        Took: ({ newest }) => newest && formatDuration(newest.attempts.at(-1)?.durationMs),
      }}
    />
  );
}

function lastResponse({ attempts }: Traced['deliveries'][number]) {
  const last = attempts.at(-1);
  return last && (last.responseStatus ?? OUTCOME_LOOKS[last.outcome].label);
}

/** Why a webhook did not get the event, and where the owner changes that for later ones. */
function WhyNot(props: { readonly verdict: Traced['verdict']; readonly webhook: Webhook | undefined }) {
  const { verdict, webhook } = props;
  const { why, action, tab } = notSent(verdict);
  const isDone = webhook === undefined || (verdict === 'paused' && webhook.state !== 'paused');
  return (
    <>
      {why}
      {action !== undefined && !isDone && (
        <OwnerOnly>
          <Link to={PATHS.webhook(webhook.id, tab)}>{action}</Link>
        </OwnerOnly>
      )}
    </>
  );
}

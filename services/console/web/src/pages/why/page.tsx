import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { IconSearch, IconZoomQuestion } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { type Output, useDelivery, useOperationList } from '../../api/hooks.js';
import { EmptyState, Hint, LoadMore, PageHeader, Panel, QueryView, TextLink } from '../../parts/page.js';
import { EventTrail } from './event-trail.js';
import { parseTraceSubject, queryOf, type TraceSubject, traceSubjectOf } from './trace-subject.js';
import { Badge, DataTable, DELIVERY_LOOKS, PastTime } from '../../parts/data.js';
import { PATHS } from '../../paths.js';

/** Page that traces an event to its deliveries. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const subject = traceSubjectOf(query);
  return (
    <>
      <PageHeader title="Trace an event" description="Find out what happened to an event, step by step." />
      <Stack gap="lg">
        <SubjectForm
          key={subject?.id ?? ''}
          subject={subject}
          onSubmit={(next) => setQuery({ ...queryOf(next) })}
        />
        <Found subject={subject} />
      </Stack>
    </>
  );
}

function SubjectForm(props: {
  readonly subject: TraceSubject | undefined;
  readonly onSubmit: (subject: TraceSubject) => void;
}) {
  const [text, setText] = useState(props.subject?.id ?? '');
  const [error, setError] = useState<string>();
  return (
    <Panel>
      <form
        role="search"
        aria-label="Events"
        onSubmit={(event) => {
          event.preventDefault();
          const subject = parseTraceSubject(text);
          setError(subject === undefined ? 'Enter an ID' : undefined);
          if (subject !== undefined) props.onSubmit(subject);
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

function Found({ subject }: { readonly subject: TraceSubject | undefined }) {
  switch (subject?.kind) {
    case 'event':
      return <EventTrail eventId={subject.id} />;
    case 'delivery':
      return <OfDelivery deliveryId={subject.id} />;
    case 'resource':
      return <EventList key={subject.id} resourceId={subject.id} />;
    case undefined:
      return <EventList />;
  }
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
            <div>
              <TextLink to={PATHS.whyEvent(id)} fw={600}>
                {event}
              </TextLink>
              {summary !== null && <Text size="sm">{summary}</Text>}
              <Hint>{`${id}${isTest ? ' · test' : ''}`}</Hint>
            </div>
          ),
          About: ({ resource }) =>
            `${resource.type.replaceAll('_', ' ')} ${resource.id}, version ${resource.version}`,
          Deliveries: ({ deliveryStates }) =>
            deliveryStates.length === 0 ? (
              'None'
            ) : (
              <Group gap={6} component="span">
                {deliveryStates.map((state) => (
                  <Badge key={state} {...DELIVERY_LOOKS[state]} />
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

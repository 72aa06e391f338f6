import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { IconSearch, IconZoomQuestion } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { type Output, useDelivery, useOperationList } from '../../api/hooks.js';
import { EmptyState, Hint, LoadMore, PageHeader, Panel, QueryView } from '../../parts/page.js';
import { EventTrail } from './event-trail.js';
import { Badge, DataTable, DELIVERY_LOOKS, PastTime, RowLink } from '../../parts/data.js';
import { PATHS } from '../../paths.js';

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

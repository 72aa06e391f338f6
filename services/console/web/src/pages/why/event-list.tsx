import { Group, List, Text } from '@mantine/core';
import { IconZoomQuestion } from '@tabler/icons-react';
import type { Output } from '../../api/operations.js';
import { useOperationList } from '../../api/hooks.js';
import { Badge, DELIVERY_LOOKS } from '../../parts/badges.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState, LoadMore, QueryView } from '../../parts/query-view.js';
import { Panel, TextLink } from '../../parts/page.js';
import { PastTime } from '../../parts/times.js';
import { PATHS } from '../../paths.js';

/** Events about a resource, or the company's latest events, each with a link to its trace. */
export function EventList({ resourceId }: { readonly resourceId?: string }) {
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
        columns={[
          {
            header: 'Event',
            isName: true,
            cell: ({ id, event, isTest, summary }) => (
              <div>
                <TextLink to={PATHS.whyEvent(id)} fw={600}>
                  {event}
                </TextLink>
                {summary !== null && <Text size="sm">{summary}</Text>}
                <Text size="xs" c="dimmed">
                  {`${id}${isTest ? ' · test' : ''}`}
                </Text>
              </div>
            ),
          },
          {
            header: 'About',
            cell: ({ resource }) =>
              `${resource.type.replaceAll('_', ' ')} ${resource.id}, version ${resource.version}`,
          },
          {
            header: 'Deliveries',
            cell: ({ deliveryStates }) =>
              deliveryStates.length === 0 ? (
                'None'
              ) : (
                <Group gap={6} component="span">
                  {deliveryStates.map((state) => (
                    <Badge key={state} {...DELIVERY_LOOKS[state]} />
                  ))}
                </Group>
              ),
          },
          { header: 'Recorded', cell: ({ committedAt }) => <PastTime at={committedAt} /> },
        ]}
      />
      <LoadMore shown={events.length} what={events.length === 1 ? 'event' : 'events'} list={list} />
    </section>
  );
}

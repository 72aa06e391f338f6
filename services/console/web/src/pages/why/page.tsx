import { Button, Group, Stack, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useDelivery } from '../../api/deliveries.js';
import { QueryView } from '../../parts/query-view.js';
import { PageHeader } from '../../parts/page-header.js';
import { Panel } from '../../parts/panel.js';
import { EventList } from './event-list.js';
import { EventTrail } from './event-trail.js';
import { type TraceSubject, traceSubjectOf, queryOf, parseTraceSubject } from './trace-subject.js';

/** Follows an event from where it happened to your server, or to where it ended. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const asked = traceSubjectOf(query);
  return (
    <>
      <PageHeader title="Trace an event" description="Find out what happened to an event, step by step." />
      <Stack gap="lg">
        <LookUp key={asked?.id ?? ''} asked={asked} onAsk={(next) => setQuery({ ...queryOf(next) })} />
        <Found asked={asked} />
      </Stack>
    </>
  );
}

function LookUp(props: {
  readonly asked: TraceSubject | undefined;
  readonly onAsk: (asked: TraceSubject) => void;
}) {
  const [text, setText] = useState(props.asked?.id ?? '');
  const [error, setError] = useState<string>();
  return (
    <Panel>
      <form
        role="search"
        aria-label="Events"
        onSubmit={(event) => {
          event.preventDefault();
          const asked = parseTraceSubject(text);
          setError(asked === undefined ? 'Enter an ID' : undefined);
          if (asked !== undefined) props.onAsk(asked);
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

function Found({ asked }: { readonly asked: TraceSubject | undefined }) {
  switch (asked?.kind) {
    case 'event':
      return <EventTrail eventId={asked.id} />;
    case 'delivery':
      return <OfDelivery deliveryId={asked.id} />;
    case 'resource':
      return <EventList key={asked.id} resourceId={asked.id} />;
    case undefined:
      return <EventList />;
  }
}

function OfDelivery({ deliveryId }: { readonly deliveryId: string }) {
  const answer = useDelivery(deliveryId);
  return (
    <QueryView
      data={answer.data}
      error={answer.error}
      label="the delivery"
      onRetry={() => void answer.refetch()}
    >
      {({ delivery }) => <EventTrail eventId={delivery.eventId} />}
    </QueryView>
  );
}

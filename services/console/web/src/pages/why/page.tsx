import { Button, Group, Stack, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useDelivery } from '../../api/hooks.js';
import { QueryView } from '../../parts/query-view.js';
import { PageHeader, Panel } from '../../parts/page.js';
import { EventList } from './event-list.js';
import { EventTrail } from './event-trail.js';
import { parseTraceSubject, queryOf, type TraceSubject, traceSubjectOf } from './trace-subject.js';

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

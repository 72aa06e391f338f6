import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { type BulkReplayRequest, type Output, useAction, type Webhook } from '../../api/hooks.js';
import { formatCount, formatCountOf, formatDuration } from '../../format.js';
import { Form, PickSelect, useEventOptions } from '../../parts/form.js';
import { Details, Notice, Panel } from '../../parts/page.js';
import { DataTable, ExactTime, RowLink } from '../../parts/data.js';
import { PATHS } from '../../paths.js';
import { Choices, NumberInput } from '../../parts/fields.js';
import { causeTitle } from '../deliveries/cause-list.js';
import { SpanFields } from '../deliveries/span-fields.js';
import { requestOf } from './replay-request.js';

const STATES = [
  {
    value: 'dead_lettered',
    label: 'Given up',
    description: 'Out of retries, and not accepted since.',
  },
  {
    value: 'delivered',
    label: 'Accepted',
    description: 'Your server receives them again.',
  },
  {
    value: 'retry_scheduled',
    label: 'Waiting for a retry',
    description: 'Their next attempt is made now. Later attempts keep their delays.',
  },
] as const;

/** Form that selects deliveries, previews their retry and starts it. */
export function ReplayForm({ webhook }: { readonly webhook: Webhook }) {
  const [query] = useSearchParams();
  const [request, setRequest] = useState(() => requestOf(query, new Date()));
  const params = { id: webhook.id };
  const preview = useAction('replayDeliveries');
  const start = useAction('replayDeliveries', { done: 'Retry started', onDone: preview.reset });
  // A preview is only valid for the input that it was requested with.
  const change = (part: Partial<BulkReplayRequest>) => {
    setRequest({ ...request, ...part });
    preview.reset();
    start.reset();
  };
  const shown = preview.response && 'resources' in preview.response ? preview.response : undefined;
  const isReady = shown !== undefined && shown.deliveries > 0;
  const count = shown && (shown.atLeast ? 'all of them' : countOf(shown.deliveries));
  return (
    <Panel title="Which deliveries">
      <Form
        action={isReady ? start : preview}
        submitLabel={isReady ? `Retry ${count}` : 'Preview'}
        isLong
        onSubmit={() =>
          isReady
            ? start.run({ params, body: request })
            : preview.run({ params, body: { ...request, preview: true } })
        }
      >
        {webhook.state === 'paused' && (
          <Notice tone="info" title="The webhook is paused">
            The retry starts when you activate it.
          </Notice>
        )}
        <RequestFields request={request} onChange={change} />
        {shown !== undefined && <Preview preview={shown} />}
      </Form>
    </Panel>
  );
}

const countOf = (count: number) => formatCountOf(count, 'delivery', 'deliveries');

function RequestFields(props: {
  readonly request: BulkReplayRequest;
  readonly onChange: (part: Partial<BulkReplayRequest>) => void;
}) {
  const { request, onChange } = props;
  return (
    <>
      <Choices
        label="Deliveries"
        type="checkbox"
        values={request.states}
        options={STATES}
        onToggle={(toggled) =>
          onChange({
            states: STATES.map(({ value }) => value).filter(
              (value) => request.states.includes(value) !== (value === toggled),
            ),
          })
        }
      />
      <SpanFields
        span={request}
        onChange={({ from = request.from, to = new Date().toISOString() }) => onChange({ from, to })}
      />
      <PickSelect
        label="Event"
        all="All events"
        value={request.event}
        options={useEventOptions(false)}
        onPick={(event) => onChange({ event })}
      />
      {request.cause !== undefined && (
        <PickSelect
          label="Cause"
          all="All causes"
          value="one"
          options={[{ value: 'one', label: causeTitle(request.cause) }]}
          onPick={() => onChange({ cause: undefined })}
        />
      )}
      <NumberInput
        label="Deliveries per minute"
        description="Choose a rate that your server can handle in addition to new events."
        value={request.perMinute ?? null}
        onChange={(value) => onChange({ perMinute: value ?? undefined })}
        max={60_000}
      />
    </>
  );
}

function Preview(props: {
  readonly preview: Extract<Output<'replayDeliveries'>, { readonly estimatedMinutes: number }>;
}) {
  const { deliveries, atLeast, oldest, newest, resources, resourceCount, estimatedMinutes } = props.preview;
  return (
    <div role="status">
      <Notice
        tone="info"
        title={
          deliveries === 0
            ? 'No deliveries to retry'
            : `${atLeast ? 'At least ' : ''}${countOf(deliveries)} will be sent`
        }
      >
        {oldest === null || newest === null ? (
          'Choose another time span, state or event.'
        ) : (
          <>
            Created from <ExactTime at={oldest} /> to <ExactTime at={newest} />.{' '}
            {`Queueing takes about ${formatDuration(Math.max(estimatedMinutes, 1) * 60_000)}.`}
            {atLeast && ' More deliveries match than were counted. All of them are included.'}
          </>
        )}
      </Notice>
      {deliveries > 0 && (
        <Details
          summary={`${formatCountOf(resourceCount, 'job or other item', 'jobs and other items')}${resources.length < resourceCount ? `. The ${resources.length} most frequent:` : ''}`}
        >
          {() => (
            <DataTable
              caption="What the deliveries are about"
              rows={resources}
              rowKey={({ type, id }) => `${type} ${id}`}
              columns={{
                'Work order': ({ type, id, workOrderNo }) => (
                  <RowLink to={PATHS.why(id)} name={workOrderNo ?? type.replaceAll('_', ' ')}>
                    <small>{id}</small>
                  </RowLink>
                ),
                Deliveries: ({ deliveries }) => formatCount(deliveries),
              }}
              numbers={['Deliveries']}
            />
          )}
        </Details>
      )}
    </div>
  );
}

import { Button, Checkbox, Group, NumberInput, Stack } from '@mantine/core';
import { useId, useState } from 'react';
import { useSearchParams } from 'react-router';
import { type BulkReplayRequest, type Output, useAction, type Webhook } from '../../api/hooks.js';
import { formatCountOf, formatDuration } from '../../format.js';
import {
  DateTimeField,
  Form,
  type FormAction,
  PickSelect,
  StartButton,
  useEventOptions,
} from '../../parts/form.js';
import { Notice, Panel, TextLink } from '../../parts/page.js';
import { DataTable, ExactTime } from '../../parts/data.js';
import { PATHS } from '../../paths.js';
import {
  draftViolations,
  firstDraft,
  lastDays,
  type ReplayDraft,
  requestOf,
  verbOf,
} from './replay-request.js';

const SPANS = [
  { days: 1, label: 'Last 24 hours' },
  { days: 7, label: 'Last 7 days' },
  { days: 30, label: 'Last 30 days' },
] as const;

const STATES = [
  {
    value: 'dead_lettered',
    label: 'Given up',
    description: 'Out of retries, and not accepted by another replay since.',
  },
  {
    value: 'delivered',
    label: 'Accepted',
    description: 'Your server receives them a second time.',
  },
  {
    value: 'retry_scheduled',
    label: 'Waiting for a retry',
    description: 'Their next scheduled attempt comes now; later ones keep their delays.',
  },
] as const;

/** Form that selects deliveries, previews the bulk replay and starts it. */
export function ReplayForm({ webhook }: { readonly webhook: Webhook }) {
  const [query] = useSearchParams();
  const [draft, setDraft] = useState(() =>
    firstDraft(new Date(), query.get('status') === 'retry_scheduled' ? 'retry_scheduled' : 'dead_lettered'),
  );
  const [wasRequested, setWasRequested] = useState(false);
  // A preview is only valid for the input that it was requested with.
  const [previewed, setPreviewed] = useState<BulkReplayRequest>();
  const params = { id: webhook.id };
  const preview = useAction('replayDeliveries');
  const start = useAction('replayDeliveries', {
    done: (started) =>
      'states' in started && started.states?.length === 1 && started.states[0] === 'retry_scheduled'
        ? 'Retries started'
        : 'Bulk replay started',
  });
  const violations = wasRequested ? draftViolations(draft) : {};

  const change = (part: Partial<ReplayDraft>) => {
    setDraft((current) => ({ ...current, ...part }));
    setPreviewed(undefined);
    start.reset();
  };
  const requestPreview = () => {
    setWasRequested(true);
    const request = requestOf(draft);
    setPreviewed(request);
    start.reset();
    if (request !== undefined) preview.run({ params, body: { ...request, preview: true } });
  };

  const { response } = preview;
  const isShown = !preview.isRunning && preview.error === null;
  const shown = isShown && response !== undefined && 'resources' in response ? response : undefined;

  return (
    <Panel title="Select deliveries">
      <Form
        action={{ ...preview, error: previewed === undefined ? null : preview.error }}
        submitLabel={`Preview ${verbOf(draft.states).toLowerCase()}`}
        button={{ variant: previewed === undefined ? 'filled' : 'default' }}
        onSubmit={requestPreview}
      >
        {webhook.state === 'paused' && (
          <Notice tone="info" title="The webhook is paused">
            The replay starts when you activate it.
          </Notice>
        )}
        <DraftFields draft={draft} violations={violations} onChange={change} />
      </Form>
      {previewed !== undefined && shown !== undefined && (
        <Preview
          preview={shown}
          states={previewed.states}
          start={start}
          onStart={() => start.run({ params, body: previewed }, { onSuccess: () => setPreviewed(undefined) })}
        />
      )}
    </Panel>
  );
}

function DraftFields(props: {
  readonly draft: ReplayDraft;
  readonly violations: ReturnType<typeof draftViolations>;
  readonly onChange: (part: Partial<ReplayDraft>) => void;
}) {
  const { draft, violations, onChange } = props;
  return (
    <>
      <Checkbox.Group
        label="Deliveries"
        labelProps={{ id: useId() }}
        error={violations['states']}
        value={[...draft.states]}
        onChange={(chosen) =>
          onChange({ states: STATES.map(({ value }) => value).filter((value) => chosen.includes(value)) })
        }
      >
        <Stack gap="xs" mt={6}>
          {STATES.map((state) => (
            <Checkbox key={state.value} {...state} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Group gap="sm" align="flex-start">
        <DateTimeField
          label="From"
          value={draft.from}
          onPick={(from) => onChange({ from })}
          error={violations['from']}
        />
        <DateTimeField
          label="To"
          value={draft.to}
          onPick={(to) => onChange({ to })}
          error={violations['to']}
        />
        <PickSelect
          label="Event"
          all="All events"
          value={draft.event}
          options={useEventOptions(false)}
          onPick={(event) => onChange({ event })}
        />
      </Group>
      <Group gap="xs" role="group" aria-label="Time spans">
        {SPANS.map(({ days, label }) => (
          <Button
            key={days}
            size="compact-sm"
            variant="default"
            onClick={() => onChange(lastDays(days, new Date()))}
          >
            {label}
          </Button>
        ))}
      </Group>
      <NumberInput
        label="Deliveries per minute"
        description="Choose a rate that your server can handle in addition to new events."
        value={draft.perMinute}
        onChange={(value) => onChange({ perMinute: typeof value === 'number' ? value : Number.NaN })}
        error={violations['perMinute']}
        min={1}
        max={60_000}
        allowDecimal={false}
        thousandSeparator=","
        maw="26rem"
      />
    </>
  );
}

function Preview(props: {
  readonly preview: Extract<Output<'replayDeliveries'>, { readonly estimatedMinutes: number }>;
  readonly states: ReplayDraft['states'];
  readonly start: FormAction;
  readonly onStart: () => void;
}) {
  const { preview, states, start, onStart } = props;
  const verb = verbOf(states);
  const { deliveries, atLeast, oldest, newest, resources, resourceCount, estimatedMinutes } = preview;
  if (deliveries === 0) {
    return (
      <Group mt="md" role="status">
        <Notice tone="info" title={`No deliveries to ${verb.toLowerCase()}`}>
          No deliveries match. Choose another time span, state or event.
        </Notice>
      </Group>
    );
  }
  const count = formatCountOf(deliveries, 'delivery', 'deliveries');
  return (
    <Stack gap="md" mt="lg">
      <div role="status">
        <Notice
          tone="info"
          title={`${atLeast ? 'At least ' : ''}${count} will be ${verb === 'Retry' ? 'retried now' : 'sent'}`}
        >
          {oldest !== null && newest !== null && (
            <>
              The oldest was created on <ExactTime at={oldest} />, the newest on <ExactTime at={newest} />
              .{' '}
            </>
          )}
          {`Queueing takes about ${formatDuration(Math.max(estimatedMinutes, 1) * 60_000)}.`}
          {atLeast && ' More match than were counted; all of them are included.'}
        </Notice>
      </div>
      <StartButton action={start} onClick={onStart}>
        {`${verb} ${atLeast ? 'all of them' : count}${verb === 'Retry' ? ' now' : ''}`}
      </StartButton>
      <details>
        <summary>
          {`${formatCountOf(resourceCount, 'resource', 'resources')}${resources.length < resourceCount ? `, the ${resources.length} most frequent` : ''}`}
        </summary>
        <DataTable
          caption="Resources of the deliveries"
          rows={resources}
          rowKey={({ type, id }) => `${type} ${id}`}
          columns={{
            Resource: ({ type, id }) => (
              <TextLink to={PATHS.why(id)}>{`${type.replaceAll('_', ' ')} ${id}`}</TextLink>
            ),
            Deliveries: (row) => row.deliveries.toLocaleString('en'),
          }}
          numbers={['Deliveries']}
        />
      </details>
    </Stack>
  );
}

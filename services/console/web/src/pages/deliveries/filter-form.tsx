import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { DELIVERY_STATES } from '@partner/proto-contracts/resources/delivery/delivery';
import { useState } from 'react';
import { deliveryStateLabel } from '../../parts/badges.js';
import { DateTimeField } from '../../parts/date-time-field.js';
import { EventSelect } from '../../parts/event-select.js';
import type { Webhook } from '../../api/webhooks.js';
import { webhookName } from '../../webhook-name.js';
import classes from './deliveries.module.css';
import { isNarrowed, isSpanWrong, type ListFilter } from './delivery-filter.js';

/** Selects the subscription and the filters. Choices apply at once, typed text when its field loses the focus. */
export function FilterForm(props: {
  readonly webhooks: readonly Webhook[];
  readonly webhookId: string;
  readonly filter: ListFilter;
  readonly onWebhook: (id: string) => void;
  /** Changes the given filters; undefined removes one. */
  readonly onChange: (change: Readonly<Record<string, string | undefined>>) => void;
  readonly onClear: () => void;
}) {
  const { webhooks, webhookId, filter, onChange } = props;
  const resource = filter.resourceId ?? '';
  const [entered, setEntered] = useState({ over: resource, text: resource });
  const text = entered.over === resource ? entered.text : resource;
  const applyResource = () => {
    const given = text.trim();
    if (given !== resource) onChange({ resourceId: given === '' ? undefined : given });
  };
  return (
    <form
      role="search"
      aria-label="Deliveries"
      onSubmit={(event) => {
        event.preventDefault();
        applyResource();
      }}
    >
      <div className={classes['filters']}>
        <NativeSelect
          label="Webhook"
          className={classes['wide'] ?? ''}
          value={webhookId}
          onChange={(event) => props.onWebhook(event.currentTarget.value)}
        >
          {webhooks.every(({ id }) => id !== webhookId) && <option value={webhookId}>{webhookId}</option>}
          {webhooks.map((webhook) => (
            <option key={webhook.id} value={webhook.id}>
              {webhookName(webhook)}
            </option>
          ))}
        </NativeSelect>
        <NativeSelect
          label="State"
          value={filter.status ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ status: value === '' ? undefined : value })}
        >
          <option value="">All states</option>
          {DELIVERY_STATES.map((state) => (
            <option key={state} value={state}>
              {deliveryStateLabel(state)}
            </option>
          ))}
        </NativeSelect>
        <EventSelect value={filter.event} onPick={(event) => onChange({ event })} />
        <TextInput
          label="About"
          placeholder="ID of a job, lead, …"
          value={text}
          onChange={(event) => setEntered({ over: resource, text: event.currentTarget.value })}
          onBlur={applyResource}
        />
        <DateTimeField label="From" value={filter.from} onPick={(from) => onChange({ from })} />
        <DateTimeField
          label="To"
          value={filter.to}
          onPick={(to) => onChange({ to })}
          error={isSpanWrong(filter) ? 'Must be after the time in From' : undefined}
        />
      </div>
      {isNarrowed(filter) && (
        <Group mt="xs">
          <Button variant="subtle" size="compact-sm" onClick={props.onClear}>
            Clear filter
          </Button>
        </Group>
      )}
    </form>
  );
}

import { Button, Group, TextInput, type TextInputProps } from '@mantine/core';
import { IconFilter, IconSearch } from '@tabler/icons-react';
import { DELIVERY_STATES } from '@partner/proto-contracts/resources/delivery/delivery';
import { useId, useState } from 'react';
import type { Webhook } from '../../api/hooks.js';
import { DELIVERY_LOOKS } from '../../parts/data.js';
import { DateTimeField, EventSelect, PickSelect, useTyped } from '../../parts/fields.js';
import { webhookName } from '../../webhook-facts.js';
import classes from './deliveries.module.css';
import {
  areNumbersWrong,
  isEventNumber,
  isNarrowed,
  isSpanWrong,
  type ListFilter,
} from './delivery-filter.js';

/**
 * Search, webhook and filters. Choices apply at once, typed text when its field loses the focus. On a phone only the search shows
 * until the filters are opened.
 */
export function FilterForm(props: {
  readonly webhooks: readonly Webhook[];
  readonly webhookId: string | undefined;
  readonly filter: ListFilter;
  /** Changes the webhook and the filters that are named; undefined removes one. */
  readonly onChange: (change: Readonly<Record<string, string | undefined>>) => void;
  readonly onClear: () => void;
}) {
  const { webhooks, webhookId, filter, onChange } = props;
  const search = filter.search ?? '';
  const [isOpen, setOpen] = useState(false);
  const filtersId = useId();
  const typed = useTyped(search, (text) =>
    onChange({ search: text.trim() === '' ? undefined : text.trim() }),
  );
  const { search: _, ...chosen } = { webhook: webhookId, ...filter };
  const count = Object.values(chosen).filter((value) => value !== undefined).length;
  return (
    <form role="search" aria-label="Deliveries" onSubmit={(event) => event.preventDefault()}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Search"
          placeholder="ID or work order"
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={200}
          {...typed}
          flex="1 1 14rem"
          autoComplete="off"
          spellCheck={false}
        />
        <Button
          variant="default"
          hiddenFrom="sm"
          leftSection={<IconFilter size={16} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls={filtersId}
          onClick={() => setOpen(!isOpen)}
        >
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </Button>
      </Group>
      <div id={filtersId} className={`${classes['filters']} ${isOpen ? '' : classes['closed']}`}>
        <PickSelect
          label="Webhook"
          all="All webhooks"
          className={classes['wide'] ?? ''}
          value={webhookId}
          onPick={(webhook) => onChange({ webhook, fromNumber: undefined, toNumber: undefined })}
          options={webhooks.map((webhook) => ({ value: webhook.id, label: webhookName(webhook) }))}
        />
        <PickSelect
          label="State"
          all="All states"
          value={filter.status}
          onPick={(status) => onChange({ status })}
          options={DELIVERY_STATES.map((value) => ({ value, label: DELIVERY_LOOKS[value].label }))}
        />
        <EventSelect value={filter.event} onPick={(event) => onChange({ event })} />
        <SpanFields webhookId={webhookId} filter={filter} onChange={onChange} />
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

/** Spans of time and, with a webhook, of numbers. */
function SpanFields(props: Pick<Parameters<typeof FilterForm>[0], 'webhookId' | 'filter' | 'onChange'>) {
  const { webhookId, filter, onChange } = props;
  return (
    <>
      <DateTimeField label="From" value={filter.from} onPick={(from) => onChange({ from })} />
      <DateTimeField
        label="To"
        value={filter.to}
        onPick={(to) => onChange({ to })}
        error={isSpanWrong(filter) ? 'Must be after the time in From' : undefined}
      />
      {webhookId !== undefined && (
        <>
          <NumberField
            label="From number"
            value={filter.fromNumber}
            onPick={(fromNumber) => onChange({ fromNumber })}
          />
          <NumberField
            label="To number"
            value={filter.toNumber}
            onPick={(toNumber) => onChange({ toNumber })}
            error={areNumbersWrong(filter) ? 'Must not be less than From number' : undefined}
          />
        </>
      )}
    </>
  );
}

/** A field for the number of an event at the webhook. Only a number, or an empty field, is applied. */
function NumberField(
  props: {
    readonly label: string;
    readonly value: string | undefined;
    readonly onPick: (value: string | undefined) => void;
  } & Pick<TextInputProps, 'error'>,
) {
  const { value = '', onPick, error, label } = props;
  const typed = useTyped(value, (text) => {
    if (!isWrong) onPick(text.trim() === '' ? undefined : text.trim());
  });
  const number = typed.value.trim();
  const isWrong = number !== '' && !isEventNumber(number);
  return (
    <TextInput
      label={label}
      placeholder="x-svc-number"
      inputMode="numeric"
      autoComplete="off"
      maxLength={16}
      error={isWrong ? 'Must be a whole number from 1 on' : error}
      {...typed}
    />
  );
}

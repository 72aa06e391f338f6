import { Button, Group, NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { IconFilter, IconSearch } from '@tabler/icons-react';
import { DELIVERY_STATES } from '@partner/proto-contracts/resources/delivery/delivery';
import { useId, useState } from 'react';
import type { Webhook } from '../../api/operations.js';
import { DELIVERY_LOOKS } from '../../parts/badges.js';
import { DateTimeField, EventSelect } from '../../parts/fields.js';
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
  const [entered, setEntered] = useState({ over: search, text: search });
  const [isOpen, setOpen] = useState(false);
  const filtersId = useId();
  const text = entered.over === search ? entered.text : search;
  const applySearch = () => {
    const given = text.trim();
    if (given !== search) onChange({ search: given === '' ? undefined : given });
  };
  const { search: _, ...chosen } = { webhook: webhookId, ...filter };
  const count = Object.values(chosen).filter((value) => value !== undefined).length;
  return (
    <form
      role="search"
      aria-label="Deliveries"
      onSubmit={(event) => {
        event.preventDefault();
        applySearch();
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Search"
          placeholder="ID or work order"
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={200}
          value={text}
          onChange={(event) => setEntered({ over: search, text: event.currentTarget.value })}
          onBlur={applySearch}
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
        <WebhookSelect
          webhooks={webhooks}
          value={webhookId}
          onPick={(webhook) => onChange({ webhook, fromNumber: undefined, toNumber: undefined })}
        />
        <NativeSelect
          label="State"
          value={filter.status ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ status: value === '' ? undefined : value })}
        >
          <option value="">All states</option>
          {DELIVERY_STATES.map((state) => (
            <option key={state} value={state}>
              {DELIVERY_LOOKS[state].label}
            </option>
          ))}
        </NativeSelect>
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
  const [entered, setEntered] = useState({ over: value, text: value });
  const text = entered.over === value ? entered.text : value;
  const isWrong = text !== '' && !isEventNumber(text);
  const commit = () => {
    if (text !== value && !isWrong) onPick(text === '' ? undefined : text);
  };
  return (
    <TextInput
      label={label}
      placeholder="x-svc-number"
      inputMode="numeric"
      autoComplete="off"
      maxLength={16}
      value={text}
      error={isWrong ? 'Must be a whole number from 1 on' : error}
      onChange={(event) => setEntered({ over: value, text: event.currentTarget.value.trim() })}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}

function WebhookSelect(props: {
  readonly webhooks: readonly Webhook[];
  readonly value: string | undefined;
  /** Undefined: all webhooks. */
  readonly onPick: (webhookId: string | undefined) => void;
}) {
  const { webhooks, value: webhookId, onPick } = props;
  return (
    <NativeSelect
      label="Webhook"
      className={classes['wide'] ?? ''}
      value={webhookId ?? ''}
      onChange={({ currentTarget: { value } }) => onPick(value === '' ? undefined : value)}
    >
      <option value="">All webhooks</option>
      {webhookId !== undefined && webhooks.every(({ id }) => id !== webhookId) && (
        <option value={webhookId}>{webhookId}</option>
      )}
      {webhooks.map((webhook) => (
        <option key={webhook.id} value={webhook.id}>
          {webhookName(webhook)}
        </option>
      ))}
    </NativeSelect>
  );
}

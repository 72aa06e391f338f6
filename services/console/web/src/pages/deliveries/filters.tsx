import { DELIVERY_STATES } from '@partner/proto-contracts/resources/delivery/delivery';
import { IconCalendar, IconChevronDown, IconSearch } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import type { Webhook } from '../../api/hooks.js';
import { formatSince } from '../../format.js';
import { DELIVERY_LOOKS, useNow } from '../../parts/data.js';
import { useEventOptions, useTyped } from '../../parts/form.js';
import { webhookName } from '../../webhook-facts.js';
import { TextInput, type TextInputProps } from '../../parts/fields.js';
import { Menu, MenuRadios, Popover } from '../../parts/overlays.js';
import { Button } from '../../parts/ui.js';
import { SpanFields } from './span-fields.js';
import classes from './deliveries.module.css';
import {
  areNumbersWrong,
  isEventNumber,
  isNarrowed,
  isSpanWrong,
  type ListFilter,
} from './delivery-filter.js';

/** Search and filters in one bar. Choices apply at once, typed text when its field loses the focus. */
export function Filters(props: {
  readonly webhooks: readonly Webhook[];
  readonly webhookId: string | undefined;
  readonly filter: ListFilter;
  readonly onClear: () => void;
}) {
  const { webhooks, webhookId, filter, onClear } = props;
  const [, setQuery] = useSearchParams();
  const { search = '' } = filter;
  const change: Change = (changes) =>
    setQuery(
      (current) => {
        const next = new URLSearchParams(current);
        next.delete('open');
        for (const [name, value] of Object.entries(changes)) {
          if (value === undefined) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { preventScrollReset: true },
    );
  const typed = useTyped(search, (text) => change({ search: text.trim() === '' ? undefined : text.trim() }));
  return (
    <form
      role="search"
      aria-label="Deliveries"
      className={classes['filters']}
      onSubmit={(event) => event.preventDefault()}
    >
      <TextInput
        aria-label="Search"
        placeholder="Work order or ID"
        leftSection={<IconSearch size={16} aria-hidden />}
        maxLength={200}
        {...typed}
        autoComplete="off"
        spellCheck={false}
      />
      <TimeChip webhookId={webhookId} filter={filter} onChange={change} />
      <Chip
        name="Webhook"
        value={webhookId}
        options={webhooks.map((webhook) => ({ value: webhook.id, label: webhookName(webhook) }))}
        onPick={(webhook) => change({ webhook, fromNumber: undefined, toNumber: undefined })}
      />
      <Chip
        name="State"
        value={filter.status}
        options={DELIVERY_STATES.map((value) => ({ value, label: DELIVERY_LOOKS[value].label }))}
        onPick={(status) => change({ status })}
      />
      <Chip
        name="Event"
        value={filter.event}
        options={useEventOptions().flatMap(({ items }) => items)}
        onPick={(event) => change({ event })}
      />
      {isNarrowed(filter) && (
        <Button variant="subtle" size="xs" onClick={onClear}>
          Clear
        </Button>
      )}
    </form>
  );
}

/** Changes the filters that are named; undefined removes one. */
type Change = (changes: Readonly<Record<string, string | undefined>>) => void;

const CHIP = { variant: 'default', size: 'xs' } as const;

/** A filter with the menu of its values. */
function Chip(props: {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onPick: (value: string | undefined) => void;
}) {
  const { name, value, options, onPick } = props;
  const label = value && (options.find((option) => option.value === value)?.label ?? value);
  return (
    <Menu
      button={
        <Button {...CHIP} data-set={label !== undefined}>
          {label === undefined ? name : `${name}: ${label}`}
          <IconChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      <MenuRadios
        value={value ?? ''}
        options={[{ value: '', label: 'All' }, ...options]}
        onPick={(picked) => onPick(picked === '' ? undefined : picked)}
      />
    </Menu>
  );
}

/** The span of time, and with a webhook that of numbers. */
function TimeChip(props: {
  readonly webhookId: string | undefined;
  readonly filter: ListFilter;
  readonly onChange: Change;
}) {
  const { webhookId, filter, onChange } = props;
  const { from, to } = filter;
  const now = useNow();
  const since = from && `since ${formatSince(new Date(from), now)}`;
  const until = to && `until ${formatSince(new Date(to), now)}`;
  return (
    <Popover
      button={
        <Button
          {...CHIP}
          data-set={from !== undefined || to !== undefined}
          leftSection={<IconCalendar size={14} aria-hidden />}
        >
          {[since, until].filter(Boolean).join(' ') || 'Any time'}
          <IconChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      <div className="stack">
        <SpanFields
          span={filter}
          onChange={(span) => onChange({ ...span })}
          error={isSpanWrong(filter) ? 'Must be after the time in From' : undefined}
        />
        {webhookId !== undefined && (
          <div className="row">
            <NumberField
              label="From number"
              value={filter.fromNumber}
              onPick={(fromNumber) => onChange({ fromNumber })}
            />
            <NumberField
              label="To number"
              value={filter.toNumber}
              onPick={(toNumber) => onChange({ toNumber })}
              error={areNumbersWrong(filter) ? 'Must be at least From number' : undefined}
            />
          </div>
        )}
      </div>
    </Popover>
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
      placeholder="Event number"
      inputMode="numeric"
      autoComplete="off"
      maxLength={16}
      error={isWrong ? 'Must be a whole number, 1 or more' : error}
      {...typed}
    />
  );
}

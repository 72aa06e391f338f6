import { Button, Group, Stack, TextInput, type TextInputProps, Title } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { useWebhooks, type Webhook } from '../../api/hooks.js';
import {
  EmptyState,
  ErrorState,
  LinkButton,
  Loading,
  LoadMore,
  Notice,
  PageHeader,
  QueryView,
  Small,
} from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import {
  areNumbersWrong,
  filterOf,
  isEventNumber,
  isNarrowed,
  isSpanWrong,
  type ListFilter,
} from './delivery-filter.js';
import { IconArrowUp, IconFilter, IconFilterOff, IconSearch, IconSend } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { formatCount } from '../../format.js';
import { DELIVERY_LOOKS, DeliveryTable } from '../../parts/data.js';
import classes from './deliveries.module.css';
import { useDeliveryPages, useHeldAt } from './use-delivery-pages.js';
import { DELIVERY_STATES } from '@partner/proto-contracts/resources/delivery/delivery';
import { DateTimeField, EventSelect, PickSelect, useTyped } from '../../parts/form.js';
import { webhookName } from '../../webhook-facts.js';

/** Page of the deliveries to all webhooks, or to one. */
export function Page() {
  const webhooks = useWebhooks();
  const [query] = useSearchParams();
  const webhookId = query.get('webhook') ?? undefined;
  const isWaiting = query.get('status') === 'retry_scheduled';
  return (
    <>
      <PageHeader
        title="Deliveries"
        description="Every event that was sent to a webhook, and its result. Select one to see its attempts."
        actions={
          webhookId !== undefined && (
            <LinkButton
              to={PATHS.bulkReplay(webhookId, isWaiting ? 'retry_scheduled' : undefined)}
              variant="default"
            >
              {isWaiting ? 'Retry all waiting' : 'Bulk replay'}
            </LinkButton>
          )
        }
      />
      <QueryView query={webhooks} label="your webhooks">
        {({ subscriptions }) => <Deliveries webhooks={subscriptions} webhookId={webhookId} />}
      </QueryView>
    </>
  );
}

function Deliveries(props: {
  readonly webhooks: readonly Webhook[];
  readonly webhookId: string | undefined;
}) {
  const { webhooks, webhookId } = props;
  const [query, setQuery] = useSearchParams();
  const filter = filterOf(query);
  const change = (changes: Readonly<Record<string, string | undefined>>) =>
    setQuery(
      (current) => {
        const next = new URLSearchParams(current);
        for (const [name, value] of Object.entries(changes)) {
          if (value === undefined) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { preventScrollReset: true },
    );
  const clear = () =>
    setQuery(webhookId === undefined ? {} : { webhook: webhookId }, { preventScrollReset: true });
  return (
    <Stack gap="lg">
      <FilterForm
        webhooks={webhooks}
        webhookId={webhookId}
        filter={filter}
        onChange={change}
        onClear={clear}
      />
      {!isSpanWrong(filter) && !areNumbersWrong(filter) && (
        <DeliveryList
          key={`${webhookId} ${JSON.stringify(filter)}`}
          webhooks={webhooks}
          webhookId={webhookId}
          filter={filter}
          onClear={clear}
        />
      )}
    </Stack>
  );
}

const TOP_PX = 80;

/**
 * The deliveries to one webhook or to all. At its top the list is live. Once the reader scrolls, moves the focus into it or loads more, it
 * is held and shows the number of new deliveries.
 */
function DeliveryList(props: {
  readonly webhooks: readonly Webhook[];
  /** Undefined: all webhooks. */
  readonly webhookId: string | undefined;
  readonly filter: ListFilter;
  readonly onClear: () => void;
}) {
  const { webhooks, webhookId, filter } = props;
  const [heldAt, setHeldAt] = useHeldAt();
  const [isReading, setReading] = useState(false);
  const isAtTop = useSyncExternalStore(listenToScroll, () => window.scrollY < TOP_PX);
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useDeliveryPages({ webhookId, filter, heldAt });
  const { deliveries, since, isNewestLeftOut } = list;
  const newestAt = deliveries?.[0]?.createdAt;
  const isHeld = !isAtTop || isReading || list.hasSeveralPages;

  useEffect(() => {
    if (!isHeld) setHeldAt(undefined);
    else if (heldAt === undefined) setHeldAt(newestAt);
  }, [isHeld, newestAt, heldAt, setHeldAt]);

  const showNewest = () => {
    list.keepNewest();
    setHeldAt(undefined);
    setReading(false);
    window.scrollTo({ top: 0 });
    heading.current?.focus({ preventScroll: true });
  };

  /** Loads into the held list: a page that was still loading into the live one when the list became held would be lost. */
  const loadMore = () => {
    flushSync(() => {
      setReading(true);
      setHeldAt(heldAt ?? newestAt);
    });
    list.loadMore();
  };

  if (deliveries === undefined) {
    return list.error === null ? (
      <Loading label="Loading the deliveries" rows={6} />
    ) : (
      <ErrorState error={list.error} title="Could not load deliveries" onRetry={list.retry} />
    );
  }
  if (deliveries.length === 0 && !list.hasMore && !isNewestLeftOut) {
    return <NoDeliveries {...props} />;
  }
  return (
    <section aria-labelledby="deliveries-heading">
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2} id="deliveries-heading" ref={heading} tabIndex={-1}>
          Newest first
        </Title>
        <Small c="dimmed">{isHeld ? 'Paused while you read' : 'Live'}</Small>
      </Group>
      <News since={since} onShow={showNewest} />
      {isNewestLeftOut && (
        <Group mb="sm">
          <Notice tone="quiet" title="Newer deliveries are hidden to keep this page fast.">
            <Button size="xs" variant="default" mt={4} onClick={showNewest}>
              Back to the newest
            </Button>
          </Notice>
        </Group>
      )}
      <div
        onFocus={() => setReading(true)}
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) setReading(false);
        }}
      >
        <DeliveryTable rows={deliveries} {...(webhookId === undefined ? { webhooks } : {})} />
      </div>
      {list.error !== null && (
        <Group mt="sm">
          <ErrorState error={list.error} title="Could not load more deliveries" onRetry={list.retry} />
        </Group>
      )}
      <LoadMore
        shown={deliveries.length}
        what={deliveries.length === 1 ? 'delivery' : 'deliveries'}
        list={{ ...list, loadMore }}
      />
    </section>
  );
}

function listenToScroll(listen: () => void): () => void {
  window.addEventListener('scroll', listen, { passive: true });
  return () => window.removeEventListener('scroll', listen);
}

function NoDeliveries(props: Parameters<typeof DeliveryList>[0]) {
  const { webhooks, webhookId, filter, onClear } = props;
  return isNarrowed(filter) ? (
    <EmptyState
      title="No deliveries match the filter"
      icon={<IconFilterOff size={28} />}
      action={
        <Button variant="default" onClick={onClear}>
          Show all deliveries
        </Button>
      }
    >
      Change the search or the filters, or show all deliveries.
    </EmptyState>
  ) : (
    <EmptyState
      title="No deliveries yet"
      icon={<IconSend size={28} />}
      action={
        webhookId === undefined ? (
          <LinkButton to={webhooks.length === 0 ? PATHS.createWebhook : PATHS.webhooks}>
            {webhooks.length === 0 ? 'Create a webhook' : 'View webhooks'}
          </LinkButton>
        ) : (
          <LinkButton to={PATHS.webhook(webhookId, 'settings')}>Send a test</LinkButton>
        )
      }
    >
      Deliveries appear here when an event occurs that a webhook is subscribed to.
    </EmptyState>
  );
}

function News(props: {
  readonly since: { readonly count: number; readonly atLeast: boolean } | undefined;
  readonly onShow: () => void;
}) {
  const { count, atLeast } = props.since ?? { count: 0, atLeast: false };
  return (
    <div className={classes['news']} role="status">
      {count > 0 && (
        <Button
          size="xs"
          radius="xl"
          leftSection={<IconArrowUp size={16} aria-hidden />}
          onClick={props.onShow}
        >
          {`${formatCount(count)}${atLeast ? ' or more' : ''} new: show ${count === 1 ? 'it' : 'them'}`}
        </Button>
      )}
    </div>
  );
}

/**
 * Search, webhook and filters. Choices apply at once, typed text when its field loses the focus. On a phone only the search shows
 * until the filters are opened.
 */
function FilterForm(props: {
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

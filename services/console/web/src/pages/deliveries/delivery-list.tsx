import { Button, Group, Text, Title } from '@mantine/core';
import { IconArrowUp, IconFilterOff, IconSend } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Webhook } from '../../api/hooks.js';
import { formatCount } from '../../format.js';
import { DeliveryTable } from '../../parts/delivery-table.js';
import { EmptyState, ErrorState, LinkButton, Loading, LoadMore, Notice } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import classes from './deliveries.module.css';
import { isNarrowed, type ListFilter } from './delivery-filter.js';
import { useDeliveryPages } from './use-delivery-pages.js';
import { atNewest, useIsAtTop, useListPosition, withPage } from './use-list-position.js';

/**
 * The deliveries to one webhook or to all. At its top the list is live. Once the reader scrolls, moves the focus into it or loads more, it
 * is held and shows the number of new deliveries.
 */
export function DeliveryList(props: {
  readonly webhooks: readonly Webhook[];
  /** Undefined: all webhooks. */
  readonly webhookId: string | undefined;
  readonly filter: ListFilter;
  readonly onClear: () => void;
}) {
  const { webhooks, webhookId, filter } = props;
  const [place, setPlace] = useListPosition();
  const [hasFocus, setHasFocus] = useState(false);
  const isAtTop = useIsAtTop();
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useDeliveryPages({ webhookId, filter, ...place });
  const { deliveries, since, nextCursor } = list;
  const newestAt = deliveries?.[0]?.createdAt;
  const isHeld = !isAtTop || hasFocus || place.cursors.length > 0;

  useEffect(() => {
    if (isHeld && place.heldAt === undefined && newestAt !== undefined) {
      setPlace({ ...place, heldAt: newestAt });
    }
    if (!isHeld && place.heldAt !== undefined) setPlace(atNewest());
  }, [isHeld, newestAt, place, setPlace]);

  const showNewest = () => {
    setPlace(atNewest());
    setHasFocus(false);
    window.scrollTo({ top: 0 });
    heading.current?.focus({ preventScroll: true });
  };

  if (deliveries === undefined) {
    return list.error === null ? (
      <Loading label="Loading the deliveries" rows={6} />
    ) : (
      <ErrorState error={list.error} title="Could not load deliveries" onRetry={list.retry} />
    );
  }
  if (deliveries.length === 0 && nextCursor === null && !place.isNewestLeftOut) {
    return <NoDeliveries {...props} />;
  }
  const news = since === undefined || since.count === 0 ? undefined : newsText(since);
  return (
    <section aria-labelledby="deliveries-heading">
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2} id="deliveries-heading" ref={heading} tabIndex={-1}>
          Newest first
        </Title>
        <Text size="sm" c="dimmed">
          {isHeld ? 'Paused while you read' : 'Live'}
        </Text>
      </Group>
      <div className={classes['news']} role="status">
        {news !== undefined && <News text={news} onShow={showNewest} />}
      </div>
      {place.isNewestLeftOut && (
        <Group mb="sm">
          <Notice tone="quiet" title="Newer deliveries are hidden to keep this page fast.">
            <Button size="xs" variant="default" mt={4} onClick={showNewest}>
              Back to the newest
            </Button>
          </Notice>
        </Group>
      )}
      <div
        onFocus={() => setHasFocus(true)}
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) setHasFocus(false);
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
        list={{
          ...list,
          loadMore: () => {
            if (nextCursor === null) return;
            setPlace(withPage({ ...place, heldAt: place.heldAt ?? newestAt }, nextCursor));
          },
        }}
      />
    </section>
  );
}

function News({ text, onShow }: { readonly text: string; readonly onShow: () => void }) {
  return (
    <Button size="xs" radius="xl" leftSection={<IconArrowUp size={16} aria-hidden />} onClick={onShow}>
      {text}
    </Button>
  );
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

function newsText({ count, atLeast }: { readonly count: number; readonly atLeast: boolean }): string {
  return `${formatCount(count)}${atLeast ? ' or more' : ''} new: show ${count === 1 ? 'it' : 'them'}`;
}

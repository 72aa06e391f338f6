import { IconArrowUp, IconFilterOff, IconSend } from '@tabler/icons-react';
import { useCallback, useEffect, useLayoutEffect } from 'react';
import { useSearchParams } from 'react-router';
import { useWebhooks, type Webhook } from '../../api/hooks.js';
import { formatCount } from '../../format.js';
import { DeliveryTable } from '../../parts/data.js';
import { NO_RESPONSE, useLostAt } from '../../api/connection.js';
import {
  EmptyState,
  ErrorState,
  LinkButton,
  Loading,
  LoadMore,
  Notice,
  PageHeader,
  QueryView,
} from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { Tabs } from '../../parts/overlays.js';
import { useKeys, useMediaQuery, useSame } from '../../parts/hooks.js';
import { Button } from '../../parts/ui.js';
import { webhookName } from '../../webhook-facts.js';
import { CauseList } from './cause-list.js';
import classes from './deliveries.module.css';
import { areNumbersWrong, filterOf, isNarrowed, isSpanWrong, type ListFilter } from './delivery-filter.js';
import { DeliveryPanel } from './delivery-panel.js';
import { Filters } from './filters.js';
import { IncidentNotice } from './incident-notice.js';
import { useDeliveryPages, useHeldAt } from './use-delivery-pages.js';

/** Page of the deliveries to all webhooks, or to one. */
export function Page() {
  const webhooks = useWebhooks();
  const [query] = useSearchParams();
  const webhookId = query.get('webhook') ?? undefined;
  const { status, event, from, to } = filterOf(query);
  return (
    <>
      <PageHeader
        title="Deliveries"
        actions={
          webhookId !== undefined && (
            <LinkButton to={PATHS.bulkReplay(webhookId, { status, event, from, to })} variant="default">
              Retry many
            </LinkButton>
          )
        }
      />
      <IncidentNotice />
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
  const view = query.get('view');
  const clear = () =>
    setQuery(
      { ...(webhookId !== undefined && { webhook: webhookId }), ...(view !== null && { view }) },
      { preventScrollReset: true },
    );
  const show = (next: string) => {
    query.delete('open');
    query.set('view', next);
    setQuery(query, { preventScrollReset: true });
  };
  const list = { webhooks, webhookId, filter };
  return (
    <div className="stack">
      <Filters webhooks={webhooks} webhookId={webhookId} filter={filter} onClear={clear} />
      {!isSpanWrong(filter) && !areNumbersWrong(filter) && (
        <Tabs
          label="View"
          value={view === 'causes' ? 'causes' : 'list'}
          onChange={show}
          tabs={{
            list: [
              'List',
              <DeliveryList key={`${webhookId} ${JSON.stringify(filter)}`} {...list} onClear={clear} />,
            ],
            causes: ['By cause', <CauseList {...list} />],
          }}
        />
      )}
    </div>
  );
}

/** The deliveries to one webhook or to all, as they were when the list was opened, and the number of newer ones. */
function DeliveryList(props: {
  readonly webhooks: readonly Webhook[];
  /** Undefined: all webhooks. */
  readonly webhookId: string | undefined;
  readonly filter: ListFilter;
  readonly onClear: () => void;
}) {
  const { webhooks, webhookId, filter } = props;
  const names = useSame(Object.fromEntries(webhooks.map((each) => [each.id, webhookName(each)])));
  const [heldAt, setHeldAt] = useHeldAt();
  const list = useDeliveryPages({ webhookId, filter, heldAt });
  const { deliveries, since, isNewestLeftOut, isLoading } = list;
  const newestAt = deliveries?.[0]?.createdAt;
  const open = useOpenDelivery(deliveries ?? []);

  // Before the reader can do anything: what is loaded for the live list would be lost.
  useLayoutEffect(() => {
    if (!isLoading && heldAt === undefined) setHeldAt(newestAt);
  }, [isLoading, newestAt, heldAt, setHeldAt]);

  const isLost = useLostAt() !== undefined;
  const showNewest = () => {
    list.forget();
    setHeldAt(undefined);
    window.scrollTo({ top: 0 });
  };

  if (deliveries === undefined) {
    return list.error === null && !isLost ? (
      <Loading label="Loading the deliveries" rows={6} />
    ) : (
      <ErrorState error={list.error ?? NO_RESPONSE} title="Could not load deliveries" onRetry={list.retry} />
    );
  }
  if (deliveries.length === 0 && !list.hasMore && !isNewestLeftOut) {
    return <NoDeliveries {...props} />;
  }
  return (
    <div className={open.id === undefined ? undefined : classes['split']}>
      <div className="stack">
        <News since={since} onShow={showNewest} />
        {isNewestLeftOut && (
          <Notice tone="quiet" title="Newer deliveries are hidden to keep this page fast.">
            <Button size="xs" variant="default" onClick={showNewest}>
              Back to the newest
            </Button>
          </Notice>
        )}
        <DeliveryTable
          rows={deliveries}
          openId={open.id}
          linkTo={open.linkTo}
          {...(webhookId === undefined ? { names } : {})}
        />
        {list.error !== null && (
          <ErrorState error={list.error} title="Could not load more deliveries" onRetry={list.retry} />
        )}
        <LoadMore
          shown={deliveries.length}
          what={deliveries.length === 1 ? 'delivery' : 'deliveries'}
          list={list}
        />
      </div>
      {open.id !== undefined && <DeliveryPanel id={open.id} onMove={open.move} onClose={open.close} />}
    </div>
  );
}

/** The delivery that is open beside the list, by its id in the address, and the keys j, k, r and Esc. On a small screen it has a page. */
function useOpenDelivery(rows: readonly { readonly id: string }[]) {
  const [query, setQuery] = useSearchParams();
  const isWide = useMediaQuery('(min-width: 1100px)');
  const id = isWide ? (query.get('open') ?? undefined) : undefined;
  const withOpen = useCallback(
    (open: string | undefined) => {
      const next = new URLSearchParams(query);
      if (open === undefined) next.delete('open');
      else next.set('open', open);
      return next;
    },
    [query],
  );
  useEffect(() => {
    if (id !== undefined) document.getElementById(id)?.focus();
  }, [id]);
  const move = (by: number) => {
    const next = rows[rows.findIndex((row) => row.id === id) + by];
    if (!isWide || next === undefined) return;
    setQuery(withOpen(next.id), { replace: id !== undefined, preventScrollReset: true });
  };
  const close = () => {
    if (id === undefined || document.querySelector('dialog[open], :popover-open') !== null) return;
    setQuery(withOpen(undefined), { replace: true, preventScrollReset: true });
    document.getElementById(id)?.focus();
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    r: () => document.querySelector<HTMLElement>('[aria-keyshortcuts="r"]')?.click(),
    Escape: close,
  });
  const linkTo = useCallback(
    (to: string) =>
      isWide && to !== id ? `${PATHS.deliveries()}?${withOpen(to).toString()}` : PATHS.delivery(to),
    [isWide, id, withOpen],
  );
  return { id, linkTo, move, close };
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
        <Button size="xs" leftSection={<IconArrowUp size={16} aria-hidden />} onClick={props.onShow}>
          {`${formatCount(count)}${atLeast ? ' or more' : ''} new`}
        </Button>
      )}
    </div>
  );
}

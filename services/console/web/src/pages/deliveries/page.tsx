import { Stack } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { useWebhooks, type Webhook } from '../../api/hooks.js';
import { LinkButton, PageHeader, QueryView } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { areNumbersWrong, filterOf, isSpanWrong } from './delivery-filter.js';
import { DeliveryList } from './delivery-list.js';
import { FilterForm } from './filter-form.js';

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

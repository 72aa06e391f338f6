import { Stack } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { useWebhooks, type Webhook } from '../../api/webhooks.js';
import { QueryView } from '../../parts/query-view.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LinkButton } from '../../parts/link-button.js';
import { PageHeader } from '../../parts/page-header.js';
import { Panel } from '../../parts/panel.js';
import { PATHS } from '../../paths.js';
import { filterOf, isSpanWrong } from './delivery-filter.js';
import { DeliveryList } from './delivery-list.js';
import { FilterForm } from './filter-form.js';

/** Page of the deliveries to a webhook. */
export function Page() {
  const webhooks = useWebhooks();
  const [query] = useSearchParams();
  const all = webhooks.data?.subscriptions ?? [];
  const webhookId = query.get('webhook') ?? preferred(all)?.id;
  return (
    <>
      <PageHeader
        title="Deliveries"
        description="Every event that was sent to a webhook, and its result. Select one to see its attempts."
        actions={
          webhookId !== undefined && (
            <LinkButton to={PATHS.bulkReplay(webhookId)} variant="default">
              Bulk replay
            </LinkButton>
          )
        }
      />
      <QueryView
        data={webhooks.data}
        error={webhooks.error}
        label="your webhooks"
        onRetry={() => void webhooks.refetch()}
      >
        {({ subscriptions }) =>
          webhookId === undefined ? (
            <Panel>
              <EmptyState
                title="No webhooks yet"
                icon={<IconWebhook size={28} />}
                action={<LinkButton to={PATHS.createWebhook}>Create a webhook</LinkButton>}
              >
                Create a webhook to send events to your server.
              </EmptyState>
            </Panel>
          ) : (
            <Deliveries webhooks={subscriptions} webhookId={webhookId} />
          )
        }
      </QueryView>
    </>
  );
}

function Deliveries(props: { readonly webhooks: readonly Webhook[]; readonly webhookId: string }) {
  const { webhooks, webhookId } = props;
  const [query, setQuery] = useSearchParams();
  const filter = filterOf(query);
  const change = (changes: Readonly<Record<string, string | undefined>>) =>
    setQuery(
      (current) => {
        const next = new URLSearchParams(current);
        next.set('webhook', webhookId);
        for (const [name, value] of Object.entries(changes)) {
          if (value === undefined) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { preventScrollReset: true },
    );
  const clear = () => setQuery({ webhook: webhookId }, { preventScrollReset: true });
  return (
    <Stack gap="lg">
      <FilterForm
        webhooks={webhooks}
        webhookId={webhookId}
        filter={filter}
        onWebhook={(webhook) => change({ webhook })}
        onChange={change}
        onClear={clear}
      />
      {!isSpanWrong(filter) && (
        <DeliveryList
          key={`${webhookId} ${JSON.stringify(filter)}`}
          webhookId={webhookId}
          filter={filter}
          onClear={clear}
        />
      )}
    </Stack>
  );
}

/** A subscription that needs attention, else the first. */
function preferred(webhooks: readonly Webhook[]): Webhook | undefined {
  return webhooks.find(({ health }) => health === 'degraded') ?? webhooks[0];
}

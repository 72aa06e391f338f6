import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { useCompanyStatistics, useOperation, useWebhooks, type Webhook } from '../../api/hooks.js';
import { formatCount, formatShare } from '../../format.js';
import { webhookName } from '../../webhook-facts.js';
import { EmptyState, LinkButton, Notice, PageHeader, QueryView } from '../../parts/page.js';
import { DataTable, RowLink, WebhookState } from '../../parts/data.js';
import { PATHS } from '../../paths.js';

/** Page of all subscriptions of the company. */
export function Page() {
  const webhooks = useWebhooks();
  const count = webhooks.data?.subscriptions.length ?? 0;
  const max = WEBHOOK_LIMITS.subscriptionsPerCompany;
  return (
    <>
      <PageHeader
        title="Webhooks"
        description={`Each webhook sends events to one URL.${count > 0 ? ` You have ${count} of ${max}.` : ''}`}
        actions={
          count > 0 &&
          count < max && (
            <LinkButton to={PATHS.createWebhook} leftSection={<IconPlus size={18} aria-hidden />}>
              Create a webhook
            </LinkButton>
          )
        }
      />
      <PendingProposals />
      <QueryView query={webhooks} label="your webhooks">
        {({ subscriptions }) =>
          subscriptions.length === 0 ? <NoWebhooks /> : <WebhookList webhooks={subscriptions} />
        }
      </QueryView>
    </>
  );
}

/** What API keys propose and no owner has decided yet. */
function PendingProposals() {
  const { data } = useOperation('listWebhookProposals', {});
  const pending = data?.proposals.filter(({ state }) => state === 'pending') ?? [];
  return pending.map(({ id, source }) => (
    <Notice
      key={id}
      tone="warn"
      title="An API key proposes changes"
      action={
        <LinkButton to={PATHS.webhookProposal(id)} variant="default" size="xs">
          Review
        </LinkButton>
      }
    >
      {source === null ? 'Nothing changes until an owner confirms them.' : `From ${source}`}
    </Notice>
  ));
}

function NoWebhooks() {
  return (
    <EmptyState
      title="No webhooks yet"
      icon={<IconWebhook size={28} />}
      action={<LinkButton to={PATHS.createWebhook}>Create your first webhook</LinkButton>}
    >
      A webhook sends events to your server as they occur. You need the URL of your server.
    </EmptyState>
  );
}

function WebhookList({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { data } = useCompanyStatistics();
  const counts = data && new Map(data.webhooks.map((each) => [each.webhookId, each.totals.deliveries]));
  return (
    <DataTable
      caption="Webhooks, oldest first"
      rows={webhooks}
      rowKey={({ id }) => id}
      columns={{
        Webhook: ({ id, url, description }) => (
          <RowLink to={PATHS.webhook(id)} name={webhookName({ url, description })} />
        ),
        State: (webhook) => <WebhookState webhook={webhook} />,
        Address: ({ url }) => url,
        'Deliveries (24 h)': ({ id }) => counts && formatCount(counts.get(id)?.total ?? 0),
        Accepted: ({ id }) => {
          const { delivered = 0, total = 0 } = counts?.get(id) ?? {};
          return formatShare(delivered, total) ?? '–';
        },
      }}
      numbers={['Deliveries (24 h)', 'Accepted']}
      widths={{ State: '9rem', 'Deliveries (24 h)': '9rem', Accepted: '7rem' }}
    />
  );
}

import { Group, Text } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { useCompanyStatistics, useWebhooks, type Webhook } from '../../api/hooks.js';
import { formatCountOf, formatShare } from '../../format.js';
import { isFailing } from '../../webhook-facts.js';
import { EmptyPanel, LinkButton, PageHeader, QueryView } from '../../parts/page.js';
import {
  DataTable,
  EventPatterns,
  NextAttemptOfWebhook,
  VerifiedBadge,
  WebhookBadges,
  WebhookLink,
} from '../../parts/data.js';
import { PATHS } from '../../paths.js';

/** Page of all subscriptions of the company. */
export function Page() {
  const webhooks = useWebhooks();
  const count = webhooks.data?.subscriptions.length ?? 0;
  return (
    <>
      <PageHeader
        title="Webhooks"
        description={`Each webhook sends events to one URL. You can create ${WEBHOOK_LIMITS.subscriptionsPerCompany} of them.`}
        actions={
          count > 0 && (
            <LinkButton to={PATHS.createWebhook} leftSection={<IconPlus size={18} aria-hidden />}>
              Create a webhook
            </LinkButton>
          )
        }
      />
      <QueryView query={webhooks} label="your webhooks">
        {({ subscriptions }) =>
          subscriptions.length === 0 ? <NoWebhooks /> : <WebhookList webhooks={subscriptions} />
        }
      </QueryView>
    </>
  );
}

function NoWebhooks() {
  return (
    <EmptyPanel
      title="No webhooks yet"
      icon={<IconWebhook size={28} />}
      action={
        <LinkButton to={PATHS.createWebhook} mt="sm">
          Create your first webhook
        </LinkButton>
      }
    >
      A webhook sends events to your server as they occur. You need the URL of your server.
    </EmptyPanel>
  );
}

function WebhookList({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { data } = useCompanyStatistics();
  const totals = data && new Map(data.webhooks.map((each) => [each.webhookId, each.totals]));
  return (
    <DataTable
      caption="Webhooks, oldest first"
      rows={webhooks}
      rowKey={({ id }) => id}
      columns={{
        Webhook: (webhook) => <WebhookLink webhook={webhook} />,
        State: (webhook) => (
          <Group gap={6} component="span">
            <WebhookBadges webhook={webhook} />
            {!webhook.verified && <VerifiedBadge verified={false} />}
            {isFailing(webhook) && (
              <Text span size="sm" c="dimmed">
                <NextAttemptOfWebhook webhook={webhook} />
              </Text>
            )}
          </Group>
        ),
        Events: ({ events }) => <Events events={events} />,
        'Success (24 h)': ({ id }) => {
          if (totals === undefined) return 'Unknown';
          const counts = totals.get(id);
          return (counts && formatShare(counts.delivered, counts.attempts)) ?? 'No attempts';
        },
      }}
      numbers={['Success (24 h)']}
    />
  );
}

const SHOWN_EVENTS = 2;

function Events({ events }: { readonly events: readonly string[] }) {
  const more = events.length - SHOWN_EVENTS;
  return (
    <Group gap={6} component="span">
      <EventPatterns events={events.slice(0, SHOWN_EVENTS)} />
      {more > 0 && <Text span size="sm" c="dimmed">{`and ${formatCountOf(more, 'other', 'others')}`}</Text>}
    </Group>
  );
}

import { SimpleGrid, Stack, Tabs } from '@mantine/core';
import { useState } from 'react';
import { Navigate, useParams, useSearchParams } from 'react-router';
import { useAction, useWebhook, type Webhook } from '../../api/hooks.js';
import { Loading, OwnerOnly, PageHeader, QueryView } from '../../parts/page.js';
import { VerifiedBadge, WebhookBadges } from '../../parts/data.js';
import { PATHS, WEBHOOK_TABS } from '../../paths.js';
import { webhookName } from '../../webhook-facts.js';
import { ConformancePanel, SecretPanel } from './secret-tab.js';
import { DeletePanel, HeadersPanel, SwitchPanel, TestPanel } from './settings-tab.js';
import { NextStep } from './next-step.js';
import { HealthPanel, RecentDeliveries } from './deliveries-tab.js';
import { SettingsPanel } from './settings-panel.js';
import { useTestDelivery } from './test-steps.js';

const BACK = { to: PATHS.webhooks, label: 'Webhooks' };

/** Page of one subscription: recent deliveries, health, settings and secret. */
export function Page() {
  const { id = '' } = useParams();
  const [isDeleted, setDeleted] = useState(false);
  const deletion = useAction('deleteWebhook', { done: 'Webhook deleted', onDone: () => setDeleted(true) });
  if (isDeleted) return <Navigate to={PATHS.webhooks} replace />;
  // Stops reloading a subscription that is being deleted.
  if (deletion.isRunning) {
    return (
      <>
        <PageHeader title="Webhook" back={BACK} />
        <Loading label="Deleting the webhook" />
      </>
    );
  }
  return <WebhookPage key={id} id={id} deletion={deletion} />;
}

type Deletion = ReturnType<typeof useAction<'deleteWebhook'>>;

function WebhookPage({ id, deletion }: { readonly id: string; readonly deletion: Deletion }) {
  const webhook = useWebhook(id);
  const { data } = webhook;
  return (
    <>
      <PageHeader
        title={data === undefined ? 'Webhook' : webhookName(data)}
        back={BACK}
        {...(data === undefined
          ? {}
          : {
              description: data.description === '' ? undefined : data.url,
              actions: (
                <>
                  <WebhookBadges webhook={data} />
                  <VerifiedBadge verified={data.verified} />
                </>
              ),
            })}
      />
      <QueryView query={webhook} label="the webhook">
        {(found) => <Everything webhook={found} deletion={deletion} />}
      </QueryView>
    </>
  );
}

function Everything({ webhook, deletion }: { readonly webhook: Webhook; readonly deletion: Deletion }) {
  const test = useTestDelivery(webhook.id);
  const [query, setQuery] = useSearchParams();
  const tab = WEBHOOK_TABS.find((each) => each === query.get('tab')) ?? WEBHOOK_TABS[0];
  return (
    <Stack gap="lg">
      <NextStep webhook={webhook} />
      <Tabs
        value={tab}
        onChange={(value) => setQuery(value === null ? {} : { tab: value }, { preventScrollReset: true })}
        keepMounted={false}
      >
        <Tabs.List mb="lg" aria-label="Webhook sections">
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
          <Tabs.Tab value="secret">Secret</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="deliveries">
          <Stack gap="lg">
            <RecentDeliveries webhookId={webhook.id} />
            <HealthPanel id={webhook.id} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Stack gap="lg">
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
              <SwitchPanel webhook={webhook} />
              <OwnerOnly>
                <TestPanel webhook={webhook} test={test} />
              </OwnerOnly>
            </SimpleGrid>
            <SettingsPanel webhook={webhook} />
            <OwnerOnly>
              <HeadersPanel webhook={webhook} />
              <DeletePanel webhook={webhook} deletion={deletion} />
            </OwnerOnly>
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="secret">
          <Stack gap="lg">
            <SecretPanel webhook={webhook} />
            <ConformancePanel webhook={webhook} />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

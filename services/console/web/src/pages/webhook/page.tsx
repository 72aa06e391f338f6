import { Group, SimpleGrid, Stack } from '@mantine/core';
import { useState } from 'react';
import { Navigate, useParams } from 'react-router';
import { useDeleteWebhook, useWebhook, type Webhook } from '../../api/webhooks.js';
import { QueryView } from '../../parts/query-view.js';
import { HealthBadge, StateBadge, VerifiedBadge } from '../../parts/badges.js';
import { LinkButton } from '../../parts/link-button.js';
import { Loading } from '../../parts/loading.js';
import { PageHeader } from '../../parts/page-header.js';
import { Panel } from '../../parts/panel.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-name.js';
import { DeletePanel } from './delete-panel.js';
import { NextStep } from './next-step.js';
import { SecretPanel } from './secret-panel.js';
import { SettingsPanel } from './settings-panel.js';
import { SwitchPanel } from './switch-panel.js';
import { TestSteps } from './test-steps.js';
import { TrafficPanel } from './traffic-panel.js';
import { useTestDelivery } from './use-test-delivery.js';

const BACK = { to: PATHS.webhooks, label: 'Webhooks' };

/** Page of one subscription: health, settings and actions. */
export function Page() {
  const { id = '' } = useParams();
  const [isDeleted, setDeleted] = useState(false);
  const deletion = useDeleteWebhook(id, () => setDeleted(true));
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
  return <WebhookPage key={id} id={id} onDelete={() => deletion.run(undefined)} />;
}

function WebhookPage({ id, onDelete }: { readonly id: string; readonly onDelete: () => void }) {
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
                  <StateBadge state={data.state} />
                  <HealthBadge webhook={data} />
                  <VerifiedBadge verified={data.verified} />
                </>
              ),
            })}
      />
      <QueryView data={data} error={webhook.error} label="the webhook" onRetry={() => void webhook.refetch()}>
        {(found) => <Everything webhook={found} onDelete={onDelete} />}
      </QueryView>
    </>
  );
}

function Everything({ webhook, onDelete }: { readonly webhook: Webhook; readonly onDelete: () => void }) {
  const test = useTestDelivery(webhook.id);
  return (
    <Stack gap="lg">
      <NextStep webhook={webhook} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <SwitchPanel webhook={webhook} />
        <Panel title="Test">
          <Stack gap="sm">
            <span>
              Sends an install.test event, even while the webhook is paused. Your server can ignore it.
            </span>
            <TestSteps test={test} isNext={!webhook.verified} />
          </Stack>
        </Panel>
      </SimpleGrid>
      <TrafficPanel id={webhook.id} />
      <Panel title="Deliveries">
        <Stack gap="sm">
          <span>All deliveries, your server’s responses, and scheduled retries.</span>
          <Group>
            <LinkButton to={PATHS.deliveries({ webhook: webhook.id })} variant="default">
              View deliveries
            </LinkButton>
            <LinkButton to={PATHS.bulkReplay(webhook.id)} variant="default">
              Bulk replay
            </LinkButton>
          </Group>
        </Stack>
      </Panel>
      <SettingsPanel webhook={webhook} />
      <SecretPanel webhook={webhook} />
      <DeletePanel webhook={webhook} onDelete={onDelete} />
    </Stack>
  );
}

import { Group, SimpleGrid, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { Navigate, useParams, useSearchParams } from 'react-router';
import { useAction, useOperation, useWebhook, type Webhook } from '../../api/hooks.js';
import {
  LinkButton,
  Loading,
  Notice,
  OwnerOnly,
  PageHeader,
  Panel,
  QueryView,
  SmallLink,
} from '../../parts/page.js';
import { DeliveryTable, Facts, NextAttemptOfWebhook, useNow, WebhookState } from '../../parts/data.js';
import { PATHS, WEBHOOK_TABS } from '../../paths.js';
import { conditionText, webhookName } from '../../webhook-facts.js';
import { DeletePanel, HeadersPanel, SwitchPanel, TestPanel } from './settings-tab.js';
import { SettingsPanel } from './settings-panel.js';
import { SignatureSteps, useSignatureProof, useTestDelivery } from './steps.js';
import { RetryWaiting } from './retry-waiting.js';
import { TrafficPanel, useSpan } from '../../parts/traffic.js';
import { CodeBlock } from '../../parts/code.js';
import { conformanceCommand } from '../../shell-command.js';

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
              actions: <WebhookState webhook={data} />,
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

/** Next required step for a subscription, if any. */
function NextStep({ webhook }: { readonly webhook: Webhook }) {
  const { id, state, verified, secretShown, pendingSecretVersion } = webhook;
  return (
    <>
      {!secretShown && (
        <Notice tone="warn" title="No one has the secret of this webhook yet.">
          It was created without showing its secret. Create one before you test the webhook.{' '}
          <SmallLink to={PATHS.rotateSecret(id)}>Create a secret</SmallLink>
        </Notice>
      )}
      {secretShown && state === 'paused' && !verified && (
        <Notice tone="warn" title="This URL is not tested yet, so no events are sent.">
          After a 2xx response to a test delivery you can activate the webhook.{' '}
          <SmallLink to={PATHS.webhook(id, 'settings')}>Send a test</SmallLink>
        </Notice>
      )}
      <Condition webhook={webhook} />
      {pendingSecretVersion !== null && (
        <Notice tone="info" title={`Version ${pendingSecretVersion} of the secret is pending.`}>
          <SmallLink to={PATHS.rotateSecret(id)}>Finish rotation</SmallLink>
        </Notice>
      )}
    </>
  );
}

const CONDITION_TONES = { failing: 'bad', recovering: 'warn', active: 'warn', paused: 'quiet' } as const;

/** How the webhook does now, if that needs attention, with a button that retries what waits. */
function Condition({ webhook }: { readonly webhook: Webhook }) {
  const text = conditionText(webhook, useNow());
  const { state = 'not_tested', waiting = 0 } = webhook.condition ?? {};
  if (text === undefined || state === 'not_tested') return null;
  return (
    <Notice tone={CONDITION_TONES[state]} title={text}>
      {waiting > 0 && (
        <Group justify="space-between">
          <span>
            They are retried automatically. <NextAttemptOfWebhook webhook={webhook} />
          </span>
          <RetryWaiting webhook={webhook} />
        </Group>
      )}
    </Notice>
  );
}

/** The newest deliveries to a webhook. */
function RecentDeliveries({ webhookId }: { readonly webhookId: string }) {
  const recent = useOperation('listDeliveries', { params: { id: webhookId }, query: { limit: 10 } });
  return (
    <Panel
      title="Recent deliveries"
      actions={
        <Group gap="xs">
          <LinkButton to={PATHS.deliveries({ webhook: webhookId })} variant="default" size="xs">
            View all
          </LinkButton>
          <LinkButton to={PATHS.bulkReplay(webhookId)} variant="default" size="xs">
            Bulk replay
          </LinkButton>
        </Group>
      }
    >
      <QueryView query={recent} label="the deliveries">
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Text c="dimmed">No deliveries yet</Text>
          ) : (
            <DeliveryTable rows={deliveries} />
          )
        }
      </QueryView>
    </Panel>
  );
}

/** Attempts to one subscription over time. */
function HealthPanel({ id }: { readonly id: string }) {
  const { since } = useSpan();
  const statistics = useOperation(
    'getWebhookStatistics',
    { params: { id }, query: since },
    { keepsPrevious: true, isSum: true },
  );
  return (
    <TrafficPanel
      title="Webhook health"
      label="the statistics"
      query={statistics}
      note=" Tests are not counted."
    />
  );
}

/** Versions of the secret, and a link to the rotation. */
function SecretPanel({ webhook }: { readonly webhook: Webhook }) {
  const { id, secretVersion, secretShown, pendingSecretVersion } = webhook;
  return (
    <Panel title="Signing secret">
      <Stack gap="sm">
        <span>
          Your server verifies deliveries with it. Rotate it once a year, or if it is lost or compromised.
        </span>
        <Facts
          facts={{
            'Active secret': `Version ${secretVersion}${secretShown ? '' : ', never shown'}`,
            'Pending secret': pendingSecretVersion === null ? 'None' : `Version ${pendingSecretVersion}`,
          }}
        />
        <Group>
          <LinkButton to={PATHS.rotateSecret(id)} variant="default">
            {!secretShown
              ? 'Create a secret'
              : pendingSecretVersion === null
                ? 'Rotate secret'
                : 'Continue rotation'}
          </LinkButton>
        </Group>
      </Stack>
    </Panel>
  );
}

/** Checks of the receiver: two tests from here, and the command line's complete check. */
function ConformancePanel({ webhook }: { readonly webhook: Webhook }) {
  const { id, secretVersion } = webhook;
  const tests = useSignatureProof(id, secretVersion);
  return (
    <Panel title="Signature check">
      <Stack gap="md">
        <SignatureSteps tests={tests} version={secretVersion} isNext={false} />
        <Text size="sm">
          The command line checks more: changed bodies, missing signatures, old timestamps, repeats, unknown
          fields, large bodies and the response time. Save the secret in the file that the command names.
        </Text>
        <CodeBlock label="Conformance check" code={conformanceCommand(webhook)} copies="command" wraps />
      </Stack>
    </Panel>
  );
}

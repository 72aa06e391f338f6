import { Group, Stack, Text } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import {
  useApiKeys,
  useCompanyStatistics,
  useServiceStatus,
  useWebhooks,
  type Webhook,
} from '../../api/hooks.js';
import { Deferred, EmptyState, QueryView } from '../../parts/query-view.js';
import { AttemptFigures, LazyTrafficChart, SpanSwitch } from '../../parts/traffic.js';
import { LinkButton, useOwner } from '../../parts/owner.js';
import { Loading, PageHeader, Panel, TextLink } from '../../parts/page.js';
import { useNow } from '../../parts/times.js';
import { PATHS } from '../../paths.js';
import { chartPoints, SPAN_TEXTS, spanNamed, spanUntil } from '../../statistics-span.js';
import { attentionOf } from './attention.js';
import { AttentionList, RestoreNotice, ServiceNotice } from './notices.js';
import { WebhookTable } from './webhook-table.js';

/** Overview page: problems, and the health of each webhook. */
export function Page() {
  const { company } = useOwner();
  const webhooks = useWebhooks();
  // Loaded beside the webhooks, not after them.
  useCompanyStatistics();
  useApiKeys();
  useServiceStatus();
  const hasWebhooks = (webhooks.data?.subscriptions.length ?? 0) > 0;
  return (
    <>
      <PageHeader
        title="Overview"
        description={`Webhook health of ${company.name}`}
        actions={
          hasWebhooks && (
            <LinkButton to={PATHS.createWebhook} leftSection={<IconPlus size={18} aria-hidden />}>
              Create a webhook
            </LinkButton>
          )
        }
      />
      <QueryView query={webhooks} label="your webhooks">
        {({ subscriptions }) => (subscriptions.length === 0 ? <Start /> : <State webhooks={subscriptions} />)}
      </QueryView>
    </>
  );
}

/** For an owner without webhooks. */
function Start() {
  return (
    <Panel>
      <EmptyState
        title="No webhooks yet"
        icon={<IconWebhook size={28} />}
        action={
          <LinkButton to={PATHS.createWebhook} size="md" mt="sm">
            Create your first webhook
          </LinkButton>
        }
      >
        A webhook sends events, such as a newly assigned job, to your server as they occur. See{' '}
        <TextLink to={PATHS.catalogue}>the available events</TextLink>, and start with{' '}
        <TextLink to={PATHS.receiverCode}>the receiver code</TextLink>.
      </EmptyState>
    </Panel>
  );
}

function State({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const now = useNow();
  const [query] = useSearchParams();
  const span = spanNamed(query.get('span'));
  const lastDay = useCompanyStatistics();
  const statistics = useCompanyStatistics(spanUntil(span, now));
  const { data: keys, error: keysError } = useApiKeys();
  const service = useServiceStatus();
  const isWhole =
    lastDay.data !== undefined &&
    keys !== undefined &&
    (service.data !== undefined || service.error !== null);
  const hasFailed = lastDay.error !== null || keysError !== null;
  // Otherwise the list would push down what the reader looks at.
  const loading = <Loading label="Loading the overview" rows={6} />;
  if (!isWhole && !hasFailed) return loading;
  const found = attentionOf({
    webhooks: webhooks.map((webhook) => ({
      webhook,
      statistics: lastDay.data?.webhooks.find(({ webhookId }) => webhookId === webhook.id),
    })),
    keys: keys ?? [],
    now,
  });

  return (
    <Deferred fallback={loading}>
      <Stack gap="lg">
        <RestoreNotice />
        <ServiceNotice hasIssues={found.length > 0} />
        <AttentionList found={found} isWhole={isWhole} />
        <Panel title="Deliveries" actions={<SpanSwitch span={span} />}>
          <QueryView query={statistics} label="statistics">
            {(data) => (
              <Stack gap="lg">
                <AttemptFigures totals={data.totals} />
                {data.totals.attempts === 0 ? (
                  <Text c="dimmed">{`No deliveries in ${SPAN_TEXTS[span]}.`}</Text>
                ) : (
                  <LazyTrafficChart points={chartPoints(data, span, now)} spanText={SPAN_TEXTS[span]} />
                )}
              </Stack>
            )}
          </QueryView>
        </Panel>
        <section aria-label="Webhooks">
          <Group mb="sm">
            <Text component="h2" fz="h2" fw={650} m={0}>
              Webhooks
            </Text>
          </Group>
          <WebhookTable webhooks={webhooks} statistics={statistics.data} span={span} />
        </section>
      </Stack>
    </Deferred>
  );
}

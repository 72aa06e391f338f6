import { Group, Stack, Text } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { useApiKeys } from '../../api/api-keys.js';
import { useDeliveryCounts } from '../../api/deliveries.js';
import { useServiceStatus } from '../../api/service-status.js';
import { type AttemptCounts, useCompanyStatistics } from '../../api/statistics.js';
import { useWebhooks, type Webhook } from '../../api/webhooks.js';
import { QueryView } from '../../parts/query-view.js';
import { AttemptFigures } from '../../parts/attempt-figures.js';
import { Deferred } from '../../parts/deferred.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorState } from '../../parts/error-state.js';
import { LazyTrafficChart } from '../../parts/lazy-traffic-chart.js';
import { LinkButton } from '../../parts/link-button.js';
import { useOwner } from '../../parts/owner-context.js';
import { Loading } from '../../parts/loading.js';
import { PageHeader } from '../../parts/page-header.js';
import { Panel } from '../../parts/panel.js';
import { useNow } from '../../parts/relative-time.js';
import { SpanSwitch } from '../../parts/span-switch.js';
import { TextLink } from '../../parts/text-link.js';
import { PATHS } from '../../paths.js';
import { chartPoints, SPAN_TEXTS, spanNamed, spanUntil } from '../../statistics-span.js';
import { attentionOf } from './attention.js';
import { AttentionList } from './attention-list.js';
import { ServiceNotice } from './service-notice.js';
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
      <QueryView
        data={webhooks.data}
        error={webhooks.error}
        label="your webhooks"
        onRetry={() => void webhooks.refetch()}
      >
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
  const { keys, error: keysError } = useApiKeys();
  const service = useServiceStatus();
  const totalsOfDay = totalsById(lastDay.data?.webhooks ?? []);
  const paused = idsOf(webhooks, ({ state }) => state === 'paused');
  const failing = idsOf(webhooks, ({ id }) => (totalsOfDay.get(id)?.failed ?? 0) > 0);
  const held = useDeliveryCounts(paused, 'held');
  const retrying = useDeliveryCounts(failing, 'retry_scheduled');
  const isWhole =
    lastDay.data !== undefined &&
    keys !== undefined &&
    (service.data !== undefined || service.error !== null) &&
    held.counts.size === paused.length &&
    retrying.counts.size === failing.length;
  const hasFailed = [lastDay.error, keysError, held.error, retrying.error].some((error) => error !== null);
  // Otherwise the list would push down what the reader looks at.
  const loading = <Loading label="Loading the overview" rows={6} />;
  if (!isWhole && !hasFailed) return loading;
  const found = attentionOf({
    webhooks: webhooks.map((webhook) => ({
      webhook,
      totals: totalsOfDay.get(webhook.id),
      held: held.counts.get(webhook.id),
      retrying: retrying.counts.get(webhook.id),
    })),
    keys: keys ?? [],
    now,
  });

  return (
    <Deferred fallback={loading}>
      <Stack gap="lg">
        <ServiceNotice hasIssues={found.length > 0} />
        <AttentionList found={found} isWhole={isWhole} />
        <Panel title="Deliveries" actions={<SpanSwitch span={span} />}>
          {statistics.data === undefined ? (
            statistics.error !== null && (
              <ErrorState
                error={statistics.error}
                title="Could not load statistics"
                onRetry={() => void statistics.refetch()}
              />
            )
          ) : (
            <Stack gap="lg">
              <AttemptFigures totals={statistics.data.totals} />
              {statistics.data.totals.attempts === 0 ? (
                <Text c="dimmed">{`No deliveries in ${SPAN_TEXTS[span]}.`}</Text>
              ) : (
                <LazyTrafficChart
                  points={chartPoints(statistics.data, span, now)}
                  spanText={SPAN_TEXTS[span]}
                />
              )}
            </Stack>
          )}
        </Panel>
        <section aria-label="Webhooks">
          <Group mb="sm">
            <Text component="h2" fz="h2" fw={650} m={0}>
              Webhooks
            </Text>
          </Group>
          <WebhookTable
            webhooks={webhooks}
            totalsOf={statistics.data && totalsById(statistics.data.webhooks)}
            span={span}
          />
        </section>
      </Stack>
    </Deferred>
  );
}

function idsOf(webhooks: readonly Webhook[], isMeant: (webhook: Webhook) => boolean): readonly string[] {
  return webhooks.filter(isMeant).map(({ id }) => id);
}

function totalsById(
  webhooks: readonly { readonly webhookId: string; readonly totals: AttemptCounts }[],
): ReadonlyMap<string, AttemptCounts> {
  return new Map(webhooks.map(({ webhookId, totals }) => [webhookId, totals]));
}

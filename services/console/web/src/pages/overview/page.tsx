import type { ReactNode } from 'react';
import { Group, Stack, Text, Title } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import {
  type AttemptCounts,
  type CompanyStatistics,
  useApiKeys,
  useCompanyStatistics,
  useServiceStatus,
  useWebhooks,
  type Webhook,
  type WebhookTotals,
} from '../../api/hooks.js';
import {
  Deferred,
  EmptyPanel,
  LinkButton,
  Loading,
  Notice,
  PageHeader,
  Panel,
  QueryView,
  Small,
  SmallLink,
  TextLink,
  useOwner,
} from '../../parts/page.js';
import { Sparkline, TrafficPanel, useSpan } from '../../parts/traffic.js';
import { DataTable, ExactTime, useNow, WebhookState, WebhookLink } from '../../parts/data.js';
import { PATHS } from '../../paths.js';
import { chartPoints, SPAN_TEXTS, type SpanName } from '../../statistics-span.js';
import { type Attention, attentionOf } from './attention.js';
import { SERVICE_STATUS_LIMITS } from '@partner/proto-contracts/resources/service-status/service-status';
import { formatCount, formatCountOf, formatDuration, formatShare } from '../../format.js';

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
    <EmptyPanel
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
    </EmptyPanel>
  );
}

function State({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { now, span, since } = useSpan();
  const lastDay = useCompanyStatistics();
  const statistics = useCompanyStatistics(since);
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
        <TrafficPanel title="Deliveries" label="statistics" query={statistics} hasZeros />
        <section aria-label="Webhooks">
          <Title order={2} mb="sm">
            Webhooks
          </Title>
          <WebhookTable webhooks={webhooks} statistics={statistics.data} span={span} />
        </section>
      </Stack>
    </Deferred>
  );
}

/** List of problems with a link for each. `isWhole`: everything was checked. */
function AttentionList(props: { readonly found: readonly Attention[]; readonly isWhole: boolean }) {
  const { found, isWhole } = props;
  const gap = !isWhole && (
    <Notice tone="warn" title="Not everything could be loaded, so issues may be missing here." />
  );
  if (found.length === 0) return isWhole ? <Notice tone="good" title="No open issues" /> : gap;
  return (
    <Panel title="Needs your attention">
      {gap}
      <Stack component="ul" gap="xs" className="plain">
        {found.map(({ key, tone, title, text, link }) => (
          <li key={key}>
            <Notice tone={tone} title={title}>
              <Group justify="space-between" gap="xs">
                <Text component="span" size="sm">
                  {text}
                </Text>
                <TextLink to={link.to} size="sm" fw={600}>
                  {link.label}
                </TextLink>
              </Group>
            </Notice>
          </li>
        ))}
      </Stack>
    </Panel>
  );
}

/** Says that the service was restored from a backup, in the days after it. */
function RestoreNotice() {
  const { data } = useServiceStatus();
  const restoredTo = data?.restoredTo ?? null;
  return (
    restoredTo !== null && (
      <Notice tone="warn" title="The service was restored from a backup">
        {'What was accepted after '}
        <ExactTime at={restoredTo} />
        {
          ' and before the restore is lost. Look for leads, appointments and updates of jobs from then on, and send again what is missing. Changes of keys, people and webhooks are lost too.'
        }
      </Notice>
    )
  );
}

/** Whose problem it is: says what is wrong with the service, or, beside issues of the company, that nothing is. */
function ServiceNotice({ hasIssues }: { readonly hasIssues: boolean }) {
  const { data, error } = useServiceStatus();
  if (data === undefined) {
    return (
      error !== null && (
        <Notice tone="warn" title="The status of the service is unknown">
          The cause of a problem may be ours.
        </Notice>
      )
    );
  }
  const { status, webhookDelayMs } = data;
  if (status === 'operational') {
    return (
      hasIssues && (
        <Small c="dimmed">
          The service works, and webhooks leave on time: the cause of failed deliveries is at their endpoint.
        </Small>
      )
    );
  }
  return (
    <Notice tone="warn" title="The service has a problem">
      {webhookDelayMs > SERVICE_STATUS_LIMITS.delayMs
        ? `Webhooks leave up to ${formatDuration(webhookDelayMs)} late. Nothing is lost.`
        : 'Most webhooks of all companies fail at the moment, so the cause is probably ours. Deliveries are retried.'}
    </Notice>
  );
}

/** Table of all subscriptions with their health. */
function WebhookTable(props: {
  readonly webhooks: readonly Webhook[];
  /** Undefined: not loaded. */
  readonly statistics: CompanyStatistics | undefined;
  readonly span: SpanName;
}) {
  const { webhooks, statistics, span } = props;
  const now = useNow();
  /** A cell about the attempts to a webhook; undefined: it was created since they were loaded. */
  const known = (cell: (attempts: WebhookTotals | undefined, trendMinutes: number) => ReactNode) => {
    return ({ id }: Webhook) => {
      if (statistics === undefined) return 'Unknown';
      const attempts = statistics.webhooks.find(({ webhookId }) => webhookId === id);
      return cell(attempts, statistics.trendMinutes);
    };
  };
  return (
    <DataTable
      caption={`Webhooks and their health in ${SPAN_TEXTS[span]}`}
      rows={webhooks}
      rowKey={({ id }) => id}
      columns={{
        Webhook: (webhook) => <WebhookLink webhook={webhook} />,
        State: (webhook) => (
          <Group gap={6} component="span">
            <WebhookState webhook={webhook} />
          </Group>
        ),
        'Attempts over time': known((attempts, bucketMinutes) => {
          if (attempts === undefined) return <span aria-hidden>–</span>;
          const { delivered, failed } = attempts.totals;
          return (
            <Sparkline
              points={chartPoints({ buckets: attempts.trend, bucketMinutes }, span, now)}
              label={`${formatCountOf(delivered, 'attempt', 'attempts')} delivered and ${failed} failed in ${SPAN_TEXTS[span]}`}
            />
          );
        }),
        'Success rate': known(
          (attempts) => (attempts && formatShare(attempts.totals.delivered, attempts.totals.attempts)) ?? '–',
        ),
        p95: known((attempts) => formatDuration(attempts?.totals.p95Ms)),
        Failures: known((attempts) =>
          attempts === undefined || attempts.totals.failed === 0 ? (
            <span>None</span>
          ) : (
            <Failures id={attempts.webhookId} totals={attempts.totals} />
          ),
        ),
      }}
      numbers={['Success rate', 'p95']}
    />
  );
}

function Failures({ id, totals }: { readonly id: string; readonly totals: AttemptCounts }) {
  const isDead = totals.deadLettered > 0;
  return (
    <SmallLink to={PATHS.deliveries({ webhook: id, status: isDead ? 'dead_lettered' : 'retry_scheduled' })}>
      {isDead ? `${formatCount(totals.deadLettered)} dead-lettered` : `${formatCount(totals.failed)} failed`}
    </SmallLink>
  );
}

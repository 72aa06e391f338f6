import { useOutletContext } from 'react-router';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '../../parts/link.js';
import { useLostAt } from '../../api/connection.js';
import {
  type CompanyStatistics,
  useApiKeys,
  useCompanyStatistics,
  useServiceStatus,
  useWebhooks,
  type Webhook,
} from '../../api/hooks.js';
import { LinkButton, Loading, Notice, PageHeader, Panel, QueryView } from '../../parts/page.js';
import { SpanMenu, Sparkline, Traffic, useSpan } from '../../parts/traffic.js';
import { DataTable, DueTime, ExactTime, RowLink, StateDot, useNow } from '../../parts/data.js';
import { PATHS } from '../../paths.js';
import { chartPoints, SPAN_TEXTS } from '../../statistics-span.js';
import { FirstSteps, useFirstSteps } from './first-steps.js';
import { ProblemList } from './problem-list.js';
import { problemsOf } from './problems.js';
import { SERVICE_STATUS_LIMITS } from '@partner/proto-contracts/resources/service-status/service-status';
import { WAITING_COUNTED } from '@partner/proto-contracts/api/limits';
import { formatAbout, formatCount, formatCountOf, formatDuration, formatShare } from '../../format.js';
import { webhookName } from '../../webhook-facts.js';

const BUSIEST = 5;

/** Overview page: figures, charts, problems and the busiest webhooks; for a new company the steps to its first event. */
export function Page() {
  const webhooks = useWebhooks();
  // Loaded beside the webhooks, not after them.
  useCompanyStatistics();
  const isIdle = useOutletContext<boolean>();
  const isLive = useLostAt() === undefined && !isIdle;
  const steps = useFirstSteps(webhooks.data?.subscriptions);
  if (steps !== undefined && steps !== 'loading') return <FirstSteps steps={steps} />;
  return (
    <>
      <PageHeader
        title="Overview"
        state={isLive && <StateDot tone="good" label="Live" />}
        actions={
          <>
            <SpanMenu />
            <LinkButton to={PATHS.createWebhook} leftSection={<IconPlus size={16} aria-hidden />}>
              Create webhook
            </LinkButton>
          </>
        }
      />
      <QueryView query={webhooks} label="your webhooks">
        {({ subscriptions }) =>
          steps === 'loading' ? (
            <Loading label="Loading the overview" rows={6} />
          ) : (
            <State webhooks={subscriptions} />
          )
        }
      </QueryView>
    </>
  );
}

function State({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { now, since } = useSpan();
  const lastDay = useCompanyStatistics();
  const statistics = useCompanyStatistics(since);
  const { data: keys, error: keysError } = useApiKeys();
  const service = useServiceStatus();
  const isWhole =
    lastDay.data !== undefined &&
    keys !== undefined &&
    (service.data !== undefined || service.error !== null);
  const hasFailed = lastDay.error !== null || keysError !== null;
  // Otherwise the problems would push down what the reader looks at.
  const loading = <Loading label="Loading the overview" rows={6} />;
  if (!isWhole && !hasFailed) return loading;
  const counts = new Map(
    lastDay.data?.webhooks.map(({ webhookId, totals }) => [webhookId, totals.deliveries]),
  );
  const problems = problemsOf({ webhooks, deliveriesOf: (id) => counts.get(id), keys: keys ?? [], now });
  const hasUntested = webhooks.some(({ condition }) => condition?.state === 'not_tested');
  return (
    <div className="sections">
      <RestoreNotice />
      <ServiceNotice />
      <QueryView query={statistics} label="statistics">
        {(data) => <Traffic data={data} waiting={waitingNow(data, webhooks)} />}
      </QueryView>
      {!isWhole && (
        <Notice tone="warn" title="Not everything could be loaded, so issues may be missing here." />
      )}
      {problems.length > 0 || hasUntested ? (
        <ProblemList problems={problems} webhooks={webhooks} />
      ) : (
        isWhole && <p className="dim small">Nothing needs your attention.</p>
      )}
      <Busiest webhooks={webhooks} statistics={statistics.data} />
    </div>
  );
}

/** How many deliveries are waiting for a retry now, and when the next one is sent. */
function waitingNow({ webhooks }: CompanyStatistics, subscriptions: readonly Webhook[]) {
  const count = webhooks.reduce((sum, { retrying }) => sum + retrying, 0);
  const isMore = webhooks.some(({ retrying }) => retrying === WAITING_COUNTED);
  const [next] = subscriptions.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []).sort();
  const note = count === 0 || next === undefined ? 'none now' : <DueNext at={next} />;
  return [`${formatCount(count)}${isMore ? '+' : ''}`, note] as const;
}

const DueNext = ({ at }: { readonly at: string }) => (
  <>next one {Date.parse(at) < useNow().getTime() ? 'now' : <DueTime at={at} />}</>
);

/** Says that the service was restored from a backup, in the days after it. */
function RestoreNotice() {
  const { data } = useServiceStatus();
  const restoredTo = data?.restoredTo ?? null;
  return (
    restoredTo !== null && (
      <Notice tone="warn" title="The service was restored from a backup">
        {'Anything accepted after '}
        <ExactTime at={restoredTo} />
        {
          ' and before the restore is lost. Check your leads, appointments and job updates from that time, and send again what is missing. Changes to API keys, people and webhooks are lost too.'
        }
      </Notice>
    )
  );
}

/** Says what is wrong with the service. */
function ServiceNotice() {
  const { data } = useServiceStatus();
  const isLost = useLostAt() !== undefined;
  if (isLost || data === undefined || data.status === 'operational') return null;
  const { webhookDelayMs } = data;
  return (
    <Notice tone="warn" title="The service has a problem">
      {webhookDelayMs > SERVICE_STATUS_LIMITS.delayMs
        ? `Webhooks are sent up to ${formatDuration(webhookDelayMs)} late. Nothing is lost.`
        : 'Most webhooks of all companies are failing, so the cause is probably on our side. Deliveries are retried.'}
    </Notice>
  );
}

/** The webhooks with the most deliveries in the span. */
function Busiest(props: {
  readonly webhooks: readonly Webhook[];
  /** Undefined: not loaded. */
  readonly statistics: CompanyStatistics | undefined;
}) {
  const { webhooks, statistics } = props;
  const { span, now } = useSpan();
  const all = <Link to={PATHS.webhooks}>{`All ${webhooks.length}`}</Link>;
  const rows = (statistics?.webhooks ?? [])
    .flatMap((counts) => {
      const webhook = webhooks.find(({ id }) => id === counts.webhookId);
      return webhook === undefined || counts.totals.deliveries.total === 0 ? [] : [{ webhook, ...counts }];
    })
    .sort((one, other) => other.totals.deliveries.total - one.totals.deliveries.total)
    .slice(0, BUSIEST);
  const spanText = SPAN_TEXTS[span];
  return (
    <Panel title="Busiest webhooks" actions={all}>
      {rows.length === 0 ? (
        <p className="dim small">{statistics === undefined ? 'Unknown' : `No deliveries in ${spanText}`}</p>
      ) : (
        <DataTable
          caption={`Busiest webhooks in ${spanText}`}
          rows={rows}
          rowKey={({ webhookId }) => webhookId}
          columns={{
            Webhook: ({ webhook }) => <RowLink to={PATHS.webhook(webhook.id)} name={webhookName(webhook)} />,
            [spanText.replace('the last', 'Last')]: ({ trend, totals }) => (
              <Sparkline
                points={chartPoints(
                  { buckets: trend, bucketMinutes: statistics?.trendMinutes ?? 0 },
                  span,
                  now,
                )}
                label={`${formatCount(totals.deliveries.delivered)} of ${formatCountOf(totals.deliveries.total, 'delivery', 'deliveries')} accepted in ${spanText}`}
              />
            ),
            Deliveries: ({ totals }) => formatCount(totals.deliveries.total),
            Accepted: ({ totals: { deliveries } }) =>
              formatShare(deliveries.delivered, deliveries.total) ?? '–',
            'Typical response': ({ totals }) => formatAbout(totals.p50Ms),
          }}
          numbers={['Deliveries', 'Accepted', 'Typical response']}
          widths={{ Webhook: '232px', Deliveries: '96px', Accepted: '96px', 'Typical response': '136px' }}
        />
      )}
    </Panel>
  );
}

import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { type AttemptCounts, useWebhookStatistics } from '../../api/statistics.js';
import { formatCount, formatDuration, formatShare } from '../../format.js';
import { AnswerView } from '../../parts/answer-view.js';
import { LazyTrafficChart } from '../../parts/lazy-traffic-chart.js';
import { Panel } from '../../parts/panel.js';
import { useNow } from '../../parts/relative-time.js';
import { chartPoints, SPAN_TEXTS, SPANS, spanNamed, spanUntil } from '../../statistics-span.js';
import classes from './webhook.module.css';

const LABELS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' } as const;

/** How the attempts to one subscription went over time. */
export function TrafficPanel({ id }: { readonly id: string }) {
  const now = useNow();
  const [query, setQuery] = useSearchParams();
  const span = spanNamed(query.get('span'));
  const statistics = useWebhookStatistics(id, spanUntil(span, now));
  return (
    <Panel
      title="How it does"
      actions={
        <SegmentedControl
          aria-label="Time span"
          value={span}
          onChange={(value) => setQuery({ span: value }, { replace: true, preventScrollReset: true })}
          data={SPANS.map((value) => ({ value, label: LABELS[value] }))}
          size="xs"
        />
      }
    >
      <AnswerView
        data={statistics.data}
        error={statistics.error}
        label="the statistics"
        onRetry={() => void statistics.refetch()}
      >
        {(data) =>
          data.totals.attempts === 0 ? (
            <Text c="dimmed">{`Nothing was sent in ${SPAN_TEXTS[span]}. Tests are not counted.`}</Text>
          ) : (
            <Stack gap="lg">
              <Figures totals={data.totals} />
              <LazyTrafficChart points={chartPoints(data, span, now)} spanText={SPAN_TEXTS[span]} />
            </Stack>
          )
        }
      </AnswerView>
    </Panel>
  );
}

function Figures({ totals }: { readonly totals: AttemptCounts }) {
  const figures = [
    ['Success rate', formatShare(totals.delivered, totals.attempts) ?? '–'],
    ['Attempts', formatCount(totals.attempts)],
    ['Failed attempts', formatCount(totals.failed)],
    ['Dead-lettered', formatCount(totals.deadLettered)],
    ['95% within', totals.p95Ms === null ? '–' : formatDuration(totals.p95Ms)],
  ] as const;
  return (
    <dl className={classes['figures']}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

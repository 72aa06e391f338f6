import { Stack, Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { useOperation } from '../../api/hooks.js';
import { QueryView } from '../../parts/query-view.js';
import { AttemptFigures, LazyTrafficChart, SpanSwitch } from '../../parts/traffic.js';
import { Panel } from '../../parts/page.js';
import { useNow } from '../../parts/times.js';
import { chartPoints, SPAN_TEXTS, spanNamed, spanUntil } from '../../statistics-span.js';

/** Attempts to one subscription over time. */
export function TrafficPanel({ id }: { readonly id: string }) {
  const now = useNow();
  const [query] = useSearchParams();
  const span = spanNamed(query.get('span'));
  const statistics = useOperation(
    'getWebhookStatistics',
    { params: { id }, query: spanUntil(span, now) },
    { keepsPrevious: true, isSum: true },
  );
  return (
    <Panel title="Webhook health" actions={<SpanSwitch span={span} />}>
      <QueryView query={statistics} label="the statistics">
        {(data) =>
          data.totals.attempts === 0 ? (
            <Text c="dimmed">{`No deliveries in ${SPAN_TEXTS[span]}. Tests are not counted.`}</Text>
          ) : (
            <Stack gap="lg">
              <AttemptFigures totals={data.totals} />
              <LazyTrafficChart points={chartPoints(data, span, now)} spanText={SPAN_TEXTS[span]} />
            </Stack>
          )
        }
      </QueryView>
    </Panel>
  );
}

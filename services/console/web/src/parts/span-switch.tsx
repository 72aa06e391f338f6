import { SegmentedControl } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { type SpanName, SPANS } from '../statistics-span.js';

const LABELS = { '1h': '1 hour', '24h': '24 hours', '7d': '7 days', '30d': '30 days' } as const;

/** Selects the time span of statistics, which is kept in the page's query. */
export function SpanSwitch({ span }: { readonly span: SpanName }) {
  const [, setQuery] = useSearchParams();
  return (
    <SegmentedControl
      aria-label="Time span"
      value={span}
      onChange={(value) =>
        setQuery(
          (query) => {
            query.set('span', value);
            return query;
          },
          { replace: true, preventScrollReset: true },
        )
      }
      data={SPANS.map((value) => ({ value, label: LABELS[value] }))}
      size="xs"
    />
  );
}

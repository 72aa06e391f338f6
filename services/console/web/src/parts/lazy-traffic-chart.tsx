import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';

const Loaded = lazy(async () => ({ default: (await import('./traffic-chart.js')).TrafficChart }));

/** Lazily loaded charts of attempts and durations over time. */
export function LazyTrafficChart(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense fallback={<Skeleton height={252} aria-busy="true" />}>
      <Loaded {...props} />
    </Suspense>
  );
}

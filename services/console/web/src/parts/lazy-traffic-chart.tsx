import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';

const Loaded = lazy(async () => ({ default: (await import('./traffic-chart.js')).TrafficChart }));

/** Attempts and durations over time, as charts that are loaded when they are needed. */
export function LazyTrafficChart(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense fallback={<Skeleton height={252} aria-busy="true" />}>
      <Loaded {...props} />
    </Suspense>
  );
}

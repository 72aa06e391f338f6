import { Skeleton } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { type ComponentProps, lazy, Suspense, useState } from 'react';

const Loaded = lazy(async () => ({ default: (await import('./traffic-chart.js')).TrafficChart }));

/** Charts of attempts and durations over time. They are loaded once they come into view. */
export function LazyTrafficChart(props: ComponentProps<typeof Loaded>) {
  const { ref, inViewport } = useInViewport();
  const [wasSeen, setSeen] = useState(false);
  if (inViewport && !wasSeen) setSeen(true);
  const placeholder = <Skeleton ref={ref} height={252} aria-busy={wasSeen} />;
  return wasSeen ? (
    <Suspense fallback={placeholder}>
      <Loaded {...props} />
    </Suspense>
  ) : (
    placeholder
  );
}

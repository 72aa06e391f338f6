import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import { SimpleGrid, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, formatDuration } from '../format.js';
import { type ChartPoint, chartTicks, fewerPoints, spanMs } from '../statistics-span.js';
import { Hint } from './page.js';

const BARS = 72;
const TABLE_ROWS = 30;

/** Charts of attempts and durations over time, on demand as a table. Load it lazily: it is large. */
export function TrafficChart(props: {
  readonly points: readonly ChartPoint[];
  /** The span in words, e.g. `the last 24 hours`. */
  readonly spanText: string;
}) {
  const { points, spanText } = props;
  const isLong = spanMs(points) > 24 * 3_600_000;
  const timeText = new Intl.DateTimeFormat(undefined, isLong ? { ...DAY, ...CLOCK } : CLOCK);
  const tickText = new Intl.DateTimeFormat(undefined, isLong ? DAY : CLOCK);
  const bars = fewerPoints(points, BARS);
  const common = {
    h: 220,
    data: bars.map(({ at, ...rest }) => ({ at: at.getTime(), ...rest })),
    dataKey: 'at',
    withLegend: true,
    legendProps: { verticalAlign: 'bottom', height: 32 },
    xAxisProps: {
      ticks: chartTicks(bars).map(({ at }) => at.getTime()),
      tickFormatter: (at: number) => tickText.format(at),
      // Without space for all of them, every second or third one is shown.
      interval: 'equidistantPreserveStart',
      minTickGap: 12,
      // Room for the label of the last tick, which would count as one without space.
      padding: { right: 28 },
    },
    // Without a point under the pointer there is no time.
    tooltipProps: {
      labelFormatter: (at: unknown) => (typeof at === 'number' ? timeText.format(at) : ''),
    },
    gridAxis: 'x',
    tickLine: 'none',
  } as const;
  return (
    <>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <Figure
          caption="Attempts"
          label={`Attempts in ${spanText}, delivered and failed. The table below has the numbers.`}
        >
          <BarChart
            {...common}
            type="stacked"
            series={[
              { name: 'delivered', label: 'Delivered', color: 'var(--chart-accepted)' },
              { name: 'failed', label: 'Failed', color: 'var(--bad-dot)' },
            ]}
            valueFormatter={formatCount}
            barChartProps={{ accessibilityLayer: false }}
          />
        </Figure>
        <Figure
          caption="Response time of your server"
          label={`Durations of attempts in ${spanText}. The table below has the numbers.`}
        >
          <LineChart
            {...common}
            series={[
              { name: 'p50Ms', label: 'Median (p50)', color: 'var(--chart-accepted)' },
              { name: 'p95Ms', label: 'p95', color: 'var(--warn-dot)' },
            ]}
            valueFormatter={formatDuration}
            yAxisProps={{ width: 64 }}
            curveType="linear"
            connectNulls={false}
            strokeWidth={2}
            dotProps={{ r: 2 }}
            lineChartProps={{ accessibilityLayer: false }}
          />
        </Figure>
      </SimpleGrid>
      <Hint>{`Times in ${timeText.resolvedOptions().timeZone}`}</Hint>
      <PointsTable points={points} spanText={spanText} timeText={timeText} />
    </>
  );
}

function Figure(props: {
  readonly caption: string;
  /** Description of the chart for screen readers. */
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <figure style={{ margin: 0, minWidth: 0 }}>
      <Text component="figcaption" size="sm" fw={600} mb="xs">
        {props.caption}
      </Text>
      <div role="img" aria-label={props.label}>
        {props.children}
      </div>
    </figure>
  );
}

/** Table with the numbers of the charts, for screen readers too. */
function PointsTable(props: {
  readonly points: readonly ChartPoint[];
  readonly spanText: string;
  readonly timeText: Intl.DateTimeFormat;
}) {
  const { points, spanText, timeText } = props;
  return (
    <details>
      <summary>Show as a table</summary>
      <Table.ScrollContainer minWidth={420} scrollAreaProps={{ type: 'auto' }}>
        <Table>
          <caption>{`Attempts in ${spanText}, oldest first`}</caption>
          <Table.Thead>
            <Table.Tr>
              {['From', 'Delivered', 'Failed', 'Median (p50)', 'p95'].map((name) => (
                <Table.Th key={name} scope="col">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {fewerPoints(points, TABLE_ROWS).map(({ at, delivered, failed, p50Ms, p95Ms }) => (
              <Table.Tr key={at.getTime()}>
                <Table.Th scope="row" fw="normal">
                  {timeText.format(at)}
                </Table.Th>
                <Table.Td>{formatCount(delivered)}</Table.Td>
                <Table.Td>{formatCount(failed)}</Table.Td>
                <Table.Td>{formatDuration(p50Ms)}</Table.Td>
                <Table.Td>{formatDuration(p95Ms)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const DAY = { day: 'numeric', month: 'short' } as const;

import type { ChartPoint } from '../statistics-span.js';
import { fewerPoints } from '../statistics-span.js';

const BARS = 48;
const HEIGHT = 28;
const WIDTH = 3;
const GAP = 1;

/** Sparkline of attempts over time: delivered ones with failed ones on top. `label` describes it in words. */
export function Sparkline({
  points,
  label,
}: {
  readonly points: readonly ChartPoint[];
  readonly label: string;
}) {
  const bars = fewerPoints(points, BARS);
  const most = Math.max(1, ...bars.map(({ delivered, failed }) => delivered + failed));
  const height = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * (HEIGHT - 2)));
  return (
    <svg
      role="img"
      aria-label={label}
      width={bars.length * (WIDTH + GAP)}
      height={HEIGHT}
      viewBox={`0 0 ${bars.length * (WIDTH + GAP)} ${HEIGHT}`}
    >
      <line
        x1={0}
        x2={bars.length * (WIDTH + GAP)}
        y1={HEIGHT - 0.5}
        y2={HEIGHT - 0.5}
        stroke="var(--surface-border)"
      />
      {bars.map(({ at, delivered, failed }, place) => {
        const x = place * (WIDTH + GAP);
        const good = height(delivered);
        const bad = height(failed);
        return (
          <g key={at.getTime()}>
            <rect x={x} y={HEIGHT - 1 - good} width={WIDTH} height={good} fill="var(--chart-delivered)" />
            <rect x={x} y={HEIGHT - 1 - good - bad} width={WIDTH} height={bad} fill="var(--chart-dead)" />
          </g>
        );
      })}
    </svg>
  );
}
